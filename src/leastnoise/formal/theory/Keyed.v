(* Unknown keys: what is proven about a file of kind "keyed", its check, and the theorem. *)
Require Import Reals ZArith List Bool Lra Lia.
Require Import Formal.Statements Formal.Exp Formal.Laws Formal.Masses Formal.Lists Formal.Pieces Formal.Losses.
Import ListNotations.
Open Scope Z_scope.

(* ---- what is claimed: definitions, to be read like Statements.v ---- *)
Record keyed := {
  k_epsilon : Z * Z; k_delta : Z * Z; k_loss : loss; k_denominator : Z;
  shown : list Z; tails : list Z;  (* "shown" and "beyond" of the file *)
  excess : Z * Z; k_upper : Z * Z; k_lower : Z * Z }.
Section Meaning.
Variable k : keyed.
Notation D := (k_denominator k).
Definition least_value : Z := Z.of_nat (length (tails k)).
Definition show (n : Z) : Z :=
  if n <=? 0 then 0 else if n <=? Z.of_nat (length (shown k)) then at_index (shown k) (n - 1) else D.
(* D times the probability that the noise is j or more *)
Definition above (j : Z) : Z := if 1 <=? j then at_index (tails k) (j - 1) else D - at_index (tails k) (- j).
Definition noise_weight (i : Z) : Z := above i - above (i + 1).
(* D times the probability of an output for a key of n units: not shown, or shown with a value *)
Definition weight (n : Z) (o : option Z) : Z := match o with
  | None => D - show n
  | Some v => if n <=? 0 then 0 else if v =? least_value then show n - above (least_value + 1 - n)
              else if least_value <? v then noise_weight (v - n) else 0
  end.
(* values are from least_value to least_value + n *)
Definition average_of (n : Z) (A : option Z -> R) : R :=
  ((IZR (weight n None) * A None
    + wsum least_value (S (Z.to_nat n)) (fun v => IZR (weight n (Some v)) * A (Some v))) / IZR D)%R.
End Meaning.

(* Any mechanism: probabilities of events for 0, 1, 2, ... units, private between neighbours. *)
Record mechanism (O : Type) (eps delta : R) := {
  prob : nat -> (O -> Prop) -> R;
  prob_unit : forall n A, (0 <= prob n A <= 1)%R;
  prob_not : forall n A, (prob n (fun o => ~ A o) = 1 - prob n A)%R;
  prob_up : forall n A, (prob (S n) A <= exp eps * prob n A + delta)%R;
  prob_down : forall n A, (prob n A <= exp eps * prob (S n) A + delta)%R }.
Arguments prob {O eps delta}.

Open Scope R_scope.
Definition keyed_claims (k : keyed) :=
  let eps := ratio (k_epsilon k) in let delta := ratio (k_delta k) in let D := IZR (k_denominator k) in
  (* distribution *)
  (forall n o, (0 <= n)%Z -> (0 <= weight k n o)%Z) /\ (forall n, (0 <= n)%Z -> average_of k n (fun _ => 1) = 1) /\
  (* privacy *)
  (forall n A, (0 <= n)%Z -> (forall o, A o = 0 \/ A o = 1) ->
     average_of k n A <= exp eps * average_of k (n + 1) A + delta /\
     average_of k (n + 1) A <= exp eps * average_of k n A + delta) /\
  (* shown: nothing as private that never shows a key of nobody shows one of n units more often *)
  (forall O (M : mechanism O eps delta) A, prob M 0%nat A = 0 -> forall n, (1 <= n)%nat ->
     prob M n A <= (1 + ratio (excess k)) * (IZR (show k (Z.of_nat n)) / D)) /\
  (* upper: a key of least_value units or more, where it is shown *)
  (forall n, (least_value k <= n)%Z ->
     wsum (least_value k) (S (Z.to_nat n)) (fun v => IZR (weight k n (Some v)) * cost (k_loss k) (IZR (v - n))) / D <= ratio (k_upper k)) /\
  (* lower: no whole noise as private costs less *)
  (forall Y : zlaw, private Y eps delta (fun s => (Z.abs s <= 1)%Z) ->
     forall B, loss_at_most Y (fun i => cost (k_loss k) (IZR i)) B -> ratio (k_lower k) <= B).
Open Scope Z_scope.

(* ---- the check ---- *)
Fixpoint falling (ws : list Z) (last : Z) : bool := match ws with
  | [] => true | w :: t => if (0 <=? w) && (w <=? last) then falling t w else false end.
Fixpoint rises_to (top : Z) (ws : list Z) (last : Z) : bool := match ws with
  | [] => last =? top | w :: t => if last <=? w then rises_to top t w else false end.
Fixpoint all_to (f : Z -> bool) (n : Z) (count : nat) : bool := match count with
  | O => true | S c => if f n then all_to f (n + 1) c else false end.
