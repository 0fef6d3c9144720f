(* Costs of the losses in whole numbers: at whole numbers, of noise on a grid whatever the value
   that is released, and their minorants on a lattice. *)
Require Import Reals ZArith List Bool Lra Lia.
Require Import Formal.Statements Formal.Lower.
Open Scope R_scope.

Definition loss_ok (l : loss) : bool := match l with
  | Pinball tn td => (0 <? tn)%Z && (tn <? td)%Z | _ => true end.
Definition zcost (l : loss) (i : Z) : Z := match l with
  | L1 => Z.abs i | L2 => i * i
  | Pinball tn td => if 0 <=? i then tn * i else (td - tn) * - i end%Z.
Definition zden (l : loss) : Z := match l with Pinball tn td => td | _ => 1 end.
Lemma zden_pos l : loss_ok l = true -> (0 < zden l)%Z.
Proof. destruct l; simpl; lia. Qed.
Lemma tau_ok tn td : loss_ok (Pinball tn td) = true -> (0 < tn < td)%Z /\ 0 < IZR tn < IZR td.
Proof.
  simpl. rewrite andb_true_iff, !Z.ltb_lt. intros [A B]. split; auto. split; apply IZR_lt; auto.
Qed.
Lemma pin_right tn td x : 0 <= x -> cost (Pinball tn td) x = IZR tn / IZR td * x.
Proof. intros. simpl. destruct Rle_dec; lra. Qed.
Lemma pin_left tn td x : x <= 0 -> cost (Pinball tn td) x = (1 - IZR tn / IZR td) * - x.
Proof. intros. simpl. destruct Rle_dec; auto. replace x with 0 by lra. ring. Qed.
Lemma zcost_cost l i : loss_ok l = true -> IZR (zcost l i) / IZR (zden l) = cost l (IZR i).
Proof.
  intros H. destruct l.
  - simpl. rewrite abs_IZR. field.
  - simpl. rewrite mult_IZR. field.
  - destruct (tau_ok _ _ H) as [_ Ht]. unfold zcost, zden. destruct (Z.leb_spec 0 i).
    + rewrite pin_right by (apply (IZR_le 0); auto). rewrite mult_IZR. field. lra.
    + rewrite pin_left by (apply (IZR_le i 0); lia). rewrite mult_IZR, minus_IZR, opp_IZR. field. lra.
Qed.
Lemma zcost_outwards l : loss_ok l = true -> outwards (zcost l).
Proof.
  intros Hl i j H. destruct l; simpl; try nia. destruct (tau_ok _ _ Hl) as [Ht _].
  destruct (Z.leb_spec 0 i), (Z.leb_spec 0 j), (Z.leb_spec 0 (- i)), (Z.leb_spec 0 (- j)); nia.
Qed.

(* Noise on a grid of step bn/(bd r); minorants on a lattice of step bn/bd *)
Definition pcost (l : loss) (j : Z) : Z := match l with
  | L1 => match j with Z0 => 1 | _ => 2 * Z.abs j end
  | L2 => 4 * (j * j) + 1
  | Pinball tn td => match j with Z0 => td | _ => 4 * zcost l j end end.
Definition pnum l bn := match l with L2 => (bn * bn)%Z | _ => bn end.
Definition pden l bd r := match l with L1 => (2 * (bd * r))%Z | L2 => (4 * ((bd * r) * (bd * r)))%Z
  | Pinball tn td => (4 * (td * (bd * r)))%Z end.
Lemma pcost_ok l j u bn bd r g : loss_ok l = true -> (0 < bn)%Z -> (0 < bd)%Z -> (0 < r)%Z -> g = IZR bn / IZR (bd * r) -> 0 <= u < 1 ->
  (1 - u) * cost l ((IZR j - u) * g) + u * cost l ((IZR j + 1 - u) * g)
    <= IZR (pcost l j) * (IZR (pnum l bn) / IZR (pden l bd r)).
