(* What is proven about a mechanism file.  Everything that has to be read to know what a
   theorem of this folder says is in this file: laws, privacy, expected loss, the noise of a file,
   its release, its claims.  It holds no proof. *)
Require Import Reals ZArith List Bool.
Import ListNotations.
Open Scope R_scope.

(* ---- laws ---- *)
(* T is where values of the noise lie; add x s moves a value x by a shift s. *)
Section Laws.
Variables (T S : Type) (add : T -> S -> T).
Variable basic : (T -> R) -> Prop.  (* functions that every law must be able to average *)

Definition bounded (f : T -> R) := exists M, forall x, Rabs (f x) <= M.

(* A law averages bounded measurable functions: it is linear and monotone, and 1 has mean 1.
   Every probability measure is such a law; countable additivity is not asked for. *)
Record law := {
  meas : (T -> R) -> Prop;
  ex : (T -> R) -> R;
  meas_basic : forall f, basic f -> meas f;
  meas_const : forall a, meas (fun _ => a);
  meas_add : forall f g, meas f -> meas g -> meas (fun x => f x + g x);
  meas_scale : forall a f, meas f -> meas (fun x => a * f x);
  meas_shift : forall f s, meas f -> meas (fun x => f (add x s));
  meas_level : forall f t, meas f -> meas (fun x => if Rle_dec t (f x) then 1 else 0);
  ex_one : ex (fun _ => 1) = 1;
  ex_add : forall f g, meas f -> bounded f -> meas g -> bounded g ->
    ex (fun x => f x + g x) = ex f + ex g;
  ex_scale : forall a f, meas f -> bounded f -> ex (fun x => a * f x) = a * ex f;
  ex_mono : forall f g, meas f -> bounded f -> meas g -> bounded g ->
    (forall x, f x <= g x) -> ex f <= ex g }.

(* An event is a measurable function with the values 0 and 1. *)
Definition event (L : law) (A : T -> R) := meas L A /\ forall x, A x = 0 \/ A x = 1.

(* P[X in A] <= e^eps P[X + s in A] + delta for every event A and every shift s of a set. *)
Definition private (L : law) (eps delta : R) (shifts : S -> Prop) :=
  forall A s, event L A -> shifts s ->
    ex L A <= exp eps * ex L (fun x => A (add x s)) + delta.

(* B bounds the expected loss: it is above the mean of every bounded function below the loss.
   (The integral of a loss that is not negative is the supremum of these means.) *)
Definition loss_at_most (L : law) (c : T -> R) (B : R) :=
  forall g, meas L g -> bounded g -> (forall x, g x <= c x) -> ex L g <= B.

(* The law never leaves a set: what vanishes on the set has probability 0. *)
Definition stays (L : law) (inside : T -> Prop) :=
  forall A, event L A -> (forall x, inside x -> A x = 0) -> ex L A = 0.
(* It is its own mirror image. *)
Definition even (opp : T -> T) (L : law) := forall f, meas L f -> bounded f ->
  meas L (fun x => f (opp x)) /\ ex L (fun x => f (opp x)) = ex L f.
(* It rises up to a and falls after it: an event on one side of a becomes no less likely when it is
   moved towards a, as long as it stays on that side.  X + s is in A if X is in A moved by -s. *)
Definition peaked (place : T -> R) (size : S -> R) (a : R) (L : law) := forall A s, event L A ->
  (forall x, A x <> 0 -> 0 <= size s /\ a + size s <= place x \/ size s <= 0 /\ place x <= a + size s) ->
  ex L A <= ex L (fun x => A (add x s)).
(* Its mean is 0: cut off at M and -M it is as near to 0 as one likes. *)
Definition cut_off (M x : R) := Rmax (- M) (Rmin M x).
Definition centred (place : T -> R) (L : law) := forall e, 0 < e -> exists M, forall N, M <= N ->
  Rabs (ex L (fun x => cut_off N (place x))) <= e.
End Laws.
Arguments meas {T S add basic}.
Arguments ex {T S add basic}.
Arguments meas_basic {T S add basic}.
Arguments meas_const {T S add basic}.
Arguments meas_add {T S add basic}.
Arguments meas_scale {T S add basic}.
Arguments meas_shift {T S add basic}.
Arguments meas_level {T S add basic}.
Arguments ex_one {T S add basic}.
Arguments ex_add {T S add basic}.
Arguments ex_scale {T S add basic}.
Arguments ex_mono {T S add basic}.
Arguments event {T S add basic}.
Arguments private {T S add basic}.
Arguments loss_at_most {T S add basic}.
Arguments bounded {T}.
Arguments stays {T S add basic}.
Arguments even {T S add basic}.
Arguments peaked {T S add basic}.
Arguments centred {T S add basic}.