Definition chain_ok (k : keyed) : bool :=
  (0 <? k_denominator k) && (1 <=? least_value k) && falling (tails k) (k_denominator k) && (2 * at_index (tails k) 0 <=? k_denominator k)
  && rises_to (k_denominator k) (shown k) 0
  && all_to (fun n => above k (least_value k + 1 - n) <=? show k n) 1 (length (shown k)).
Fixpoint zsum (lo : Z) (n : nat) (f : Z -> Z) (acc : Z) : Z := match n with
  | O => acc | S m => zsum (lo + 1) m f (acc + f lo) end.
Definition stick (k : keyed) (U low n m : Z) : Z :=
  zsum (least_value k) (Z.to_nat (Z.max n m) + 1) (fun v => Z.max 0 (U * weight k n (Some v) - low * weight k m (Some v)))
    (Z.max 0 (U * weight k n None - low * weight k m None)).
Definition last_pair (k : keyed) : Z := Z.max (Z.of_nat (length (shown k))) (2 * least_value k + 1).
Definition pairs_ok (k : keyed) : bool :=
  let low := fst (enclosure (k_epsilon k)) in let U := 2 ^ kept in
  let fits := fun s => s * snd (k_delta k) <=? fst (k_delta k) * k_denominator k * U in
  enclosure_ok (k_epsilon k) && (0 <=? low) && (0 <? snd (k_delta k)) && (0 <=? fst (k_delta k)) &&
  all_to (fun n => fits (stick k U low n (n + 1)) && fits (stick k U low (n + 1) n)) 0 (Z.to_nat (last_pair k + 1)).
(* c(n), in units of 1/V, rounded up; high/U is at least e^eps *)
Definition best_step (V U high dn dd last : Z) : Z :=
  let d := - (- (dn * V) / dd) in
  Z.min V (Z.min (- (- (high * last) / U) + d) (V - (V - d - last) * U / high)).
Fixpoint shown_ok (V U high dn dd : Z) (D en ed : Z) (ws : list Z) (last : Z) : bool := match ws with
  | [] => true
  | w :: t => let c := best_step V U high dn dd last in
      if c * D * ed <=? (ed + en) * w * V then shown_ok V U high dn dd D en ed t c else false
  end.
Definition precision := 2 ^ 320.
Definition most_ok (k : keyed) : bool :=
  let high := snd (enclosure (k_epsilon k)) in
  (0 <? high) && (0 <? snd (excess k)) && (0 <=? fst (excess k)) && (fst (k_delta k) <=? snd (k_delta k)) &&
  shown_ok precision (2 ^ kept) high (fst (k_delta k)) (snd (k_delta k)) (k_denominator k) (fst (excess k)) (snd (excess k)) (shown k) 0.
(* t(1), t(2), ..., in units of 1/V, rounded down: while above 0, so many at most *)
Fixpoint least_tails (V U high d : Z) (count : nat) (t : Z) : list Z := match count with
  | O => []
  | S c => if 0 <? t then t :: least_tails V U high d c ((t - d) * U / high) else []
  end.
(* 2 * sum of (m(j+1) - m(j)) t(j+1), where the loss of j or more, on either side, is at least m(j) *)
Fixpoint tail_gains (m : Z -> Z) (j : Z) (ts : list Z) (acc : Z) : Z := match ts with
  | [] => acc | t :: rest => tail_gains m (j + 1) rest (acc + 2 * (m (j + 1) - m j) * t) end.
Fixpoint steps_up (m : Z -> Z) (j : Z) (count : nat) : bool := match count with
  | O => true | S c => if m j <=? m (j + 1) then steps_up m (j + 1) c else false end.
Definition lowest_ok (k : keyed) : bool :=
  let l := pieces (k_loss k) in let s := scaled_to l (1, 1) in let G := per s in
  let V := precision in let U := 2 ^ kept in let high := snd (enclosure (k_epsilon k)) in
  let d := - (- (fst (k_delta k) * V) / snd (k_delta k)) in
  let ts := least_tails V U high d (Z.to_nat 20000) ((V - d) * U / (U + high)) in
  let m := fun j => Z.min (far_left (parts s) (- j * G)) (far_right (parts s) (j * G)) in
  loss_ok (k_loss k) && scaled_ok l (1, 1) s && (0 <? snd (k_lower k)) && (0 <? high) && steps_up m 0 (length ts) &&
  (fst (k_lower k) * divisor s * V <=? tail_gains m 0 ts (m 0 * V) * snd (k_lower k)).
Definition highest_ok (k : keyed) : bool :=
  let l := pieces (k_loss k) in let s := scaled_to l (1, 1) in let G := per s in let T := least_value k in
  steps_up (fun j => zvalues (parts s) (- j * G)) 0 (length (tails k)) && (0 <? snd (k_upper k)) &&
  (zsum (- T) (Z.to_nat (2 * T + 1)) (fun i => noise_weight k i * zvalues (parts s) (i * G)) 0 * snd (k_upper k)
     <=? fst (k_upper k) * k_denominator k * divisor s).
Definition keyed_check (k : keyed) : bool := chain_ok k && pairs_ok k && most_ok k && highest_ok k && lowest_ok k.