Proof.
  intros Hl Hbn Hbd Hr -> Hu.
  assert (Hbr : (0 < bd * r)%Z) by nia. set (y := (bd * r)%Z) in *.
  apply IZR_lt in Hbn, Hbr. set (g := IZR bn / IZR y).
  assert (Hg : 0 < g) by (apply Rmult_lt_0_compat; auto; apply Rinv_0_lt_compat; auto).
  destruct l; [unfold cost, pnum, pden, pcost; fold y ..|].
  - rewrite !Rabs_mult, (Rabs_right g) by lra.
    replace (IZR bn / IZR (2 * y)) with (g / 2) by (unfold g; rewrite mult_IZR; field; lra).
    destruct (Z.eq_dec j 0) as [->|Hj].
    + rewrite (Rabs_left1 (0 - u)), (Rabs_right (0 + 1 - u)) by lra.
      assert (0 <= (1 - 2 * u) * (1 - 2 * u)) by (apply Rle_0_sqr).
      assert (2 * u * (1 - u) <= 1 / 2) by lra.
      apply Rmult_le_compat_r with (r := g) in H0; [|lra]. lra.
    + assert (Hp : (match j with 0 => 1 | _ => 2 * Z.abs j end = 2 * Z.abs j)%Z) by (destruct j; auto; lia).
      rewrite Hp, mult_IZR, abs_IZR. destruct (Z_lt_ge_dec j 0).
      * assert (IZR j <= -1) by (apply (IZR_le j (-1)); lia).
        rewrite (Rabs_left1 (IZR j - u)), (Rabs_left1 (IZR j + 1 - u)), (Rabs_left1 (IZR j)) by lra. lra.
      * assert (1 <= IZR j) by (apply (IZR_le 1 j); lia).
        rewrite (Rabs_right (IZR j - u)), (Rabs_right (IZR j + 1 - u)), (Rabs_right (IZR j)) by lra. lra.
  - replace (IZR (bn * bn) / IZR (4 * (y * y))) with (g * g / 4) by (unfold g; rewrite !mult_IZR; field; lra).
    rewrite plus_IZR, !mult_IZR.
    assert (0 <= (1 - 2 * u) * (1 - 2 * u)) by (apply Rle_0_sqr).
    assert (0 <= g * g) by (apply Rle_0_sqr).
    assert (0 <= g * g * ((1 - 2 * u) * (1 - 2 * u))) by (apply Rmult_le_pos; auto). lra.
  - unfold pnum, pden. fold y. destruct (tau_ok _ _ Hl) as [_ Ht].
    assert (Hc : IZR bn / IZR (4 * (td * y)) = g / (4 * IZR td)) by (unfold g; rewrite !mult_IZR; field; lra).
    rewrite Hc. destruct (Z.eq_dec j 0) as [->|Hj].
    + rewrite pin_left by (apply Rmult_le_reg_r with (/ g); [apply Rinv_0_lt_compat; auto|]; rewrite Rmult_assoc, Rinv_r; lra).
      rewrite pin_right by (apply Rmult_le_pos; lra). unfold pcost.
      replace (IZR td * (g / (4 * IZR td))) with (g * (1 / 4)) by (field; lra).
      assert (0 <= (1 - 2 * u) * (1 - 2 * u)) by (apply Rle_0_sqr).
      assert (K : u * (1 - u) <= 1 / 4) by lra.
      apply Rmult_le_compat_l with (r := g) in K; [|lra]. eapply Rle_trans; [|exact K]. right. ring.
    + assert (Hp : pcost (Pinball tn td) j = (4 * zcost (Pinball tn td) j)%Z) by (destruct j; auto; lia).
      rewrite Hp, mult_IZR.
      replace (4 * IZR (zcost (Pinball tn td) j) * (g / (4 * IZR td))) with
        (g * (IZR (zcost (Pinball tn td) j) / IZR (zden (Pinball tn td)))) by (simpl zden; field; lra).
      rewrite zcost_cost by auto. destruct (Z_lt_ge_dec j 0).
      * assert (IZR j <= -1) by (apply (IZR_le j (-1)); lia).
        assert (forall t, t <= 0 -> t * g <= 0).
        { intros t H0. rewrite <- (Rmult_0_l g). apply Rmult_le_compat_r; lra. }
        rewrite !pin_left by (try (apply H0); lra). right. ring.
      * assert (1 <= IZR j) by (apply (IZR_le 1 j); lia).
        rewrite !pin_right by (try apply Rmult_le_pos; lra). right. ring.
Qed.

Definition knum (l : loss) (bn i : Z) : Z := match l with
  | L2 => (4 * (i * i) - 1) * (bn * bn) | _ => zcost l i * bn end.
Definition kden (l : loss) (bd : Z) : Z := match l with L2 => 4 * (bd * bd) | _ => zden l * bd end.
Lemma knum_outwards l bn : loss_ok l = true -> (0 < bn)%Z -> outwards (knum l bn).
Proof.
  intros Hl H i j Hij. pose proof (zcost_outwards l Hl i j Hij) as [K1 K2]. destruct l; unfold knum.
  - nia.
  - simpl in K1, K2. assert (0 < bn * bn)%Z by nia. nia.
  - nia.
Qed.
Lemma minorant l bn bd i u : loss_ok l = true -> (0 < bn)%Z -> (0 < bd)%Z -> 0 <= u < 1 ->
  (1 - u) * (IZR (knum l bn i) / IZR (kden l bd)) + u * (IZR (knum l bn (i + 1)) / IZR (kden l bd))
    <= cost l ((IZR i + u) * (IZR bn / IZR bd)).
