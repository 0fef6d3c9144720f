(* Costs of noise at grid points: quadratics that change at finitely many points, with closed running
   sums, and those of the pieces of a loss. *)
Require Import Reals ZArith List Bool Lra Lia.
Require Import Formal.Statements Formal.Pieces.
Import ListNotations.
Open Scope Z_scope.

(* a j^2 + b j + c, and from each place i on another a m^2 + b m + c, m = j - i, is added *)
Record quad := Quad { qa : Z; qb : Z; qc : Z }.
Record costs := { base : quad; turns : list (Z * quad) }.
Definition at_quad (q : quad) (m : Z) : Z := qa q * m * m + qb q * m + qc q.
(* six times the sum over 0, ..., m - 1; less that over m, ..., -1 *)
Definition sum_quad (q : quad) (m : Z) : Z := qa q * ((m - 1) * m * (2 * m - 1)) + 3 * qb q * ((m - 1) * m) + 6 * qc q * m.
Fixpoint at_turns (ts : list (Z * quad)) (j : Z) : Z := match ts with
  | [] => 0 | (i, q) :: rest => (if i <=? j then at_quad q (j - i) else 0) + at_turns rest j end.
Fixpoint sum_turns (ts : list (Z * quad)) (j : Z) : Z := match ts with
  | [] => 0 | (i, q) :: rest => (if i <=? j then sum_quad q (j - i) else 0) + sum_turns rest j end.
Definition at_point (k : costs) (j : Z) : Z := at_quad (base k) j + at_turns (turns k) j.
Definition running (k : costs) (j : Z) : Z := sum_quad (base k) j + sum_turns (turns k) j.

Lemma sum_quad_step q m : sum_quad q (m + 1) - sum_quad q m = 6 * at_quad q m.
Proof. unfold sum_quad, at_quad. ring. Qed.
Lemma running_step k j : running k (j + 1) - running k j = 6 * at_point k j.
Proof.
  unfold running, at_point. pose proof (sum_quad_step (base k) j) as B.
  assert (T : sum_turns (turns k) (j + 1) - sum_turns (turns k) j = 6 * at_turns (turns k) j).
  { induction (turns k) as [|[i q] ts IH]; cbn [sum_turns at_turns]; [lia|]. destruct (Z.leb_spec i (j + 1)), (Z.leb_spec i j); try lia.
    - pose proof (sum_quad_step q (j - i)). replace (j + 1 - i) with (j - i + 1) by lia. lia.
    - replace (j + 1 - i) with 0 by lia. unfold sum_quad. lia. }
  lia.
Qed.
Definition running_half (k : costs) (h : Z) : Z := running k ((h + 1) / 2) + running k (h / 2 + 1).
Lemma running_half_step k h : 6 * at_point k ((h + 1) / 2) = running_half k (h + 1) - running_half k h.
Proof.
  unfold running_half. replace (h + 1 + 1) with (h + 1 * 2) by lia. rewrite Z.div_add by lia.
  pose proof (running_step k ((h + 1) / 2)). lia.
Qed.
(* a whole cell of r grid points, r odd *)
Definition cell_cost (k : costs) (r c : Z) : Z := running_half k ((2 * c + 1) * r) - running_half k ((2 * c - 1) * r).
Lemma cell_cost_ends q k c : 0 <= k ->
  cell_cost q (2 * k + 1) c = 2 * (running q (c * (2 * k + 1) + k + 1) - running q (c * (2 * k + 1) - k)).
Proof.
  intros. unfold cell_cost, running_half. set (r := 2 * k + 1).
  replace (((2 * c + 1) * r + 1) / 2) with (c * r + k + 1).
  2:{ replace ((2 * c + 1) * r + 1) with ((c * r + k + 1) * 2) by (unfold r; ring). rewrite Z.div_mul; lia. }
  replace ((2 * c + 1) * r / 2) with (c * r + k).
  2:{ replace ((2 * c + 1) * r) with (1 + (c * r + k) * 2) by (unfold r; ring). rewrite Z.div_add by lia. reflexivity. }
  replace (((2 * c - 1) * r + 1) / 2) with (c * r - k).
  2:{ replace ((2 * c - 1) * r + 1) with ((c * r - k) * 2) by (unfold r; ring). rewrite Z.div_mul; lia. }
  replace ((2 * c - 1) * r / 2) with (c * r - k - 1).
  2:{ replace ((2 * c - 1) * r) with (1 + (c * r - k - 1) * 2) by (unfold r; ring). rewrite Z.div_add by lia. reflexivity. }
  replace (c * r - k - 1 + 1) with (c * r - k) by lia. lia.