Definition zlaw := law Z Z Z.add (fun _ => True).  (* noise on the whole numbers *)
Definition rlaw := law R R Rplus continuity.       (* noise on the real numbers *)
Definition mean (X : zlaw) (f : Z -> R) : R := ex X f.

(* ---- numbers and losses ---- *)
Definition ratio (q : Z * Z) : R := IZR (fst q) / IZR (snd q).

(* A broken line through points (x, value) with x rising, with the slope s before and t after them. *)
Fixpoint line_after (x0 v0 : R) (points : list ((Z * Z) * (Z * Z))) (t x : R) : R := match points with
  | [] => v0 + t * (x - x0)
  | (p, v) :: rest =>
      if Rle_dec x (ratio p) then v0 + (ratio v - v0) / (ratio p - x0) * (x - x0)
      else line_after (ratio p) (ratio v) rest t x
  end.
Definition broken_line (points : list ((Z * Z) * (Z * Z))) (s t x : R) : R := match points with
  | [] => 0
  | (p, v) :: rest =>
      if Rle_dec x (ratio p) then ratio v + s * (x - ratio p) else line_after (ratio p) (ratio v) rest t x
  end.

Inductive one_loss := L1 | L2 | Pinball (tau : Z * Z) | Huber (width : Z * Z)
  | Piecewise (points : list ((Z * Z) * (Z * Z))) (before after : Z * Z).
Definition one_cost (l : one_loss) (x : R) : R := match l with
  | L1 => Rabs x
  | L2 => x * x
  | Pinball tau => if Rle_dec 0 x then ratio tau * x else (1 - ratio tau) * - x
  | Huber w => if Rle_dec (Rabs x) (ratio w) then x * x / 2 else ratio w * (Rabs x - ratio w / 2)
  | Piecewise points s t => broken_line points (ratio s) (ratio t) x
  end.
(* A loss is a sum of losses with weights; most have one, of weight 1. *)
Definition loss := list ((Z * Z) * one_loss).
Fixpoint cost (l : loss) (x : R) : R := match l with
  | [] => 0 | (w, one) :: rest => ratio w * one_cost one x + cost rest x end.

(* ---- the noise of a file ---- *)
Inductive cells :=
  | Lattice (first : Z) (weights : list Z)
  | Tailed (first : Z) (weights : list Z) (period : Z) (tail_ratio : Z * Z)
  | Mesh (edges : list (Z * Z)) (weights : list Z).

(* entry j of a list, 0 outside *)
Definition at_index (ws : list Z) (j : Z) : Z := if (j <? 0)%Z then 0%Z else nth (Z.to_nat j) ws 0%Z.

(* the weight of cell c of a lattice, without and with continued periods *)
Definition plain_weight (first : Z) (ws : list Z) (c : Z) : R := IZR (at_index ws (c - first)).
Definition tailed_weight (first : Z) (ws : list Z) (period : Z) (rho : R) (c : Z) : R :=
  let j := (c - first)%Z in let len := Z.of_nat (length ws) in
  if (j <? 0)%Z then rho ^ Z.to_nat (- (j / period)) * IZR (at_index ws (j mod period))
  else if (j <? len)%Z then IZR (at_index ws j)
  else rho ^ Z.to_nat ((j - len) / period + 1) * IZR (at_index ws (len - period + (j - len) mod period)).

(* Every cell is cut into half grid steps that are equally likely.  Half step h reaches from
   h/2 to (h+1)/2 grid steps; cell c of a lattice has the 2r of them around c r grid steps, a
   cell of a mesh those between its two edges. *)
Definition mark (r : Z) (edge : Z * Z) : Z := (2 * r * fst edge / snd edge)%Z.
Fixpoint mesh_weight (marks ws : list Z) (h : Z) : R := match marks, ws with
  | a :: ((b :: _) as rest), w :: ws' =>
      if ((a <=? h) && (h <? b))%Z then IZR w / IZR (b - a) else mesh_weight rest ws' h
  | _, _ => 0
  end.
