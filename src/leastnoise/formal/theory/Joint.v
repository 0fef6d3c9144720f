(* Several numbers at once: what is proven about a file of kind "joint" whose noise is that of a
   cube, all of whose numbers may move at once and both ways; and its check. *)
Require Import Reals ZArith List Bool FMapPositive.
Require Import Formal.Statements Formal.Exp.
Import ListNotations.
Open Scope R_scope.

(* ---- what is claimed: definitions, to be read like Statements.v ---- *)
(* k whole numbers *)
Fixpoint vec (k : nat) : Type := match k with O => unit | S n => (Z * vec n)%type end.
Fixpoint vadd {k : nat} : vec k -> vec k -> vec k := match k with
  | O => fun _ _ => tt | S n => fun x s => ((fst x + fst s)%Z, vadd (snd x) (snd s)) end.
(* the largest |x_i|, and the sum of h(x_i) *)
Fixpoint farthest {k : nat} : vec k -> Z := match k with
  | O => fun _ => 0%Z | S n => fun x => Z.max (Z.abs (fst x)) (farthest (snd x)) end.
Fixpoint total_of_all {k : nat} (h : Z -> R) : vec k -> R := match k with
  | O => fun _ => 0 | S n => fun x => h (fst x) + total_of_all h (snd x) end.
(* the sum of f over all x with |x_i| <= r, and 1 at a point, 0 elsewhere *)
Fixpoint vsum {k : nat} (r : Z) : (vec k -> R) -> R := match k with
  | O => fun f => f tt
  | S n => fun f => wsum (- r) (Z.to_nat (2 * r + 1)) (fun i => vsum r (fun x => f (i, x))) end.
Fixpoint vpoint {k : nat} : vec k -> vec k -> R := match k with
  | O => fun _ _ => 1 | S n => fun y x => point (fst y) (fst x) * vpoint (snd y) (snd x) end.
Definition vlaw (k : nat) := law (vec k) (vec k) vadd (fun _ => True).
Definition has_vmasses {k} (X : vlaw k) (p : vec k -> R) := forall x, ex X (vpoint x) = p x.
Definition vdistribution {k : nat} (p : vec k -> R) :=
  (forall x, 0 <= p x) /\ (forall r, vsum r p <= 1) /\
  (forall e, 0 < e -> exists r, 1 - e <= vsum r p).

Inductive error := MeanAbsolute | MeanSquare | Largest.
Record joint := {
  j_epsilon : Z * Z; numbers : nat; width : Z; j_error : error;
  j_ratio : Z * Z; offset : Z; j_upper : Z * Z; j_lower : Z * Z }.
Definition error_of (e : error) {k : nat} (x : vec k) : R := match e with
  | MeanAbsolute => total_of_all (fun i => Rabs (IZR i)) x / INR k
  | MeanSquare => total_of_all (fun i => IZR i * IZR i) x / INR k
  | Largest => IZR (farthest x)
  end.
(* the least j >= 0 with |x_i| <= offset + j width for all i *)
Definition level (a D r : Z) : nat := Z.to_nat ((r - a + D - 1) / D).
Definition level_weight (f : joint) (x : vec (numbers f)) : R :=
  ratio (j_ratio f) ^ level (offset f) (width f) (farthest x).
Definition moves (f : joint) (s : vec (numbers f)) := (farthest s <= width f)%Z.

(* There is noise with probabilities in proportion to ratio^level; it is private, and its expected
   error is at most upper. *)
Definition joint_noise_claims (f : joint) := exists total, 0 < total /\
  let p := fun x => level_weight f x / total in
  vdistribution p /\ (exists X : vlaw (numbers f), has_vmasses X p) /\
  forall X : vlaw (numbers f), has_vmasses X p ->
    private X (ratio (j_epsilon f)) 0 (moves f) /\
    loss_at_most X (error_of (j_error f)) (ratio (j_upper f)).
(* Every law that is as private has an expected error of at least lower. *)
Definition joint_lower_claim (f : joint) := forall Y : vlaw (numbers f),
  private Y (ratio (j_epsilon f)) 0 (moves f) ->
  forall B, loss_at_most Y (error_of (j_error f)) B -> ratio (j_lower f) <= B.
Definition joint_claims (f : joint) := joint_noise_claims f /\ joint_lower_claim f.

