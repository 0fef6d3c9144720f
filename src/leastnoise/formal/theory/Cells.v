(* Noise on a lattice: the weight of a cell, spread evenly over its 2r half grid steps.  What holds
   for whole cells holds for half steps. *)
Require Import Reals ZArith List Bool Lra Lia.
Require Import Formal.Statements Formal.Masses.
Open Scope R_scope.

Section Cells.
Variables (W : Z -> R) (r : Z).
Hypothesis HW : forall c, 0 <= W c.
Hypothesis Hr : (0 < r)%Z.
Let N := (2 * r)%Z.
Definition spread (h : Z) : R := W ((h + r) / (2 * r))%Z / IZR (2 * r).

Let HN : (0 < N)%Z. Proof. unfold N. lia. Qed.
Let HNr : 0 < IZR N. Proof. apply IZR_lt. exact HN. Qed.
Let Hnat : Z.of_nat (Z.to_nat N) = N. Proof. rewrite Z2Nat.id; lia. Qed.
Let HINR : INR (Z.to_nat N) = IZR N. Proof. rewrite INR_IZR_INZ, Hnat. reflexivity. Qed.

Lemma spread_nonneg h : 0 <= spread h.
Proof. apply Rmult_le_pos; [apply HW | left; apply Rinv_0_lt_compat; exact HNr]. Qed.

Lemma in_cell c t : (0 <= t < N)%Z -> ((c * N + t) / N = c)%Z.
Proof. intros. rewrite Z.add_comm, Z.div_add by lia. rewrite Z.div_small by lia. lia. Qed.

(* a bound for whole cells is a bound for every window *)
Lemma by_cells (F G : Z -> R) B : (forall h, 0 <= F h) ->
  (forall c, wsum (c * N - r) (Z.to_nat N) F <= G c) ->
  (forall lo m, wsum lo m G <= B) -> forall lo n, wsum lo n F <= B.
Proof.
  intros HF HG HB lo n. set (c0 := ((lo + r) / N)%Z). set (m := S (S (Z.to_nat (Z.of_nat n / N)))).
  assert (H0 : (c0 * N <= lo + r < c0 * N + N)%Z).
  { unfold c0. pose proof (Z.mod_pos_bound (lo + r) N HN). pose proof (Z.div_mod (lo + r) N ltac:(lia)). lia. }
  assert (Hn : (Z.of_nat n < (Z.of_nat n / N) * N + N)%Z).
  { pose proof (Z.mod_pos_bound (Z.of_nat n) N HN). pose proof (Z.div_mod (Z.of_nat n) N ltac:(lia)). lia. }
  assert (Hd : (0 <= Z.of_nat n / N)%Z) by (apply Z.div_pos; lia).
  apply Rle_trans with (wsum (c0 * N - r) (m * Z.to_nat N) F).
  - apply wsum_within; auto; [lia|]. rewrite Nat2Z.inj_mul, Hnat. unfold m. nia.
  - replace (c0 * N - r)%Z with (c0 * N + - r)%Z by lia.
    rewrite <- wsum_shift. replace (c0 * N)%Z with (c0 * Z.of_nat (Z.to_nat N))%Z by (rewrite Hnat; auto).
    rewrite <- wsum_rows.
    eapply Rle_trans; [|apply (HB c0 m)]. apply wsum_le. intros c _.
    rewrite wsum_shift, Hnat. apply HG.
Qed.
Lemma aligned_sum lo m : wsum (lo * N - r) (m * Z.to_nat N) spread = wsum lo m W.
Proof.
  replace (lo * N - r)%Z with (lo * N + - r)%Z by lia. rewrite <- wsum_shift.
  replace (lo * N)%Z with (lo * Z.of_nat (Z.to_nat N))%Z by (rewrite Hnat; auto). rewrite <- wsum_rows.
  apply wsum_ext. intros c _. rewrite Hnat. rewrite (wsum_ext _ _ _ (fun _ => W c / IZR N)).
  - rewrite wsum_const, HINR. field. lra.
  - intros i Hi. rewrite Hnat in Hi. unfold spread. fold N. replace (i + - r + r)%Z with (c * N + (i - c * N))%Z by lia.
    rewrite in_cell by lia. reflexivity.
Qed.

Lemma cells_total B : (forall lo m, wsum lo m W <= B) -> forall lo n, wsum lo n spread <= B.
Proof.
  intros H. apply (by_cells spread W B); auto using spread_nonneg. intros c.
  pose proof (aligned_sum c 1) as A. rewrite Nat.mul_1_l in A. rewrite A. simpl. lra.
Qed.
Lemma cells_reach B : (forall e, 0 < e -> exists lo m, B - e <= wsum lo m W) ->
  forall e, 0 < e -> exists lo n, B - e <= wsum lo n spread.
Proof.
  intros H e He. destruct (H e He) as (lo & m & Hm). exists (lo * N - r)%Z, (m * Z.to_nat N)%nat.
  rewrite aligned_sum. exact Hm.
Qed.

(* Whole cells suffice: a shift of m cells and t half steps is, half step by half step, a shift
   of m or of m + 1 cells. *)
Lemma cells_private E room k s : 1 <= E -> 0 <= room ->
  (forall m, (Z.abs m <= k)%Z -> forall lo n, wsum lo n (fun c => Rmax 0 (W c - E * W (c - m)%Z)) <= room) ->
  (Z.abs s <= k * N)%Z -> forall lo n, wsum lo n (fun h => Rmax 0 (spread h - E * spread (h - s)%Z)) <= room.
