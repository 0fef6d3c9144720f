(* A law on the whole numbers with given point masses: sums over windows decide its privacy and
   its expected loss.  Half grid steps make up grid points. *)
Require Import Reals ZArith List Bool Lra Lia.
Require Import Formal.Statements Formal.Laws.
Open Scope R_scope.

(* ---- sums over windows ---- *)
Lemma wsum_ext n : forall lo f g, (forall i, (lo <= i < lo + Z.of_nat n)%Z -> f i = g i) -> wsum lo n f = wsum lo n g.
Proof.
  induction n; intros lo f g H; simpl; auto. rewrite (H lo) by lia.
  rewrite (IHn (lo + 1)%Z f g); auto. intros. apply H. lia.
Qed.
Lemma wsum_le n : forall lo f g, (forall i, (lo <= i < lo + Z.of_nat n)%Z -> f i <= g i) -> wsum lo n f <= wsum lo n g.
Proof.
  induction n; intros lo f g H; simpl; [lra|]. pose proof (H lo ltac:(lia)).
  assert (wsum (lo + 1) n f <= wsum (lo + 1) n g) by (apply IHn; intros; apply H; lia). lra.
Qed.
Lemma wsum_plus n : forall lo f g, wsum lo n (fun i => f i + g i) = wsum lo n f + wsum lo n g.
Proof. induction n; intros; simpl; [lra|]. rewrite IHn. lra. Qed.
Lemma wsum_scale n a : forall lo f, wsum lo n (fun i => a * f i) = a * wsum lo n f.
Proof. induction n; intros; simpl; [lra|]. rewrite IHn. lra. Qed.
Lemma wsum_const n a : forall lo, wsum lo n (fun _ => a) = INR n * a.
Proof. induction n; intros; [simpl; lra|]. cbn [wsum]. rewrite IHn, S_INR. lra. Qed.
Lemma wsum_zero n : forall lo f, (forall i, (lo <= i < lo + Z.of_nat n)%Z -> f i = 0) -> wsum lo n f = 0.
Proof. intros. rewrite (wsum_ext n lo f (fun _ => 0)) by auto. rewrite wsum_const. lra. Qed.
Lemma wsum_nonneg n lo f : (forall i, 0 <= f i) -> 0 <= wsum lo n f.
Proof. intros. rewrite <- (wsum_zero n lo (fun _ => 0)) by auto. apply wsum_le; auto. Qed.
Lemma wsum_split a b : forall lo f, wsum lo (a + b) f = wsum lo a f + wsum (lo + Z.of_nat a) b f.
Proof.
  induction a; intros lo f; [simpl; rewrite Z.add_0_r; lra|].
  cbn [wsum Nat.add]. rewrite IHa. replace (lo + 1 + Z.of_nat a)%Z with (lo + Z.of_nat (S a))%Z by lia. lra.
Qed.
Lemma wsum_shift n s : forall lo f, wsum lo n (fun i => f (i + s)%Z) = wsum (lo + s) n f.
Proof.
  induction n; intros; simpl; auto. rewrite IHn. replace (lo + 1 + s)%Z with (lo + s + 1)%Z by lia. auto.
Qed.
Lemma wsum_within lo n lo' n' f : (forall i, 0 <= f i) -> (lo' <= lo)%Z -> (lo + Z.of_nat n <= lo' + Z.of_nat n')%Z ->
  wsum lo n f <= wsum lo' n' f.
Proof.
  intros Hf H1 H2. set (a := Z.to_nat (lo - lo')).
  replace n' with (a + (n + (n' - n - a)))%nat by lia. rewrite wsum_split, wsum_split.
  replace (lo' + Z.of_nat a)%Z with lo by lia.
  pose proof (wsum_nonneg a lo' f Hf). pose proof (wsum_nonneg (n' - n - a) (lo + Z.of_nat n) f Hf). lra.
Qed.
(* outside a..b the terms are 0 *)
Lemma wsum_hull lo n a m f : (forall i, 0 <= f i) -> (forall i, (i < a \/ a + Z.of_nat m <= i)%Z -> f i = 0) ->
  wsum lo n f <= wsum a m f.