(* ---- the check of the noise ---- *)
Open Scope Z_scope.
(* A polynomial of j by its differences at 0: the next row is that at 1. *)
Fixpoint next (d : list Z) : list Z := match d with [] => [] | x :: t => (x + hd 0 t) :: next t end.
(* times alpha + beta j *)
Fixpoint times_from (r prev alpha beta : Z) (d : list Z) : list Z := match d with
  | [] => [beta * r * prev]
  | x :: t => (alpha * x + beta * r * (x + prev)) :: times_from (r + 1) x alpha beta t end.
Definition times := times_from 0 0.
Fixpoint times_power (n : nat) (alpha beta : Z) (d : list Z) : list Z := match n with
  | O => d | S m => times alpha beta (times_power m alpha beta d) end.
Fixpoint plus (c d : list Z) : list Z := match c, d with
  | [], _ => d | _, [] => c | x :: s, y :: t => (x + y) :: plus s t end.
(* the sum over all j of the polynomial times (a/b)^j, as a fraction *)
Fixpoint series_of (a b : Z) (d : list Z) : Z * Z := match d with
  | [] => (0, 1) | x :: t => let '(n, c) := series_of a b t in (b * x * c + a * n, (b - a) * c) end.

(* points of the cube of level j: (2 (offset + j width) + 1)^k *)
Definition counts (f : joint) : list Z := times_power (numbers f) (2 * offset f + 1) (2 * width f) [1].
Fixpoint smaller (k : nat) (n : nat) : Z := match n with  (* sum of (2t + 1)^k over t < n *)
  | O => 0 | S m => smaller k m + (2 * Z.of_nat m + 1) ^ Z.of_nat k end.
Fixpoint rows (k : nat) (a D : Z) (n : nat) : list Z := match n with  (* of (2 (a + t + j D) + 1)^k over t < n *)
  | O => [] | S m => plus (rows k a D m) (times_power k (2 * (a + Z.of_nat m) + 1) (2 * D) [1]) end.
(* the sum of the error over that cube, and by how much it is too large *)
Definition errors (f : joint) : list Z * Z :=
  let a := offset f in let D := width f in match j_error f with
  | MeanAbsolute => (times a D (times (a + 1) D (times_power (pred (numbers f)) (2 * a + 1) (2 * D) [1])), 1)
  | MeanSquare => (times a D (times (a + 1) D (counts f)), 3)
  | Largest => (plus (times a D (counts f))
      (map Z.opp (smaller (numbers f) (Z.to_nat a) :: rows (numbers f) a D (Z.to_nat D))), 1)
  end.
Definition joint_noise_check (f : joint) : bool :=
  let '(a, b) := j_ratio f in let '(d, scale) := errors f in
  let '(n1, c1) := series_of a b (counts f) in let '(n2, c2) := series_of a b d in
  (0 <? Z.of_nat (numbers f)) && (0 <? width f) && (0 <=? offset f) && (0 <? a) && (a <? b) &&
  enclosure_ok (j_epsilon f) && (b * 2 ^ kept <=? a * fst (enclosure (j_epsilon f))) &&
  forallb (Z.leb 0) (counts f) && forallb (Z.leb 0) d && (0 <? snd (j_upper f)) &&
  (n2 * c1 * snd (j_upper f) <=? fst (j_upper f) * scale * n1 * c2).

(* ---- the check of the lower bound, for numbers that move by 1 ---- *)
(* A set of members 1..k is a list of booleans; rates belong to a member and a set that has it. *)
Record flow := { f_ratio : Z * Z; f_unit : Z * Z; f_rate : nat -> list bool -> Z }.
(* Sort |x| from the largest down: b is a member if entry b is above the next one.  In how many
   ways x can be reordered, with changes of signs, and stay the same: *)
Fixpoint run (B : list bool) : Z := match B with [] => 0 | b :: t => 1 + (if b then 0 else run t) end.
Fixpoint images (B : list bool) : Z := match B with
  | [] => 1 | b :: t => run B * (if existsb (fun c => c) B then 1 else 2) * images t end.
Fixpoint setb (i : nat) (B : list bool) : list bool := match B with
  | [] => [] | b :: t => match i with O => true :: t | S j => b :: setb j t end end.
(* the sum of the members before entry i; the first entry counts as b *)
Fixpoint members_before (b : Z) (B : list bool) (i : nat) : Z := match B, i with
  | c :: t, S j => (if c then b else 0) + members_before (b + 1) t j | _, _ => 0 end.