Definition half_step (c : cells) (r h : Z) : R := match c with
  | Lattice first ws => plain_weight first ws ((h + r) / (2 * r)) / IZR (2 * r)
  | Tailed first ws n q => tailed_weight first ws n (ratio q) ((h + r) / (2 * r)) / IZR (2 * r)
  | Mesh edges ws => mesh_weight (map (mark r) edges) ws h
  end.

(* Constraints, and where each lets noise be *)
Inductive demand := Support (low high : option (Z * Z)) | MaxError (t : Z * Z) | Symmetric
  | Unimodal (at_ : Z * Z) | Unbiased | LossAtMost (l : loss) (bound : Z * Z).
Definition allowed (d : demand) (x : R) : Prop := match d with
  | Support low high =>
      match low with Some q => ratio q <= x | None => True end /\
      match high with Some q => x <= ratio q | None => True end
  | MaxError t => Rabs x <= ratio t
  | _ => True
  end.

Inductive kind := Integer | Additive.
Record file := {
  the_kind : kind;
  epsilon : Z * Z; delta : Z * Z; profile : list ((Z * Z) * (Z * Z));
  sensitivity : Z * Z; the_loss : loss;
  step : Z * Z; grid : Z;  (* whole numbers without runs: 1 and 1 *)
  constraints : list demand;
  denominator : Z; atom : Z; noise : cells;
  upper : Z * Z; lower : Z * Z }.

(* The probability of noise of i grid steps: half steps 2i-1 and 2i round to i. *)
Definition mass (f : file) (i : Z) : R :=
  (half_step (noise f) (grid f) (2 * i - 1) + half_step (noise f) (grid f) (2 * i)
   + (if (i =? 0)%Z then IZR (atom f) else 0)) / IZR (denominator f).

(* sum of p(lo), ..., p(lo + n - 1) *)
Fixpoint wsum (lo : Z) (n : nat) (p : Z -> R) : R := match n with
  | O => 0 | S k => p lo + wsum (lo + 1) k p end.
Definition distribution (p : Z -> R) :=
  (forall i, 0 <= p i) /\ (forall lo n, wsum lo n p <= 1) /\
  (forall e, 0 < e -> exists lo n, 1 - e <= wsum lo n p).
Definition point (i j : Z) : R := if (j =? i)%Z then 1 else 0.
Definition has_masses (X : zlaw) (p : Z -> R) := forall i, mean X (point i) = p i.

(* The release of a real value v on the grid g: v/g is rounded down or up at random so that its
   mean is v/g, noise X is added, and the sum is a number of grid steps.  This is the mean of A. *)
Definition released (X : zlaw) (g v : R) (A : R -> R) : R :=
  let k := Int_part (v / g) in let u := frac_part (v / g) in
  (1 - u) * mean X (fun j => A (IZR (k + j) * g)) + u * mean X (fun j => A (IZR (k + 1 + j) * g)).

(* ---- the claims ---- *)
Definition budgets (f : file) := (epsilon f, delta f) :: profile f.

Definition allowed_by_all (f : file) (x : R) := forall d, In d (constraints f) -> allowed d x.

(* Whole values: the noise is added as it is. *)
Definition whole_obeys (f : file) (d : demand) : Prop :=
  let shifts := fun s => IZR (Z.abs s) <= ratio (sensitivity f) in match d with
  | Support _ _ | MaxError _ => forall i, mass f i <> 0 -> allowed d (IZR i)
  | Symmetric => forall i, mass f (- i) = mass f i
  | Unimodal a => forall i, (ratio a <= IZR i -> mass f (i + 1) <= mass f i) /\ (IZR (i + 1) <= ratio a -> mass f i <= mass f (i + 1))
  | Unbiased => forall X : zlaw, has_masses X (mass f) -> centred IZR X
  | LossAtMost l b => forall X : zlaw, has_masses X (mass f) -> loss_at_most X (fun i => cost l (IZR i)) (ratio b)
  end.
Definition whole_rival (f : file) (Y : zlaw) :=
  let shifts := fun s => IZR (Z.abs s) <= ratio (sensitivity f) in
  (forall b, In b (budgets f) -> private Y (ratio (fst b)) (ratio (snd b)) shifts) /\
  (forall d, In d (constraints f) -> stays Y (fun i => allowed d (IZR i)) /\ match d with
     | Symmetric => even Z.opp Y
     | Unimodal a => peaked IZR IZR (ratio a) Y
     | Unbiased => centred IZR Y
     | LossAtMost l b => loss_at_most Y (fun i => cost l (IZR i)) (ratio b)
     | _ => True end).