Proof.
  intros Hl Hbn Hbd Hu. apply IZR_lt in Hbn, Hbd. set (b := IZR bn / IZR bd).
  assert (Hb : 0 < b) by (apply Rmult_lt_0_compat; auto; apply Rinv_0_lt_compat; auto).
  pose proof (zden_pos l Hl) as Hz. apply IZR_lt in Hz.
  assert (Hk : forall i, IZR (zcost l i * bn) / IZR (zden l * bd) = cost l (IZR i) * b).
  { intros. rewrite <- zcost_cost, !mult_IZR by auto. unfold b. field. lra. }
  destruct l; unfold knum, kden.
  - rewrite !Hk. unfold cost. rewrite Rabs_mult, (Rabs_right b), plus_IZR by lra.
    destruct (Z_lt_ge_dec i 0).
    + assert (IZR i <= -1) by (apply (IZR_le i (-1)); lia).
      rewrite (Rabs_left1 (IZR i)), (Rabs_left1 (IZR i + 1)), (Rabs_left1 (IZR i + u)) by lra. lra.
    + assert (0 <= IZR i) by (apply (IZR_le 0 i); lia).
      rewrite (Rabs_right (IZR i)), (Rabs_right (IZR i + 1)), (Rabs_right (IZR i + u)) by lra. lra.
  - unfold cost. assert (E : forall z, IZR (z * (bn * bn)) / IZR (4 * (bd * bd)) = IZR z / 4 * (b * b)).
    { intros. unfold b. rewrite !mult_IZR. field. lra. }
    rewrite !E, !minus_IZR, !mult_IZR, !plus_IZR.
    assert (0 <= (1 - 2 * u) * (1 - 2 * u)) by (apply Rle_0_sqr).
    assert (0 <= b * b) by (apply Rle_0_sqr).
    assert (0 <= b * b * ((1 - 2 * u) * (1 - 2 * u))) by (apply Rmult_le_pos; auto). lra.
  - rewrite !Hk, plus_IZR. destruct (Z_lt_ge_dec i 0).
    + assert (IZR i <= -1) by (apply (IZR_le i (-1)); lia).
      assert ((IZR i + u) * b <= 0) by (rewrite <- (Rmult_0_l b); apply Rmult_le_compat_r; lra).
      rewrite !pin_left by lra. right. ring.
    + assert (0 <= IZR i) by (apply (IZR_le 0 i); lia).
      rewrite !pin_right by (try apply Rmult_le_pos; lra). right. ring.
Qed.

(* ---- costs as quadratics on either side of 0, and their running sums ---- *)
Record quadratic := { qa : Z; ql : Z; qr : Z; qc : Z; q0 : Z }.
Open Scope Z_scope.
Definition at_point (q : quadratic) (j : Z) : Z :=
  if 0 <? j then qa q * j * j + qr q * j + qc q
  else if j <? 0 then qa q * j * j - ql q * j + qc q else q0 q.
(* six times the sum of the costs of 0, ..., j-1; less those of j, ..., -1 *)
Definition running (q : quadratic) (j : Z) : Z :=
  if 0 <? j then 6 * q0 q + qa q * ((j - 1) * j * (2 * j - 1)) + 3 * qr q * ((j - 1) * j) + 6 * qc q * (j - 1)
  else qa q * ((j - 1) * j * (2 * j - 1)) - 3 * ql q * ((j - 1) * j) + 6 * qc q * j.
Definition running_half (q : quadratic) (h : Z) : Z := running q ((h + 1) / 2) + running q (h / 2 + 1).
Definition quadratic_ok (q : quadratic) := (0 <= qa q) /\ (0 <= ql q) /\ (0 <= qr q) /\ (0 <= qc q) /\ (0 <= q0 q).
Definition whole_cost (l : loss) : quadratic := match l with
  | L1 => {| qa := 0; ql := 1; qr := 1; qc := 0; q0 := 0 |}
  | L2 => {| qa := 1; ql := 0; qr := 0; qc := 0; q0 := 0 |}
  | Pinball tn td => {| qa := 0; ql := td - tn; qr := tn; qc := 0; q0 := 0 |} end.
Definition release_cost (l : loss) : quadratic := match l with
  | L1 => {| qa := 0; ql := 2; qr := 2; qc := 0; q0 := 1 |}
  | L2 => {| qa := 4; ql := 0; qr := 0; qc := 1; q0 := 1 |}
  | Pinball tn td => {| qa := 0; ql := 4 * (td - tn); qr := 4 * tn; qc := 0; q0 := td |} end.

Lemma whole_cost_at l j : at_point (whole_cost l) j = zcost l j.
Proof.
  unfold at_point. destruct l; cbn [whole_cost qa ql qr qc q0 zcost];
    destruct (Z.ltb_spec 0 j); try destruct (Z.ltb_spec j 0); try (replace j with 0 by lia; simpl; lia);
    try destruct (Z.leb_spec 0 j); try lia; ring.