Proof.
  intros HE Hroom H Hs.
  set (m := (s / N)%Z). set (t := (s mod N)%Z).
  assert (Ht : (0 <= t < N)%Z) by (apply Z.mod_pos_bound; exact HN).
  assert (Hst : s = (m * N + t)%Z) by (unfold m, t; rewrite Z.mul_comm; apply Z.div_mod; lia).
  assert (Hm : (Z.abs m <= k)%Z) by nia.
  set (stick := fun m c => Rmax 0 (W c - E * W (c - m)%Z)).
  set (a := IZR t / IZR N).
  assert (Ha : 0 <= a <= 1).
  { unfold a. destruct Ht as [T1 T2]. apply IZR_le in T1. apply IZR_lt in T2. split.
    - apply Rmult_le_pos; auto. left. apply Rinv_0_lt_compat; auto.
    - apply Rmult_le_reg_r with (IZR N); auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  assert (Hm1 : forall lo n, a * wsum lo n (stick (m + 1)%Z) <= a * room).
  { intros. destruct (Z.eq_dec t 0) as [E0|E0].
    - unfold a. rewrite E0. unfold Rdiv. rewrite !Rmult_0_l. lra.
    - apply Rmult_le_compat_l; [lra|]. apply H. nia. }
  apply (by_cells _ (fun c => a * stick (m + 1)%Z c + (1 - a) * stick m c) room).
  - intros. apply Rmax_l.
  - intros c. set (b := Z.to_nat t). replace (Z.to_nat N) with (b + (Z.to_nat N - b))%nat by lia.
    rewrite wsum_split.
    assert (Hi : 0 < / IZR N) by (apply Rinv_0_lt_compat; auto).
    assert (Hpos : forall z, Rmax 0 (z / IZR N) = / IZR N * Rmax 0 z).
    { intros z. unfold Rdiv. rewrite (Rmult_comm z). rewrite <- RmaxRmult by lra. rewrite Rmult_0_r. reflexivity. }
    assert (Hcell : forall u, (0 <= u < N)%Z ->
      Rmax 0 (spread (c * N - r + u) - E * spread (c * N - r + u - s)) =
      / IZR N * stick (if (u <? t)%Z then m + 1 else m)%Z c).
    { intros u Hu. unfold spread. fold N. unfold stick. rewrite <- Hpos. f_equal.
      replace (c * N - r + u + r)%Z with (c * N + u)%Z by lia. rewrite in_cell by lia.
      destruct (Z.ltb_spec u t).
      - replace (c * N - r + u - s + r)%Z with ((c - (m + 1)) * N + (N + u - t))%Z by (rewrite Hst; ring).
        rewrite in_cell by lia. field. lra.
      - replace (c * N - r + u - s + r)%Z with ((c - m) * N + (u - t))%Z by (rewrite Hst; ring).
        rewrite in_cell by lia. field. lra. }
    rewrite (wsum_ext b _ _ (fun _ => / IZR N * stick (m + 1)%Z c)).
    2:{ intros i Hi'. replace i with (c * N - r + (i - (c * N - r)))%Z by lia. rewrite Hcell by (unfold b in *; lia).
        destruct (Z.ltb_spec (i - (c * N - r)) t); auto. unfold b in *. lia. }
    rewrite (wsum_ext (Z.to_nat N - b) _ _ (fun _ => / IZR N * stick m c)).
    2:{ intros i Hi'. replace i with (c * N - r + (i - (c * N - r)))%Z by lia. rewrite Hcell by (unfold b in *; lia).
        destruct (Z.ltb_spec (i - (c * N - r)) t); auto. unfold b in *. lia. }
    rewrite !wsum_const, minus_INR, HINR by (unfold b; lia).
    replace (INR b) with (IZR t) by (unfold b; rewrite INR_IZR_INZ, Z2Nat.id by lia; reflexivity).
    right. unfold a. field. lra.
  - intros lo n. rewrite wsum_plus, !wsum_scale. pose proof (Hm1 lo n).
    assert ((1 - a) * wsum lo n (stick m) <= (1 - a) * room) by (apply Rmult_le_compat_l; [lra|]; apply H; auto).
    lra.
Qed.

(* The cost of a cell, from a running sum of the costs of half steps. *)
Lemma cells_loss (P F : Z -> R) B : (forall i, 0 <= P i) ->
  (forall h, P ((h + 1) / 2)%Z <= F (h + 1)%Z - F h) ->
  (forall lo m, wsum lo m (fun c => W c * ((F ((2 * c + 1) * r)%Z - F ((2 * c - 1) * r)%Z) / IZR N)) <= B) ->
  forall lo n, wsum lo n (fun h => spread h * P ((h + 1) / 2)%Z) <= B.
Proof.
  intros HP HF H. apply by_cells with (G := fun c => W c * ((F ((2 * c + 1) * r)%Z - F ((2 * c - 1) * r)%Z) / IZR N)); auto.
  - intros h. apply Rmult_le_pos; [apply spread_nonneg | apply HP].
  - intros c. apply Rle_trans with (wsum (c * N - r) (Z.to_nat N) (fun h => W c / IZR N * (F (h + 1)%Z - F h))).
    + apply wsum_le. intros i Hi. rewrite Hnat in Hi. unfold spread. fold N.
      replace (i + r)%Z with (c * N + (i + r - c * N))%Z by lia. rewrite in_cell by lia.
      apply Rmult_le_compat_l; auto. apply Rmult_le_pos; [apply HW | left; apply Rinv_0_lt_compat; auto].
    + rewrite wsum_scale, wsum_telescope, Hnat.
      replace (c * N - r + N)%Z with ((2 * c + 1) * r)%Z by (unfold N; ring).
      replace (c * N - r)%Z with ((2 * c - 1) * r)%Z by (unfold N; ring). right. field. lra.
Qed.
End Cells.