Qed.
Definition never_negative (k : costs) := forall j, 0 <= at_point k j.
Lemma running_half_mono k h n : never_negative k -> running_half k h <= running_half k (h + Z.of_nat n).
Proof.
  intros Hk. induction n; [replace (h + Z.of_nat 0) with h by lia; lia|].
  replace (h + Z.of_nat (S n)) with (h + Z.of_nat n + 1) by lia.
  pose proof (running_half_step k (h + Z.of_nat n)). pose proof (Hk ((h + Z.of_nat n + 1) / 2)). lia.
Qed.
Lemma cell_cost_nonneg k r c : never_negative k -> 0 <= r -> 0 <= cell_cost k r c.
Proof.
  intros Hk Hr. unfold cell_cost. replace ((2 * c + 1) * r) with ((2 * c - 1) * r + Z.of_nat (Z.to_nat (2 * r))) by (rewrite Z2Nat.id; lia).
  pose proof (running_half_mono k ((2 * c - 1) * r) (Z.to_nat (2 * r)) Hk). lia.
Qed.

(* ---- far out: one quadratic beyond the last turn, the base before the first ---- *)
Definition settled (ts : list (Z * quad)) (j : Z) : bool := forallb (fun t => fst t <=? j) ts.
Definition not_begun (ts : list (Z * quad)) (j : Z) : bool := forallb (fun t => j <? fst t) ts.
Definition moved_quad (i : Z) (q : quad) : quad := Quad (qa q) (qb q - 2 * qa q * i) (qa q * i * i - qb q * i + qc q).
Definition add_quad (p q : quad) : quad := Quad (qa p + qa q) (qb p + qb q) (qc p + qc q).
Fixpoint outer (ts : list (Z * quad)) (acc : quad) : quad := match ts with
  | [] => acc | (i, q) :: rest => outer rest (add_quad (moved_quad i q) acc) end.
(* the cost of cell c of r points where the cost is a quadratic *)
Definition cell_quad (q : quad) (r : Z) : quad :=
  Quad (12 * qa q * (r * r * r)) (12 * qb q * (r * r)) (qa q * (r * (r * r - 1)) + 12 * qc q * r).

Lemma at_moved i q j : at_quad (moved_quad i q) j = at_quad q (j - i).
Proof. unfold at_quad, moved_quad; cbn [qa qb qc]. ring. Qed.
Lemma at_added p q j : at_quad (add_quad p q) j = at_quad p j + at_quad q j.
Proof. unfold at_quad, add_quad; cbn [qa qb qc]. ring. Qed.
Lemma at_settled k j : settled (turns k) j = true -> at_point k j = at_quad (outer (turns k) (base k)) j.
Proof.
  unfold at_point. generalize (base k). induction (turns k) as [|[i q] ts IH]; intros b H; simpl in *; [lia|].
  rewrite andb_true_iff in H. destruct H as [H1 H2]. rewrite H1, <- IH by auto. rewrite at_added, at_moved. lia.
Qed.
Lemma at_not_begun k j : not_begun (turns k) j = true -> at_point k j = at_quad (base k) j.
Proof.
  unfold at_point. induction (turns k) as [|[i q] ts IH]; intros H; simpl in *; [lia|].
  rewrite andb_true_iff, Z.ltb_lt in H. destruct H as [H1 H2]. specialize (IH H2). destruct (Z.leb_spec i j); lia.
Qed.
Lemma running_same k q x n : (forall j, x <= j < x + Z.of_nat n -> at_point k j = at_quad q j) ->
  running k (x + Z.of_nat n) - running k x = sum_quad q (x + Z.of_nat n) - sum_quad q x.
Proof.
  induction n; intros H; [rewrite Z.add_0_r; lia|]. specialize (IHn ltac:(intros; apply H; lia)).
  replace (x + Z.of_nat (S n)) with (x + Z.of_nat n + 1) by lia.
  pose proof (running_step k (x + Z.of_nat n)). pose proof (sum_quad_step q (x + Z.of_nat n)). rewrite H in H0 by lia. lia.
Qed.
Lemma cell_cost_quad k q m c : 0 <= m -> (forall j, c * (2 * m + 1) - m <= j <= c * (2 * m + 1) + m -> at_point k j = at_quad q j) ->
  cell_cost k (2 * m + 1) c = at_quad (cell_quad q (2 * m + 1)) c.