Fixpoint zupto (n : nat) (g : nat -> Z) : Z := match n with O => 0 | S m => zupto m g + g m end.
(* What is proven where B is the set: each member has its part of the mean error, and rates take
   mass from sets that have it and give it to those that lack it. *)
Definition set_value (own twice spent got : Z) (rate : nat -> list bool -> Z) (B : list bool) : Z :=
  zupto (length B) (fun i =>
    if nth i B false then Z.of_nat (S i) * own + twice * members_before 1 B i - spent * Z.max 0 (rate i B)
    else let C := setb i B in got * (images B / images C * Z.max 0 (rate i C))).
Fixpoint all_sets (k : nat) (test : list bool -> bool) : bool := match k with
  | O => test [] | S n => all_sets n (fun B => test (true :: B)) && all_sets n (fun B => test (false :: B)) end.
(* everything times (1 - q)^2 m d for q = a/m and rates in units of n/d *)
Definition rates_ok (f : joint) (w : flow) (a m : Z) : bool :=
  let '(n, d) := f_unit w in
  let own := m ^ 2 * d * match j_error f with MeanSquare => m + a | _ => m - a end in
  let twice := match j_error f with MeanSquare => 2 * m ^ 3 * d | _ => 0 end in
  let spent := (m - a) ^ 3 * n in let got := a * (m - a) ^ 2 * n in
  let wanted := fst (j_lower f) * (Z.of_nat (numbers f) * ((m - a) ^ 2 * m * d)) in
  (0 <=? n) && (0 <? d) &&
  all_sets (numbers f) (fun B => wanted <=? snd (j_lower f) * set_value own twice spent got (f_rate w) B).
(* For the largest error the noise q^level has the least mean. *)
Definition largest_ok (f : joint) (a m : Z) : bool :=
  let best := {| j_epsilon := j_epsilon f; numbers := numbers f; width := 1; j_error := Largest;
    j_ratio := (a, m); offset := 0; j_upper := j_upper f; j_lower := j_lower f |} in
  let d := fst (errors best) in
  let '(n1, c1) := series_of a m (counts best) in let '(n2, c2) := series_of a m d in
  forallb (Z.leb 0) (counts best) && forallb (Z.leb 0) d &&
  (fst (j_lower f) * n1 * c2 <=? snd (j_lower f) * n2 * c1).
Definition joint_lower_check (f : joint) (w : flow) : bool :=
  let '(a, m) := f_ratio w in
  (0 <? snd (j_lower f)) && ((fst (j_lower f) <=? 0) ||
    (width f =? 1) && (0 <? a) && (a <? m) && enclosure_ok (j_epsilon f) &&
    (a * snd (enclosure (j_epsilon f)) <=? m * 2 ^ kept) &&
    match j_error f with Largest => largest_ok f a m | _ => rates_ok f w a m end).
Definition joint_check (f : joint) (w : flow) : bool := joint_noise_check f && joint_lower_check f w.

(* Rates as a file has them, by rank, the member above, the member and the one below.  Any other
   rates would prove no less. *)
Fixpoint member_above (b : Z) (B : list bool) (k : Z) : Z := match B with
  | [] => k + 1 | c :: t => if c then b else member_above (b + 1) t k end.
Fixpoint member_below (b : Z) (B : list bool) (i : nat) (last : Z) : Z := match B, i with
  | c :: t, S j => member_below (b + 1) t j (if c then b else last) | _, _ => last end.
Definition place (k rank above b below : Z) : positive :=
  Z.to_pos (1 + ((rank * (k + 2) + above) * (k + 2) + b) * (k + 2) + below).
Definition rates_of (k : Z) (ranked : bool) (listed : list (Z * Z * Z * Z * Z)) : nat -> list bool -> Z :=
  let table := fold_left (fun t r => let '(rank, above, b, below, count) := r in
    PositiveMap.add (place k rank above b below) count t) listed (PositiveMap.empty Z) in
  fun i B => let b := Z.of_nat (S i) in let after := skipn (S i) B in
    let rank := if ranked then 1 + Z.of_nat (length (filter (fun c => c) after)) else 0 in
    match PositiveMap.find (place k rank (member_above (b + 1) after k) b (member_below 1 B i 0)) table with
    | Some count => count | None => 0 end.