Qed.
Lemma release_cost_at l j : at_point (release_cost l) j = pcost l j.
Proof.
  unfold at_point. destruct l; cbn [release_cost qa ql qr qc q0 pcost zcost];
    destruct (Z.ltb_spec 0 j); try destruct (Z.ltb_spec j 0); try (replace j with 0 by lia; reflexivity);
    destruct j; try lia; try destruct (Z.leb_spec 0 (Zpos p)); try destruct (Z.leb_spec 0 (Zneg p)); lia.
Qed.
Lemma costs_ok l : loss_ok l = true -> quadratic_ok (whole_cost l) /\ quadratic_ok (release_cost l).
Proof.
  intros H. unfold quadratic_ok. destruct l; cbn [qa ql qr qc q0 whole_cost release_cost]; [lia|lia|].
  destruct (tau_ok _ _ H) as [Ht _]. lia.
Qed.
Lemma at_point_nonneg q j : quadratic_ok q -> 0 <= at_point q j.
Proof.
  intros (A & B & C & D & F). unfold at_point. assert (0 <= qa q * j * j) by nia.
  destruct (Z.ltb_spec 0 j); [nia|]. destruct (Z.ltb_spec j 0); [nia|auto].
Qed.
Lemma running_step q j : running q (j + 1) - running q j = 6 * at_point q j.
Proof.
  unfold running, at_point. destruct (Z.ltb_spec 0 (j + 1)), (Z.ltb_spec 0 j); try lia.
  - destruct (Z.ltb_spec j 0); [lia|]. replace j with 0 by lia. ring.
  - destruct (Z.ltb_spec j 0); [ring|lia].
Qed.
Lemma running_half_step q h : 6 * at_point q ((h + 1) / 2) = running_half q (h + 1) - running_half q h.
Proof.
  unfold running_half. replace (h + 1 + 1) with (h + 1 * 2) by lia. rewrite Z.div_add by lia.
  pose proof (running_step q ((h + 1) / 2)). lia.
Qed.
(* a whole cell of r grid points, r odd *)
Definition cell_cost (q : quadratic) (r c : Z) : Z := running_half q ((2 * c + 1) * r) - running_half q ((2 * c - 1) * r).
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
Lemma cell_cost_right q k c : 0 <= k -> 1 <= c -> let r := 2 * k + 1 in
  cell_cost q r c = 12 * qa q * (r * r * r) * c * c + 12 * qr q * (r * r) * c + (qa q * (r * (r * r - 1)) + 12 * qc q * r).
Proof.
  intros Hk Hc r. unfold r. rewrite cell_cost_ends by auto. unfold running.
  assert (1 <= c * (2 * k + 1) - k) by nia.
  destruct (Z.ltb_spec 0 (c * (2 * k + 1) + k + 1)); [|lia]. destruct (Z.ltb_spec 0 (c * (2 * k + 1) - k)); [|lia]. ring.
Qed.
Lemma cell_cost_left q k c : 0 <= k -> 1 <= c -> let r := 2 * k + 1 in
  cell_cost q r (- c) = 12 * qa q * (r * r * r) * c * c + 12 * ql q * (r * r) * c + (qa q * (r * (r * r - 1)) + 12 * qc q * r).
Proof.
  intros Hk Hc r. unfold r. rewrite cell_cost_ends by auto. unfold running.
  assert (- c * (2 * k + 1) + k + 1 <= 0) by nia.
  destruct (Z.ltb_spec 0 (- c * (2 * k + 1) + k + 1)); [lia|]. destruct (Z.ltb_spec 0 (- c * (2 * k + 1) - k)); [lia|]. ring.
Qed.
Lemma running_half_mono q h n : quadratic_ok q -> running_half q h <= running_half q (h + Z.of_nat n).
Proof.
  intros Hq. induction n; [replace (h + Z.of_nat 0) with h by lia; lia|].
  replace (h + Z.of_nat (S n)) with (h + Z.of_nat n + 1) by lia.
  pose proof (running_half_step q (h + Z.of_nat n)). pose proof (at_point_nonneg q ((h + Z.of_nat n + 1) / 2) Hq). lia.
Qed.
Lemma cell_cost_nonneg q r c : quadratic_ok q -> 0 <= r -> 0 <= cell_cost q r c.
Proof.
  intros Hq Hr. unfold cell_cost. replace ((2 * c + 1) * r) with ((2 * c - 1) * r + Z.of_nat (Z.to_nat (2 * r))) by (rewrite Z2Nat.id; lia).
  pose proof (running_half_mono q ((2 * c - 1) * r) (Z.to_nat (2 * r)) Hq). lia.
Qed.