Proof.
  intros Hm H. rewrite cell_cost_ends by auto. set (x := c * (2 * m + 1) - m).
  replace (c * (2 * m + 1) + m + 1) with (x + Z.of_nat (Z.to_nat (2 * m + 1))) by (unfold x; lia).
  rewrite (running_same k q) by (intros; apply H; unfold x in *; lia). rewrite Z2Nat.id by lia.
  unfold sum_quad, at_quad, cell_quad, x; cbn [qa qb qc]. ring.
Qed.

(* ---- the costs of pieces ---- *)
Section Grid.
Variable G : Z.
Hypothesis HG : 0 < G.
Definition ceil (t : Z) : Z := - (- t / G).
Definition turn (t : Z) (f : Z -> quad) : Z * quad := let i := ceil t in (i, f (i * G - t)).
Definition ramp_turn (a t : Z) := turn t (fun d => Quad 0 (a * G) (a * d)).
Definition bowl_turn (a t : Z) := turn t (fun d => Quad (a * (G * G)) (2 * a * G * d) (a * d * d)).
Definition piece_costs (p : piece Z) : costs := match p with
  | Line a b => {| base := Quad 0 (a * G) b; turns := [] |}
  | Square a => {| base := Quad (a * (G * G)) 0 0; turns := [] |}
  | Ramp a t => {| base := Quad 0 0 0; turns := [ramp_turn a t] |}
  | Bowl a w => {| base := Quad 0 (- 2 * a * w * G) (- a * w * w); turns := [bowl_turn a (- w); bowl_turn (- a) w] |}
  end.
Definition add_costs (k l : costs) : costs := {| base := add_quad (base k) (base l); turns := turns k ++ turns l |}.
Definition scale_quad (c : Z) (q : quad) := Quad (c * qa q) (c * qb q) (c * qc q).
Definition scale_costs (c : Z) (k : costs) : costs :=
  {| base := scale_quad c (base k); turns := map (fun t => (fst t, scale_quad c (snd t))) (turns k) |}.
(* the cost that point j - i has *)
Definition move_costs (i : Z) (k : costs) : costs :=
  {| base := moved_quad i (base k); turns := map (fun t => (fst t + i, snd t)) (turns k) |}.
Definition smooth_costs (k : costs) : costs := add_costs (scale_costs 2 k) (add_costs (move_costs 1 k) (move_costs (-1) k)).
Definition release_of (p : piece Z) : costs := let k := piece_costs p in match p with
  | Line _ _ => scale_costs 4 k
  | Square a => add_costs (scale_costs 4 k) {| base := Quad 0 0 (a * (G * G)); turns := [] |}
  | Ramp a _ => if 0 <=? a then smooth_costs k else scale_costs 4 k
  | Bowl _ _ => smooth_costs k
  end.
Definition nothing : costs := {| base := Quad 0 0 0; turns := [] |}.
Fixpoint whole_costs (ps : list (piece Z)) : costs := match ps with
  | [] => nothing | p :: rest => add_costs (piece_costs p) (whole_costs rest) end.
Fixpoint release_costs (ps : list (piece Z)) : costs := match ps with
  | [] => nothing | p :: rest => add_costs (release_of p) (release_costs rest) end.

Lemma at_add k l j : at_point (add_costs k l) j = at_point k j + at_point l j.
Proof.
  unfold at_point, add_costs; cbn [base turns]. rewrite at_added.
  assert (at_turns (turns k ++ turns l) j = at_turns (turns k) j + at_turns (turns l) j); [|lia].
  induction (turns k) as [|[i q] ts IH]; simpl; [lia|]. rewrite IH. lia.
Qed.
Lemma at_scale_quad c q m : at_quad (scale_quad c q) m = c * at_quad q m.
Proof. unfold at_quad, scale_quad; cbn [qa qb qc]. ring. Qed.
Lemma at_scale c k j : at_point (scale_costs c k) j = c * at_point k j.
Proof.
  unfold at_point, scale_costs; cbn [base turns]. rewrite at_scale_quad.
  assert (at_turns (map (fun t => (fst t, scale_quad c (snd t))) (turns k)) j = c * at_turns (turns k) j); [|lia].
  induction (turns k) as [|[i q] ts IH]; simpl; [lia|]. rewrite IH, at_scale_quad. destruct (i <=? j); lia.