Proof.
  intros Hf H0. set (b := (a + Z.of_nat m)%Z). set (lo' := Z.min lo a).
  set (hi := Z.max b (lo + Z.of_nat n)).
  apply Rle_trans with (wsum lo' (Z.to_nat (hi - lo')) f); [apply wsum_within; auto; lia|].
  replace (Z.to_nat (hi - lo')) with (Z.to_nat (a - lo') + (m + Z.to_nat (hi - b)))%nat by lia.
  rewrite !wsum_split. replace (lo' + Z.of_nat (Z.to_nat (a - lo')))%Z with a by lia. fold b.
  rewrite (wsum_zero (Z.to_nat (a - lo')) lo'), (wsum_zero (Z.to_nat (hi - b)) b); [lra| |];
    intros; apply H0; lia.
Qed.
Lemma wsum_telescope n (F : Z -> R) : forall lo, wsum lo n (fun i => F (i + 1)%Z - F i) = F (lo + Z.of_nat n)%Z - F lo.
Proof.
  induction n; intros; cbn [wsum]; [replace (lo + Z.of_nat 0)%Z with lo by lia; lra|].
  rewrite IHn. replace (lo + 1 + Z.of_nat n)%Z with (lo + Z.of_nat (S n))%Z by lia. lra.
Qed.
Lemma wsum_pairs n : forall lo f, wsum lo n (fun i => f (2 * i - 1)%Z + f (2 * i)%Z) = wsum (2 * lo - 1) (2 * n) f.
Proof.
  induction n; intros; [reflexivity|]. replace (2 * S n)%nat with (S (S (2 * n))) by lia. cbn [wsum].
  rewrite IHn. replace (2 * (lo + 1) - 1)%Z with (2 * lo - 1 + 1 + 1)%Z by lia.
  replace (2 * lo - 1 + 1)%Z with (2 * lo)%Z by lia. lra.
Qed.
Lemma wsum_rows m r : forall lo f,
  wsum lo m (fun c => wsum (c * Z.of_nat r) r f) = wsum (lo * Z.of_nat r) (m * r) f.
Proof.
  induction m; intros; [reflexivity|]. cbn [wsum Nat.mul]. rewrite IHm, wsum_split.
  replace (lo * Z.of_nat r + Z.of_nat r)%Z with ((lo + 1) * Z.of_nat r)%Z by lia. reflexivity.
Qed.

(* ---- laws with point masses ---- *)
Section Law.
Variables (X : zlaw) (p : Z -> R).
Hypothesis HX : has_masses X p.
Hypothesis Hp : distribution p.
Let all_meas f : meas X f. Proof. apply meas_basic; exact I. Qed.

Lemma window_at lo n f j : wsum lo n (fun i => f i * point i j) =
  if ((lo <=? j) && (j <? lo + Z.of_nat n))%Z then f j else 0.
Proof.
  revert lo. induction n; intros lo; cbn [wsum].
  - destruct (Z.leb_spec lo j), (Z.ltb_spec j (lo + Z.of_nat 0)); simpl; auto; lia.
  - rewrite IHn. unfold point. destruct (Z.eqb_spec j lo) as [->|Hne].
    + destruct (Z.leb_spec (lo + 1) lo), (Z.leb_spec lo lo), (Z.ltb_spec lo (lo + Z.of_nat (S n))); simpl; try lia; lra.
    + destruct (Z.leb_spec (lo + 1) j), (Z.leb_spec lo j), (Z.ltb_spec j (lo + 1 + Z.of_nat n)),
        (Z.ltb_spec j (lo + Z.of_nat (S n))); simpl; try lia; lra.
Qed.
Lemma window_bounded lo n f : bounded (fun j => wsum lo n (fun i => f i * point i j)).
Proof.
  revert lo. induction n; intros lo; cbn [wsum]; [apply bounded_const|].
  apply (bounded_add Z (fun j => f lo * point lo j)); [|apply IHn]. apply (bounded_scale Z (f lo) (point lo)).
  exists 1. intros j. unfold point. destruct (j =? lo)%Z; rewrite Rabs_right; lra.
Qed.
Lemma window_mean lo n f : mean X (fun j => wsum lo n (fun i => f i * point i j)) = wsum lo n (fun i => f i * p i).
Proof.
  revert lo. induction n; intros lo; cbn [wsum].
  - apply (ex_const Z Z Z.add (fun _ => True) X 0).
  - unfold mean in *. rewrite (ex_add X (fun j => f lo * point lo j)).
    + rewrite IHn. rewrite (ex_scale X (f lo) (point lo)).
      * pose proof (HX lo) as H. unfold mean in H. rewrite H. reflexivity.
      * apply all_meas.
      * exists 1. intros j. unfold point. destruct (j =? lo)%Z; rewrite Rabs_right; lra.
    + apply all_meas.
    + apply (bounded_scale Z (f lo) (point lo)). exists 1. intros j. unfold point. destruct (j =? lo)%Z; rewrite Rabs_right; lra.
    + apply all_meas.
    + apply window_bounded.
Qed.
Lemma window_below lo n f : bounded f -> (forall i, 0 <= f i) -> wsum lo n (fun i => f i * p i) <= mean X f.
Proof.
  intros Hb Hf. rewrite <- window_mean. unfold mean. apply ex_mono; auto using window_bounded.
  intros j. rewrite window_at. destruct (_ && _)%bool; [lra | apply Hf].
Qed.
Lemma window_above lo n f M : (forall i, Rabs (f i) <= M) ->
  mean X f <= wsum lo n (fun i => f i * p i) + M * (1 - wsum lo n p).
Proof.
  intros HM. set (g := fun i => f i + -1 * M).
  assert (Hg : mean X (fun j => wsum lo n (fun i => g i * point i j) + M) =
    wsum lo n (fun i => f i * p i) + M * (1 - wsum lo n p)).
  { unfold mean. rewrite (ex_add X (fun j => wsum lo n (fun i => g i * point i j)) (fun _ => M));
      auto using window_bounded, bounded_const.
    rewrite (ex_const Z Z Z.add (fun _ => True) X M).
    pose proof (window_mean lo n g) as W. unfold mean in W. rewrite W. unfold g.
    rewrite (wsum_ext n lo (fun i => (f i + -1 * M) * p i) (fun i => f i * p i + - M * p i)) by (intros; ring).
    rewrite wsum_plus, wsum_scale. lra. }
  rewrite <- Hg. unfold mean. apply ex_mono; auto.
  - exists M. auto.
  - apply (bounded_add Z (fun j => wsum lo n (fun i => g i * point i j))); auto using window_bounded, bounded_const.
  - intros j. rewrite window_at. unfold g. specialize (HM j). unfold Rabs in HM.
    destruct (_ && _)%bool; destruct Rcase_abs; lra.
Qed.

Lemma masses_private E d s A : 0 <= E ->
  (forall lo n, wsum lo n (fun i => Rmax 0 (p i - E * p (i - s)%Z)) <= d) ->
  (forall x, A x = 0 \/ A x = 1) -> mean X A <= E * mean X (fun i => A (i + s)%Z) + d.
Proof.
  intros HE Hd HA. destruct Hp as (Hp0 & Hp1 & Hpe). apply le_epsilon. intros e He.
  destruct (Hpe e He) as (lo & n & Hw).
  assert (HA1 : forall i, 0 <= A i <= 1) by (intros i; destruct (HA i) as [-> | ->]; lra).
  pose proof (window_above lo n A 1 ltac:(intros i; specialize (HA1 i); rewrite Rabs_right; lra)) as H1.
  assert (H2 : wsum lo n (fun i => A i * p i) <= wsum lo n (fun i => E * (A i * p (i - s)%Z) + Rmax 0 (p i - E * p (i - s)%Z))).
  { apply wsum_le. intros i _. pose proof (Rmax_l 0 (p i - E * p (i - s)%Z)). pose proof (Rmax_r 0 (p i - E * p (i - s)%Z)).
    pose proof (Hp0 i). pose proof (Hp0 (i - s)%Z). assert (0 <= E * p (i - s)%Z) by (apply Rmult_le_pos; auto).
    destruct (HA i) as [-> | ->]; lra. }
  rewrite wsum_plus, wsum_scale in H2.
  rewrite (wsum_ext n lo (fun i => A i * p (i - s)%Z) (fun i => (fun j => A (j + s)%Z * p j) (i + - s)%Z)) in H2
    by (intros; cbv beta; f_equal; f_equal; lia).
  rewrite (wsum_shift n (- s) lo (fun j => A (j + s)%Z * p j)) in H2.
  assert (H3 : wsum (lo + - s) n (fun j => A (j + s)%Z * p j) <= mean X (fun j => A (j + s)%Z)).
  { apply (window_below (lo + - s) n (fun j => A (j + s)%Z)).
    - exists 1. intros j. specialize (HA1 (j + s)%Z). rewrite Rabs_right; lra.
    - intros j. apply HA1. }
  apply Rmult_le_compat_l with (r := E) in H3; auto. specialize (Hd lo n). lra.
Qed.

Lemma masses_loss C U g : (forall lo n, wsum lo n (fun i => C i * p i) <= U) ->
  bounded g -> (forall i, g i <= C i) -> mean X g <= U.
Proof.
  intros HU [M HM] Hg. destruct Hp as (Hp0 & Hp1 & Hpe). apply le_epsilon. intros e He.
  assert (HM0 : 0 <= M) by (specialize (HM 0%Z); pose proof (Rabs_pos (g 0%Z)); lra).
  destruct (Hpe (e / (M + 1))) as (lo & n & Hw); [apply Rmult_lt_0_compat; auto; apply Rinv_0_lt_compat; lra|].
  pose proof (window_above lo n g M HM) as H.
  assert (wsum lo n (fun i => g i * p i) <= wsum lo n (fun i => C i * p i)).
  { apply wsum_le. intros i _. apply Rmult_le_compat_r; auto. }
  assert (M * (1 - wsum lo n p) <= e).
  { apply Rle_trans with (M * (e / (M + 1))); [apply Rmult_le_compat_l; lra|].
    unfold Rdiv. rewrite <- Rmult_assoc, (Rmult_comm M e), Rmult_assoc.
    rewrite <- (Rmult_1_r e) at 2. apply Rmult_le_compat_l; [lra|].
    apply Rmult_le_reg_r with (M + 1); [lra|]. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  specialize (HU lo n). lra.
Qed.
End Law.

(* ---- half grid steps ---- *)
Section Halves.
Variables (q : Z -> R) (den atom : R).
Hypothesis Hq : forall h, 0 <= q h.
Hypothesis Hden : 0 < den.
Hypothesis Hatom : 0 <= atom.
Definition halves (i : Z) : R := (q (2 * i - 1)%Z + q (2 * i)%Z + (if (i =? 0)%Z then atom else 0)) / den.

(* the atom's part of a window is between 0 and v *)
Lemma atom_window v n : forall lo, 0 <= v -> 0 <= wsum lo n (fun i => if (i =? 0)%Z then v else 0) <= v.
Proof.
  intros lo Hv. split.
  - apply wsum_nonneg. intros i. destruct (i =? 0)%Z; lra.
  - apply Rle_trans with (wsum 0 1 (fun i => if (i =? 0)%Z then v else 0)).
    + apply wsum_hull; intros i.
      * destruct (i =? 0)%Z; lra.
      * intros Hi. destruct (Z.eqb_spec i 0); auto. lia.
    + simpl. lra.
Qed.
Lemma halves_sum lo n : wsum lo n halves = (wsum (2 * lo - 1) (2 * n) q + wsum lo n (fun i => if (i =? 0)%Z then atom else 0)) / den.
Proof.
  unfold halves, Rdiv. rewrite (wsum_ext n lo _ (fun i => / den * ((q (2 * i - 1)%Z + q (2 * i)%Z) + (if (i =? 0)%Z then atom else 0)))) by (intros; ring).
  rewrite wsum_scale, wsum_plus, wsum_pairs. ring.
Qed.

Lemma halves_distribution : (forall lo n, wsum lo n q <= den - atom) ->
  (forall e, 0 < e -> exists lo n, den - atom - e <= wsum lo n q) -> distribution halves.
Proof.
  intros Hle Hge. split; [|split].
  - intros i. unfold halves. apply Rmult_le_pos; [|left; apply Rinv_0_lt_compat; auto].
    pose proof (Hq (2 * i - 1)%Z). pose proof (Hq (2 * i)%Z). destruct (i =? 0)%Z; lra.
  - intros lo n. rewrite halves_sum. specialize (Hle (2 * lo - 1)%Z (2 * n)%nat).
    destruct (atom_window atom n lo Hatom). apply Rmult_le_reg_r with den; auto.
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
  - intros e He. destruct (Hge (e * den)) as (lo & n & H); [apply Rmult_lt_0_compat; auto|].
    set (hi := Z.max 1 (lo + Z.of_nat n)). set (a := Z.min 0 (lo / 2)).
    exists a, (Z.to_nat (hi - a)). rewrite halves_sum.
    assert (wsum lo n q <= wsum (2 * a - 1) (2 * Z.to_nat (hi - a)) q).
    { assert (2 * (lo / 2) <= lo)%Z by (apply Z.mul_div_le; lia). apply wsum_within; auto; unfold a, hi; lia. }
    assert (Ha : atom <= wsum a (Z.to_nat (hi - a)) (fun i => if (i =? 0)%Z then atom else 0)).
    { apply Rle_trans with (wsum 0 1 (fun i => if (i =? 0)%Z then atom else 0)); [simpl; lra|].
      apply wsum_within; [intros i; destruct (i =? 0)%Z; lra | unfold a; lia | unfold a, hi; lia]. }
    apply Rmult_le_reg_r with den; auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.

Lemma halves_private E room s : 0 <= E ->
  (forall lo n, wsum lo n (fun h => Rmax 0 (q h - E * q (h - 2 * s)%Z)) <= room) ->
  forall lo n, wsum lo n (fun i => Rmax 0 (halves i - E * halves (i - s)%Z)) <= (room + atom) / den.
Proof.
  intros HE H lo n.
  set (t := fun h => Rmax 0 (q h - E * q (h - 2 * s)%Z)) in *.
  assert (Hi : 0 < / den) by (apply Rinv_0_lt_compat; auto).
  apply Rle_trans with (/ den * wsum lo n (fun i => (t (2 * i - 1)%Z + t (2 * i)%Z) + (if (i =? 0)%Z then atom else 0))).
  - rewrite <- wsum_scale. apply wsum_le. intros i _.
    assert (Ht : forall h, 0 <= t h /\ q h - E * q (h - 2 * s)%Z <= t h) by (intros; split; [apply Rmax_l | apply Rmax_r]).
    destruct (Ht (2 * i - 1)%Z) as [A1 A2]. destruct (Ht (2 * i)%Z) as [B1 B2].
    assert (Hat : forall j, 0 <= (if (j =? 0)%Z then atom else 0)) by (intros; destruct (_ =? _)%Z; lra).
    pose proof (Hat i) as C1. pose proof (Hat (i - s)%Z) as C2. apply Rmax_lub.
    + apply Rmult_le_pos; lra.
    + unfold halves. replace (2 * (i - s) - 1)%Z with (2 * i - 1 - 2 * s)%Z by lia.
      replace (2 * (i - s))%Z with (2 * i - 2 * s)%Z by lia.
      assert (0 <= E * (if (i - s =? 0)%Z then atom else 0)) by (apply Rmult_le_pos; auto).
      apply Rmult_le_reg_l with den; auto.
      set (Q1 := q (2 * i - 1)%Z) in *. set (Q2 := q (2 * i)%Z) in *.
      set (U1 := q (2 * i - 1 - 2 * s)%Z) in *. set (U2 := q (2 * i - 2 * s)%Z) in *.
      set (a1 := if (i =? 0)%Z then atom else 0) in *. set (a2 := if (i - s =? 0)%Z then atom else 0) in *.
      replace (den * ((Q1 + Q2 + a1) / den - E * ((U1 + U2 + a2) / den))) with ((Q1 + Q2 + a1) - E * (U1 + U2 + a2)) by (field; lra).
      rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l by lra. lra.
  - rewrite wsum_plus, wsum_pairs. specialize (H (2 * lo - 1)%Z (2 * n)%nat). destruct (atom_window atom n lo Hatom).
    unfold Rdiv. rewrite Rmult_comm. apply Rmult_le_compat_r; lra.
Qed.

Lemma halves_loss (P : Z -> R) U : (forall i, 0 <= P i) ->
  (forall lo n, wsum lo n (fun h => q h * P ((h + 1) / 2)%Z) <= U) ->
  forall lo n, wsum lo n (fun i => P i * halves i) <= (U + atom * P 0%Z) / den.
Proof.
  intros HP H lo n. assert (Hi : 0 < / den) by (apply Rinv_0_lt_compat; auto).
  set (t := fun h => q h * P ((h + 1) / 2)%Z) in *.
  rewrite (wsum_ext n lo _ (fun i => / den * ((t (2 * i - 1)%Z + t (2 * i)%Z) + (if (i =? 0)%Z then atom * P 0%Z else 0)))).
  - rewrite wsum_scale, wsum_plus, wsum_pairs. specialize (H (2 * lo - 1)%Z (2 * n)%nat).
    destruct (atom_window (atom * P 0%Z) n lo) as [_ Ha]; [apply Rmult_le_pos; auto|].
    unfold Rdiv. rewrite Rmult_comm. apply Rmult_le_compat_r; lra.
  - intros i _. unfold t, halves. replace ((2 * i - 1 + 1) / 2)%Z with i by (replace (2 * i - 1 + 1)%Z with (i * 2)%Z by lia; rewrite Z.div_mul; lia).
    replace ((2 * i + 1) / 2)%Z with i by (replace (2 * i + 1)%Z with (1 + i * 2)%Z by lia; rewrite Z.div_add by lia; simpl; lia).
    destruct (Z.eqb_spec i 0) as [->|]; field; lra.
Qed.
End Halves.