Definition claims_integer (f : file) :=
  let shifts := fun s => IZR (Z.abs s) <= ratio (sensitivity f) in
  let the_cost := fun i => cost (the_loss f) (IZR i) in
  (* distribution *)
  distribution (mass f) /\
  (forall X : zlaw, has_masses X (mass f) ->
    (* privacy *)
    (forall b, In b (budgets f) -> private X (ratio (fst b)) (ratio (snd b)) shifts) /\
    (* upper *)
    loss_at_most X the_cost (ratio (upper f))) /\
  (* constraints *)
  (forall d, In d (constraints f) -> whole_obeys f d) /\
  (* lower *)
  (forall Y : zlaw, whole_rival f Y -> forall B, loss_at_most Y the_cost B -> ratio (lower f) <= B).

(* Real values: they are rounded to the grid at random first.  An error of the release includes
   that rounding, the support of the noise does not.  Where the noise is, and whether it rises and falls,
   is said of its density, which is the same all over a half step. *)
Definition only (x y : R) : R := if Req_EM_T x y then 1 else 0.
Definition real_obeys (f : file) (d : demand) : Prop :=
  let g := ratio (step f) / IZR (grid f) in let q := half_step (noise f) (grid f) in match d with
  | Support _ _ => (atom f <> 0%Z -> allowed d 0) /\ forall h, q h <> 0 -> allowed d (IZR h * (g / 2)) /\ allowed d (IZR (h + 1) * (g / 2))
  | MaxError t => forall X : zlaw, has_masses X (mass f) -> forall v A, (forall x, A x = 0 \/ A x = 1) ->
      (forall x, Rabs (x - v) <= ratio t -> A x = 0) -> released X g v A = 0
  | Symmetric => forall i, mass f (- i) = mass f i
  | Unimodal a => (atom f = 0%Z \/ ratio a = 0) /\ forall h,
      (ratio a < IZR h * (g / 2) -> q h <= q (h - 1)%Z) /\ (IZR h * (g / 2) < ratio a -> q (h - 1)%Z <= q h)
  | Unbiased => forall X : zlaw, has_masses X (mass f) -> centred IZR X
  | LossAtMost l b => forall X : zlaw, has_masses X (mass f) -> forall v c, bounded c ->
      (forall x, c x <= cost l (x - v)) -> released X g v c <= ratio b
  end.
Definition real_rival (f : file) (Y : rlaw) :=
  let shifts := fun s => Rabs s <= ratio (sensitivity f) in
  (forall b, In b (budgets f) -> private Y (ratio (fst b)) (ratio (snd b)) shifts) /\
  (forall d, In d (constraints f) -> stays Y (allowed d) /\ match d with
     | Symmetric => even Ropp Y
     | Unimodal a => peaked (fun x => x) (fun s => s) (ratio a) Y
     | Unbiased => centred (fun x => x) Y
     | LossAtMost l b => loss_at_most Y (cost l) (ratio b)
     | _ => True end).
Definition claims_additive (f : file) :=
  let g := ratio (step f) / IZR (grid f) in
  let D := ratio (sensitivity f) in
  (* distribution *)
  distribution (mass f) /\
  (forall X : zlaw, has_masses X (mass f) ->
    (* privacy *)
    (forall b, In b (budgets f) -> forall v v' A, Rabs (v - v') <= D -> (forall x, A x = 0 \/ A x = 1) ->
       released X g v A <= exp (ratio (fst b)) * released X g v' A + ratio (snd b)) /\
    (* upper *)
    (forall v c, bounded c -> (forall x, c x <= cost (the_loss f) (x - v)) ->
       released X g v c <= ratio (upper f))) /\
  (* constraints *)
  (forall d, In d (constraints f) -> real_obeys f d) /\
  (* lower *)
  (forall Y : rlaw, real_rival f Y -> forall B, loss_at_most Y (cost (the_loss f)) B -> ratio (lower f) <= B).

Definition claims (f : file) := match the_kind f with
  | Integer => claims_integer f | Additive => claims_additive f end.