Qed.
Lemma at_move i k j : at_point (move_costs i k) j = at_point k (j - i).
Proof.
  unfold at_point, move_costs; cbn [base turns]. rewrite at_moved.
  assert (at_turns (map (fun t => (fst t + i, snd t)) (turns k)) j = at_turns (turns k) (j - i)); [|lia].
  induction (turns k) as [|[i' q] ts IH]; simpl; [lia|]. rewrite IH.
  destruct (Z.leb_spec (i' + i) j), (Z.leb_spec i' (j - i)); try lia. replace (j - (i' + i)) with (j - i - i') by lia. lia.
Qed.
Lemma ceil_spec t j : ceil t <= j <-> t <= j * G.
Proof.
  unfold ceil. pose proof (Z.div_mod (- t) G ltac:(lia)) as K. pose proof (Z.mod_pos_bound (- t) G HG) as B.
  set (d := - t / G) in *. split; intros H; nia.
Qed.
Lemma at_turn t f j : at_turns [turn t f] j = if t <=? j * G then at_quad (f (ceil t * G - t)) (j - ceil t) else 0.
Proof.
  unfold turn. simpl. rewrite Z.add_0_r. destruct (Z.leb_spec (ceil t) j) as [H|H], (Z.leb_spec t (j * G)) as [K|K]; auto.
  - apply ceil_spec in H. lia.
  - apply ceil_spec in K. lia.
Qed.
Lemma at_ramp a t j : at_turns [ramp_turn a t] j = a * zup (j * G - t).
Proof.
  unfold ramp_turn. rewrite at_turn. unfold zup. destruct (Z.leb_spec t (j * G)).
  - rewrite Z.max_r by lia. unfold at_quad; cbn [qa qb qc]. ring.
  - rewrite Z.max_l by lia. ring.
Qed.
Lemma at_bowl a t j : at_turns [bowl_turn a t] j = a * (zup (j * G - t) * zup (j * G - t)).
Proof.
  unfold bowl_turn. rewrite at_turn. unfold zup. destruct (Z.leb_spec t (j * G)).
  - rewrite Z.max_r by lia. unfold at_quad; cbn [qa qb qc]. ring.
  - rewrite Z.max_l by lia. ring.
Qed.
Lemma at_piece p j : at_point (piece_costs p) j = zvalue p (j * G).
Proof.
  destruct p as [a b|a|a t|a w]; unfold at_point, piece_costs, zvalue; cbn [base turns].
  - unfold at_quad; cbn [qa qb qc at_turns]. ring.
  - unfold at_quad; cbn [qa qb qc at_turns]. ring.
  - rewrite at_ramp. unfold at_quad; cbn [qa qb qc]. ring.
  - replace (at_turns [bowl_turn a (- w); bowl_turn (- a) w] j) with (at_turns [bowl_turn a (- w)] j + at_turns [bowl_turn (- a) w] j) by (simpl; lia).
    rewrite !at_bowl. unfold at_quad, zup; cbn [qa qb qc]. set (x := j * G).
    destruct (Z_le_gt_dec 0 (x + w)).
    + replace (x - - w) with (x + w) by lia. rewrite (Z.max_r 0 (x + w)) by lia. rewrite (Z.max_l 0 (- x - w)) by lia. unfold x. ring.
    + replace (x - - w) with (x + w) by lia. rewrite (Z.max_l 0 (x + w)) by lia. rewrite (Z.max_r 0 (- x - w)) by lia. unfold x. ring.
Qed.
Lemma at_whole ps j : at_point (whole_costs ps) j = zvalues ps (j * G).
Proof. induction ps; [reflexivity|]. cbn [whole_costs zvalues]. rewrite at_add, at_piece, IHps. reflexivity. Qed.
Lemma at_piece_release p j : at_point (release_of p) j = release G p j.
Proof.
  assert (S : at_point (smooth_costs (piece_costs p)) j = smooth G p j).
  { unfold smooth_costs, smooth. rewrite !at_add, at_scale, !at_move, !at_piece. replace (j - -1) with (j + 1) by lia. lia. }
  unfold release_of, release. destruct p as [a b|a|a t|a w]; [| |destruct (0 <=? a)|]; auto; rewrite ?at_add, at_scale, at_piece; auto.
  unfold at_point at 1. simpl. unfold at_quad; cbn [qa qb qc]. lia.
Qed.
Lemma at_release ps j : at_point (release_costs ps) j = releases G ps j.
Proof. induction ps; [reflexivity|]. cbn [release_costs releases]. rewrite at_add, at_piece_release, IHps. reflexivity. Qed.
End Grid.
