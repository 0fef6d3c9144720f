(* Why the check of the noise of a cube is right: it is private, and its error is at most upper. *)
Require Import Reals ZArith List Bool Lra Lia.
Require Import Formal.Statements Formal.Exp Formal.Laws Formal.Masses Formal.Joint Formal.Vectors.
Import ListNotations.
Open Scope R_scope.

(* ---- sums over j < n ---- *)
Fixpoint upto (n : nat) (g : nat -> R) : R := match n with O => 0 | S m => upto m g + g m end.
Lemma upto_ext n g h : (forall j, (j < n)%nat -> g j = h j) -> upto n g = upto n h.
Proof. induction n; intros H; simpl; auto. rewrite (H n), IHn by lia || (intros; apply H; lia). reflexivity. Qed.
Lemma upto_zero n g : (forall j, (j < n)%nat -> g j = 0) -> upto n g = 0.
Proof. induction n; intros H; simpl; auto. rewrite (H n), IHn by lia || (intros; apply H; lia). ring. Qed.
Lemma vsum_upto k r n (g : nat -> vec k -> R) : vsum r (fun x => upto n (fun j => g j x)) = upto n (fun j => vsum r (g j)).
Proof.
  induction n; simpl.
  - rewrite (vsum_eq k r _ (fun _ => 0 * 1)) by (intros; ring). rewrite (vsum_scale k 0 r (fun _ => 1)). ring.
  - rewrite (vsum_plus k r (fun x => upto n (fun j => g j x)) (g n)), IHn. reflexivity.
Qed.

(* ---- polynomials by their differences ---- *)
Fixpoint row (d : list Z) (j : nat) : list Z := match j with O => d | S i => next (row d i) end.
Definition ev (d : list Z) (j : nat) : Z := hd 0%Z (row d j).
Lemma times_prev p alpha beta d : times_from 0 p alpha beta d = times alpha beta d.
Proof. destruct d; cbn [times times_from]; unfold times; cbn [times_from]; f_equal; ring. Qed.
Lemma next_times d : forall r p alpha beta,
  next (times_from r p alpha beta d) = times_from r (p + hd 0%Z d) (alpha + beta) beta (next d).
Proof.
  induction d as [|x d IH]; intros; cbn [times_from next hd]; [f_equal; ring|].
  rewrite IH. cbn [times_from]. f_equal. destruct d; cbn [times_from hd]; ring.
Qed.
Lemma row_times alpha beta d j : row (times alpha beta d) j = times (alpha + Z.of_nat j * beta) beta (row d j).
Proof.
  induction j; [simpl; f_equal; lia|]. cbn [row]. rewrite IHj. unfold times at 1. rewrite next_times, times_prev. f_equal. lia.
Qed.
Lemma ev_times alpha beta d j : (ev (times alpha beta d) j = (alpha + Z.of_nat j * beta) * ev d j)%Z.
Proof. unfold ev. rewrite row_times. destruct (row d j); unfold times; cbn [times_from hd]; ring. Qed.
Lemma ev_power n alpha beta d j : (ev (times_power n alpha beta d) j = (alpha + Z.of_nat j * beta) ^ Z.of_nat n * ev d j)%Z.
Proof.
  induction n; [simpl; destruct (ev d j); reflexivity|]. cbn [times_power]. rewrite ev_times, IHn, Nat2Z.inj_succ, Z.pow_succ_r by lia. ring.
Qed.
Lemma row_one j : row [1%Z] j = [1%Z].
Proof. induction j; auto. cbn [row]. rewrite IHj. reflexivity. Qed.
Lemma ev_one j : ev [1%Z] j = 1%Z.
Proof. unfold ev. rewrite row_one. reflexivity. Qed.
Lemma hd_plus c d : hd 0%Z (plus c d) = (hd 0 c + hd 0 d)%Z.
Proof. destruct c, d; simpl; try lia. Qed.
Lemma next_plus c : forall d, next (plus c d) = plus (next c) (next d).
Proof.
  induction c as [|x c IH]; intros [|y d]; cbn [plus next]; auto. rewrite IH, hd_plus. f_equal. ring.
Qed.
Lemma ev_plus c d j : ev (plus c d) j = (ev c j + ev d j)%Z.
Proof.
  unfold ev. rewrite <- hd_plus. f_equal. induction j; auto. cbn [row]. rewrite IHj. apply next_plus.
Qed.
Lemma ev_opp d j : ev (map Z.opp d) j = (- ev d j)%Z.
Proof.
  assert (N : forall c, next (map Z.opp c) = map Z.opp (next c)).
  { induction c as [|x c IH]; auto. cbn [map next]. rewrite IH. f_equal. destruct c; simpl; lia. }
  unfold ev. replace (row (map Z.opp d) j) with (map Z.opp (row d j)); [destruct (row d j); reflexivity|].
  induction j; auto. cbn [row]. rewrite <- IHj, N. reflexivity.
Qed.
Lemma row_cons g d j : row (g :: d) j = ev (g :: d) j :: row d j /\ ev (g :: d) (S j) = (ev (g :: d) j + ev d j)%Z.
Proof.
  assert (H : forall i, exists x, row (g :: d) i = x :: row d i).
  { induction i as [|i [x E]]; [exists g; reflexivity|]. cbn [row]. rewrite E. cbn [next]. eexists. reflexivity. }
  destruct (H j) as [x E]. unfold ev. cbn [row]. rewrite E. split; reflexivity.
Qed.

(* ---- series ---- *)
Section Series.
Fixpoint series (q : R) (d : list Z) : R := match d with [] => 0 | x :: t => (IZR x + q * series q t) / (1 - q) end.
Lemma series_next q d : q < 1 -> series q d = IZR (hd 0%Z d) + q * series q (next d).
Proof.
  intros Hq. induction d as [|x d IH]; [simpl; ring|]. cbn [series next hd]. rewrite plus_IZR.
  replace ((IZR x + IZR (hd 0%Z d) + q * series q (next d)) / (1 - q)) with ((IZR x + series q d) / (1 - q)) by (rewrite IH; f_equal; ring).
  field. lra.
Qed.
Lemma series_partial q d n : q < 1 -> upto n (fun j => q ^ j * IZR (ev d j)) = series q d - q ^ n * series q (row d n).
Proof.
  intros Hq. induction n; [simpl; ring|]. cbn [upto row]. rewrite IHn, (series_next q (row d n)) by auto. unfold ev. simpl. ring.
Qed.
Definition positive (d : list Z) := Forall (fun x => 0 <= IZR x) d.
Lemma positive_hd d : positive d -> 0 <= IZR (hd 0%Z d).
Proof. destruct 1; simpl; lra. Qed.
Lemma positive_next d : positive d -> positive (next d).
Proof.
  induction 1 as [|x d Hx Hd IH]; [constructor|]. cbn [next]. constructor; auto. rewrite plus_IZR. pose proof (positive_hd d Hd). lra.
Qed.
Lemma positive_row d j : positive d -> positive (row d j).
Proof. intros. induction j; auto. cbn [row]. apply positive_next; auto. Qed.
Lemma div_mono a b c d : 0 <= a <= c -> 0 < d <= b -> a / b <= c / d.
Proof.
  intros [H1 H2] [H3 H4]. unfold Rdiv. apply Rmult_le_compat; auto; [left; apply Rinv_0_lt_compat; lra|]. apply Rinv_le_contravar; auto.
Qed.
Lemma series_mono q q' d : 0 <= q <= q' -> q' < 1 -> positive d -> 0 <= series q d <= series q' d.
Proof.
  intros Hq Hq'. induction 1 as [|x d Hx Hd IH]; [simpl; lra|]. cbn [series].
  assert (0 <= q * series q d <= q' * series q' d) by (split; [apply Rmult_le_pos; lra|apply Rmult_le_compat; lra]).
  split; [|apply div_mono; lra]. apply Rmult_le_pos; [lra|]. left. apply Rinv_0_lt_compat. lra.
Qed.
Lemma upto_nonneg n g : (forall j, 0 <= g j) -> 0 <= upto n g.
Proof. intros H. induction n; simpl; [lra|]. specialize (H n). lra. Qed.
(* what is left of a series becomes small *)
Lemma series_rest q d e : 0 < q < 1 -> positive d -> 0 < e -> exists n, q ^ n * series q (row d n) <= e.
Proof.
  intros Hq Hd He. set (q' := (1 + q) / 2). assert (Hq' : q < q' < 1) by (unfold q'; lra).
  assert (Hb : 0 <= series q' d) by (apply (series_mono q' q'); auto; lra).
  assert (Hr : 0 < q / q' < 1).
  { split; [apply Rmult_lt_0_compat; [lra|apply Rinv_0_lt_compat; lra]|]. apply Rmult_lt_reg_r with q'; [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  destruct (pow_lt_1_zero (q / q') ltac:(rewrite Rabs_right; lra) (e / (series q' d + 1)) ltac:(apply Rmult_lt_0_compat; [lra|apply Rinv_0_lt_compat; lra])) as [n Hn].
  exists n. specialize (Hn n (le_n n)). rewrite Rabs_right in Hn by (left; apply Rgt_lt, pow_lt; lra).
  pose proof (series_partial q' d n ltac:(lra)) as P. pose proof (upto_nonneg n (fun j => q' ^ j * IZR (ev d j))) as U.
  assert (0 <= upto n (fun j => q' ^ j * IZR (ev d j))).
  { apply U. intros j. apply Rmult_le_pos; [left; apply pow_lt; lra|]. apply positive_hd. apply positive_row. auto. }
  destruct (series_mono q q' (row d n) ltac:(lra) ltac:(lra) (positive_row d n Hd)) as [S1 S2].
  assert (Hp' : 0 < q' ^ n) by (apply pow_lt; lra).
  assert (E : q ^ n = (q / q') ^ n * q' ^ n).
  { rewrite <- Rpow_mult_distr. f_equal. field. lra. }
  rewrite E. assert (K : q' ^ n * series q (row d n) <= series q' d).
  { apply Rle_trans with (q' ^ n * series q' (row d n)); [apply Rmult_le_compat_l; lra|lra]. }
  assert (0 <= q' ^ n * series q (row d n)) by (apply Rmult_le_pos; lra).
  apply Rle_trans with (e / (series q' d + 1) * series q' d).
  - rewrite Rmult_assoc. apply Rmult_le_compat; try lra. left. apply pow_lt. lra.
  - apply Rmult_le_reg_r with (series q' d + 1); [lra|]. replace (e / (series q' d + 1) * series q' d * (series q' d + 1)) with (e * series q' d) by (field; lra). lra.
Qed.
Lemma series_value a b d : (0 < a < b)%Z -> let '(n, c) := series_of a b d in (0 < c)%Z /\ series (IZR a / IZR b) d = IZR n / IZR c.
Proof.
  intros [Ha Hb]. assert (RA : 0 < IZR a) by (apply IZR_lt; lia). assert (RB : IZR a < IZR b) by (apply IZR_lt; lia).
  induction d as [|x d IH]; [simpl; split; [lia|field]|]. cbn [series_of series]. destruct (series_of a b d) as [n c]. destruct IH as [Hc E]. split; [nia|].
  rewrite E. apply IZR_lt in Hc. rewrite plus_IZR, !mult_IZR, minus_IZR. field. repeat split; lra.
Qed.
End Series.

(* ---- levels ---- *)
Lemma level_le a D r j : (0 < D)%Z -> (level a D r <= j)%nat <-> (r <= a + Z.of_nat j * D)%Z.
Proof.
  intros HD. unfold level. pose proof (Z.mul_div_le (r - a + D - 1) D HD). pose proof (Z.mul_succ_div_gt (r - a + D - 1) D HD). split; intros; nia.
Qed.
Lemma by_levels q l M : (l <= M)%nat -> q ^ l = (1 - q) * upto M (fun j => q ^ j * (if (l <=? j)%nat then 1 else 0)) + q ^ M.
Proof.
  induction M; intros H; [replace l with O by lia; simpl; ring|].
  destruct (Nat.eq_dec l (S M)) as [->|].
  - rewrite upto_zero; [ring|]. intros j Hj. destruct (Nat.leb_spec (S M) j); [lia|ring].
  - cbn [upto]. rewrite IHM by lia. destruct (Nat.leb_spec l M); [|lia]. simpl. ring.
Qed.
Section Weights.
Variables (k : nat) (a D : Z) (q : R).
Hypothesis Ha : (0 <= a)%Z.
Hypothesis HD : (0 < D)%Z.
Hypothesis Hq : 0 < q < 1.
Definition radius (j : nat) : Z := (a + Z.of_nat j * D)%Z.
Definition wt (x : vec k) : R := q ^ level a D (farthest x).
Lemma wt_pos x : 0 < wt x.
Proof. apply pow_lt. lra. Qed.
Lemma levels_sum (c : vec k -> R) M :
  vsum (radius M) (fun x => c x * wt x) = (1 - q) * upto M (fun j => q ^ j * vsum (radius j) c) + q ^ M * vsum (radius M) c.
Proof.
  assert (HR : forall j, (0 <= radius j)%Z) by (intros; unfold radius; nia).
  rewrite (vsum_ext k (radius M) _ (fun x => (1 - q) * upto M (fun j => q ^ j * (if (farthest x <=? radius j)%Z then c x else 0)) + q ^ M * c x)).
  - rewrite vsum_plus, !vsum_scale, vsum_upto. f_equal. f_equal. apply upto_ext. intros j Hj. rewrite vsum_scale, vsum_inside; auto. split; auto. unfold radius. nia.
  - intros x Hx. unfold wt. rewrite (by_levels q _ M) by (apply level_le; auto).
    rewrite Rmult_plus_distr_l. f_equal; [|ring]. rewrite (Rmult_comm (c x)), Rmult_assoc. f_equal.
    induction M as [|M IH]; [simpl; ring|]. clear Hx.
    assert (G : forall n, upto n (fun j => q ^ j * (if (level a D (farthest x) <=? j)%nat then 1 else 0)) * c x = upto n (fun j => q ^ j * (if (farthest x <=? radius j)%Z then c x else 0))).
    { induction n as [|n IHn]; [simpl; ring|]. cbn [upto]. rewrite <- IHn.
      pose proof (level_le a D (farthest x) n HD) as L. fold (radius n) in L.
      destruct (Nat.leb_spec (level a D (farthest x)) n), (Z.leb_spec (farthest x) (radius n)); try ring; exfalso; lia. }
    apply G.
  - right. auto.
Qed.
(* sums over the cubes of the levels are values of a polynomial *)
Section Polynomial.
Variables (c : vec k -> R) (scale : R) (d : list Z).
Hypothesis Hs : 0 < scale.
Hypothesis Hd : positive d.
Hypothesis Hc : forall x, 0 <= c x.
Hypothesis Hv : forall j, scale * vsum (radius j) c = IZR (ev d j).
Lemma levels_below r : scale * vsum r (fun x => c x * wt x) <= (1 - q) * series q d.
Proof.
  set (M := Z.to_nat r). assert (HR : (0 <= radius M)%Z /\ (r <= radius M)%Z) by (unfold radius, M; nia).
  apply Rle_trans with (scale * vsum (radius M) (fun x => c x * wt x)).
  - apply Rmult_le_compat_l; [lra|]. apply vsum_within; try apply HR. intros x. apply Rmult_le_pos; auto. left; apply wt_pos.
  - rewrite levels_sum. replace (scale * ((1 - q) * upto M (fun j => q ^ j * vsum (radius j) c) + q ^ M * vsum (radius M) c)) with
      ((1 - q) * (scale * upto M (fun j => q ^ j * vsum (radius j) c)) + q ^ M * (scale * vsum (radius M) c)) by ring.
    replace (scale * upto M (fun j => q ^ j * vsum (radius j) c)) with (upto M (fun j => q ^ j * IZR (ev d j))).
    + rewrite series_partial, Hv by lra. unfold ev. pose proof (positive_row d M Hd) as P.
      assert (IZR (hd 0%Z (row d M)) <= (1 - q) * series q (row d M)).
      { destruct P as [|x t Hx Ht]; cbn [series hd]; [lra|]. replace ((1 - q) * ((IZR x + q * series q t) / (1 - q))) with (IZR x + q * series q t) by (field; lra).
        assert (0 <= q * series q t) by (apply Rmult_le_pos; [lra|]; apply (series_mono q q t); auto; lra). lra. }
      assert (0 < q ^ M) by (apply pow_lt; lra). apply Rmult_le_compat_l with (r := q ^ M) in H; lra.
    + clear HR. induction M; [simpl; ring|]. cbn [upto]. rewrite IHM, <- Hv. ring.
Qed.
Lemma levels_reach e : 0 < e -> exists r, (1 - q) * series q d - e <= scale * vsum r (fun x => c x * wt x).
Proof.
  intros He. destruct (series_rest q d e Hq Hd He) as [M HM]. exists (radius M). rewrite levels_sum.
  replace (scale * ((1 - q) * upto M (fun j => q ^ j * vsum (radius j) c) + q ^ M * vsum (radius M) c)) with
    ((1 - q) * (scale * upto M (fun j => q ^ j * vsum (radius j) c)) + q ^ M * (scale * vsum (radius M) c)) by ring.
  replace (scale * upto M (fun j => q ^ j * vsum (radius j) c)) with (upto M (fun j => q ^ j * IZR (ev d j))).
  - rewrite series_partial, Hv by lra. assert (0 <= q ^ M * IZR (ev d M)).
    { apply Rmult_le_pos; [left; apply pow_lt; lra|]. apply positive_hd, positive_row; auto. }
    assert (0 <= q ^ M * series q (row d M)) by (apply Rmult_le_pos; [left; apply pow_lt; lra|]; apply (series_mono q q); auto using positive_row; lra).
    assert (q * (q ^ M * series q (row d M)) >= 0) by (apply Rle_ge, Rmult_le_pos; lra). lra.
  - clear HM. induction M; [simpl; ring|]. cbn [upto]. rewrite IHM, <- Hv. ring.
Qed.
End Polynomial.
(* privacy *)
Lemma wt_step x s E : (farthest s <= D)%Z -> 1 <= E * q -> wt (vadd x s) <= E * wt x.
Proof.
  intros Hs HE. unfold wt. assert (F : forall n (x s : vec n), (farthest x <= farthest (vadd x s) + farthest s)%Z).
  { induction n; intros u v; cbn [farthest vadd fst snd]; [lia|]. specialize (IHn (snd u) (snd v)). lia. }
  specialize (F k x s). set (l := level a D (farthest x)). set (m := level a D (farthest (vadd x s))).
  assert (L : (l <= S m)%nat).
  { apply level_le; auto. pose proof (proj1 (level_le a D (farthest (vadd x s)) m HD) (le_n _)). lia. }
  assert (q ^ S m <= q ^ l).
  { replace (S m) with (l + (S m - l))%nat by lia. rewrite pow_add. assert (0 < q ^ l) by (apply pow_lt; lra).
    rewrite <- (Rmult_1_r (q ^ l)) at 2. apply Rmult_le_compat_l; [lra|]. rewrite <- (pow1 (S m - l)). apply pow_incr. lra. }
  assert (0 < q ^ m) by (apply pow_lt; lra). simpl in H. assert (0 < E) by (destruct (Rle_dec E 0); [|lra]; assert (E * q <= 0 * q) by (apply Rmult_le_compat_r; lra); lra).
  apply Rle_trans with (E * (q * q ^ m)); [|apply Rmult_le_compat_l; lra]. rewrite <- Rmult_assoc. rewrite <- (Rmult_1_l (q ^ m)) at 1. apply Rmult_le_compat_r; lra.
Qed.
End Weights.
Lemma vadd_back k : forall (s x : vec k), exists y, vadd y s = x /\ forall z, vpoint x (vadd z s) = vpoint y z.
Proof.
  induction k; intros s x; [exists tt; destruct x; split; auto|]. destruct (IHk (snd s) (snd x)) as (y & Hy & Hz).
  exists ((fst x - fst s)%Z, y). cbn [vadd vpoint fst snd]. rewrite Hy. split.
  - destruct x as [x1 x2]. cbn [fst snd]. f_equal. lia.
  - intros z. rewrite Hz. f_equal. unfold point. destruct (Z.eqb_spec (fst z + fst s) (fst x)), (Z.eqb_spec (fst z) (fst x - fst s)); auto; lia.
Qed.

(* ---- the errors of cubes ---- *)
Lemma wsum_ends h r : (0 <= r)%Z -> wsum (- (r + 1)) (Z.to_nat (2 * (r + 1) + 1)) h = h (- (r + 1))%Z + wsum (- r) (Z.to_nat (2 * r + 1)) h + h (r + 1)%Z.
Proof.
  intros Hr. replace (Z.to_nat (2 * (r + 1) + 1)) with (1 + (Z.to_nat (2 * r + 1) + 1))%nat by lia. rewrite !wsum_split.
  replace (- (r + 1) + Z.of_nat 1)%Z with (- r)%Z by lia. replace (- r + Z.of_nat (Z.to_nat (2 * r + 1)))%Z with (r + 1)%Z by lia. cbn [wsum]. ring.
Qed.
Lemma sum_abs r : (0 <= r)%Z -> wsum (- r) (Z.to_nat (2 * r + 1)) (fun i => Rabs (IZR i)) = IZR r * (IZR r + 1).
Proof.
  intros Hr. pattern r. apply natlike_ind; auto; [simpl; rewrite Rabs_R0; ring|]. intros n Hn IH. unfold Z.succ. rewrite wsum_ends, IH by auto.
  apply IZR_le in Hn. rewrite <- !abs_IZR, Z.abs_opp, Z.abs_eq, plus_IZR by (apply le_IZR in Hn; lia). ring.
Qed.
Lemma sum_square r : (0 <= r)%Z -> 3 * wsum (- r) (Z.to_nat (2 * r + 1)) (fun i => IZR i * IZR i) = IZR r * (IZR r + 1) * IZR (2 * r + 1).
Proof.
  intros Hr. pattern r. apply natlike_ind; auto; [simpl; ring|]. intros n Hn IH. unfold Z.succ. rewrite wsum_ends by auto.
  rewrite !plus_IZR, mult_IZR in *. rewrite opp_IZR, plus_IZR. rewrite !Rmult_plus_distr_l, IH. ring.
Qed.
Lemma sum_total k h r : (0 <= r)%Z -> vsum r (@total_of_all k h) = INR k * IZR (2 * r + 1) ^ pred k * wsum (- r) (Z.to_nat (2 * r + 1)) h.
Proof.
  intros Hr. induction k; [simpl; ring|]. cbn [vsum total_of_all fst snd].
  rewrite (wsum_ext _ _ _ (fun i => IZR (2 * r + 1) ^ k * h i + vsum r (@total_of_all k h))).
  - rewrite wsum_plus, wsum_scale, wsum_const, side_INR, IHk by auto. rewrite S_INR. generalize (IZR (2 * r + 1)). intros s. destruct k; cbn [Nat.pred pow]; [simpl INR; ring|]. ring.
  - intros i _. rewrite (vsum_plus k r (fun _ => h i)). f_equal. rewrite <- (vsum_one k r Hr), Rmult_comm, <- vsum_scale. apply vsum_eq. intros; ring.
Qed.
Lemma sum_farthest k r : vsum (Z.of_nat r) (fun x : vec k => IZR (farthest x)) = IZR (Z.of_nat r * (2 * Z.of_nat r + 1) ^ Z.of_nat k - smaller k r).
Proof.
  rewrite (vsum_ext k _ _ (fun x => upto r (fun t => 1 - (if (farthest x <=? Z.of_nat t)%Z then 1 else 0)))).
  - rewrite vsum_upto. assert (G : forall n, (n <= r)%nat -> upto n (fun t => vsum (Z.of_nat r) (fun x : vec k => 1 - (if (farthest x <=? Z.of_nat t)%Z then 1 else 0))) = IZR (Z.of_nat n * (2 * Z.of_nat r + 1) ^ Z.of_nat k - smaller k n)).
    { induction n; intros Hn; [reflexivity|]. cbn [upto smaller]. rewrite IHn by lia.
      rewrite (vsum_eq k _ _ (fun x => 1 + -1 * (if (farthest x <=? Z.of_nat n)%Z then 1 else 0))) by (intros; ring).
      rewrite vsum_plus, vsum_scale, vsum_inside, !vsum_one by lia. rewrite !pow_IZR, <- !mult_IZR, <- plus_IZR, <- plus_IZR. f_equal.
      rewrite Nat2Z.inj_succ. ring. }
    apply G. lia.
  - intros x Hx. pose proof (farthest_nonneg k x) as Hn. set (m := farthest x) in *. clearbody m. revert m Hx Hn.
    induction r; intros m Hx Hn; [replace m with 0%Z by lia; reflexivity|]. cbn [upto]. destruct (Z.leb_spec m (Z.of_nat r)).
    + rewrite <- IHr by lia. ring.
    + replace m with (Z.of_nat r + 1)%Z in * by lia. rewrite (upto_ext r _ (fun _ => 1)).
      * assert (U : forall n, upto n (fun _ => 1) = IZR (Z.of_nat n)) by (induction n; [reflexivity|]; cbn [upto]; rewrite IHn, Nat2Z.inj_succ, succ_IZR; ring).
        rewrite U, plus_IZR. ring.
      * intros j Hj. destruct (Z.leb_spec (Z.of_nat r + 1) (Z.of_nat j)); [lia|ring].
  - right; lia.
Qed.

Section File.
Variable f : joint.
Notation k := (numbers f).
Hypothesis Hk : (0 < k)%nat.
Hypothesis Ha : (0 <= offset f)%Z.
Hypothesis HD : (0 < width f)%Z.
Notation R := (radius (offset f) (width f)).
Lemma radius_nonneg j : (0 <= R j)%Z.
Proof. unfold radius. nia. Qed.
Lemma counts_value j : ev (counts f) j = ((2 * R j + 1) ^ Z.of_nat k)%Z.
Proof. unfold counts, radius. rewrite ev_power, ev_one, Z.mul_1_r. f_equal. ring. Qed.
Lemma rows_value n i : ev (rows k (offset f) (width f) n) i = (smaller k (Z.to_nat (R i) + n) - smaller k (Z.to_nat (R i)))%Z.
Proof.
  induction n.
  - rewrite Nat.add_0_r, Z.sub_diag. assert (H : row [] i = []) by (induction i as [|i IH]; auto; cbn [row]; rewrite IH; reflexivity). unfold ev. cbn [rows]. rewrite H. reflexivity.
  - cbn [rows]. rewrite ev_plus, IHn, ev_power, ev_one, Nat.add_succ_r. cbn [smaller]. rewrite Nat2Z.inj_add, Z2Nat.id by apply radius_nonneg.
    replace (2 * (R i + Z.of_nat n) + 1)%Z with (2 * (offset f + Z.of_nat n) + 1 + Z.of_nat i * (2 * width f))%Z by (unfold radius; ring). ring.
Qed.
Lemma below_value j : ev (smaller k (Z.to_nat (offset f)) :: rows k (offset f) (width f) (Z.to_nat (width f))) j = smaller k (Z.to_nat (R j)).
Proof.
  induction j; [unfold ev, radius; cbn [row hd]; f_equal; lia|]. rewrite (proj2 (row_cons _ _ j)), IHj, rows_value.
  replace (Z.to_nat (R j) + Z.to_nat (width f))%nat with (Z.to_nat (R (S j))) by (pose proof (radius_nonneg j); unfold radius in *; lia). ring.
Qed.
Open Scope R_scope.
Lemma errors_value j : IZR (snd (errors f)) * vsum (R j) (fun x : vec k => error_of (j_error f) x) = IZR (ev (fst (errors f)) j).
Proof.
  pose proof (radius_nonneg j) as Hr. assert (HK : INR k <> 0) by (apply not_0_INR; lia). unfold errors, error_of. destruct (j_error f); cbn [fst snd].
  - rewrite (vsum_eq k _ _ (fun x => / INR k * total_of_all (fun i => Rabs (IZR i)) x)) by (intros; field; auto).
    rewrite vsum_scale, sum_total, sum_abs, !ev_times, ev_power, ev_one, Z.mul_1_r by auto.
    replace (2 * offset f + 1 + Z.of_nat j * (2 * width f))%Z with (2 * R j + 1)%Z by (unfold radius; ring).
    replace (offset f + 1 + Z.of_nat j * width f)%Z with (R j + 1)%Z by (unfold radius; ring). fold (R j). rewrite !mult_IZR, (plus_IZR (R j) 1), <- pow_IZR. field; auto.
  - rewrite (vsum_eq k _ _ (fun x => / INR k * total_of_all (fun i => IZR i * IZR i) x)) by (intros; field; auto).
    rewrite vsum_scale, sum_total, !ev_times, counts_value by auto. pose proof (sum_square (R j) Hr) as Q.
    replace (offset f + 1 + Z.of_nat j * width f)%Z with (R j + 1)%Z by (unfold radius; ring). fold (R j). rewrite !mult_IZR, <- pow_IZR, (plus_IZR (R j) 1).
    set (w := wsum _ _ _) in *. replace (3 * (/ INR k * (INR k * IZR (2 * R j + 1) ^ pred k * w))) with (IZR (2 * R j + 1) ^ pred k * (3 * w)) by (field; auto).
    rewrite Q. replace k with (S (pred k)) at 2 by lia. cbn [pow]. ring.
  - rewrite Rmult_1_l. rewrite <- (Z2Nat.id (R j)) at 1 by auto. rewrite sum_farthest, ev_plus, ev_opp, below_value, ev_times, counts_value, Z2Nat.id by auto. reflexivity.
Qed.
Lemma error_nonneg (x : vec k) : 0 <= error_of (j_error f) x.
Proof.
  assert (T : forall n h (y : vec n), (forall i, 0 <= h i) -> 0 <= total_of_all h y) by (induction n; intros h y Hh; cbn [total_of_all]; [lra|]; specialize (IHn h (snd y) Hh); specialize (Hh (fst y)); lra).
  assert (0 < INR k) by (apply lt_0_INR; auto).
  destruct (j_error f); cbn [error_of].
  - apply Rmult_le_pos; [apply T; intros; apply Rabs_pos|left; apply Rinv_0_lt_compat; auto].
  - apply Rmult_le_pos; [apply T; intros; apply Rle_0_sqr|left; apply Rinv_0_lt_compat; auto].
  - apply IZR_le. apply farthest_nonneg.
Qed.
End File.
Lemma positive_ok d : forallb (Z.leb 0) d = true -> positive d.
Proof. intros H. apply Forall_forall. intros x Hx. rewrite forallb_forall in H. apply IZR_le, Z.leb_le, H. auto. Qed.

Theorem joint_noise_sound f : joint_noise_check f = true -> joint_noise_claims f.
Proof.
  unfold joint_noise_check. destruct (j_ratio f) as [a b] eqn:Eq. destruct (errors f) as [d scale] eqn:Ee.
  destruct (series_of a b (counts f)) as [n1 c1] eqn:E1. destruct (series_of a b d) as [n2 c2] eqn:E2.
  rewrite !andb_true_iff, !Z.ltb_lt, !Z.leb_le. intros [[[[[[[[[[Hk HD] Ha] Ha0] Hab] He] Hp] Hn1] Hn2] Hu] Hc].
  set (q := ratio (j_ratio f)). set (k := numbers f) in *.
  assert (RA : 0 < IZR a) by (apply IZR_lt; lia). assert (RB : IZR a < IZR b) by (apply IZR_lt; lia).
  assert (Eqq : q = IZR a / IZR b) by (unfold q; rewrite Eq; reflexivity).
  assert (Hq : 0 < q < 1).
  { rewrite Eqq. split; [apply Rmult_lt_0_compat; auto; apply Rinv_0_lt_compat; lra|]. apply Rmult_lt_reg_r with (IZR b); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  pose proof (series_value a b (counts f) ltac:(lia)) as V1. rewrite E1 in V1. destruct V1 as [C1 V1]. rewrite <- Eqq in V1.
  pose proof (series_value a b d ltac:(lia)) as V2. rewrite E2 in V2. destruct V2 as [C2 V2]. rewrite <- Eqq in V2.
  apply positive_ok in Hn1, Hn2. assert (Hk' : (0 < k)%nat) by lia.
  assert (Hone : forall j, 1 * vsum (radius (offset f) (width f) j) (fun _ : vec k => 1) = IZR (ev (counts f) j)).
  { intros j. rewrite vsum_one, counts_value, <- pow_IZR by (apply radius_nonneg; auto). apply Rmult_1_l. }
  assert (Herr : forall j, IZR scale * vsum (radius (offset f) (width f) j) (fun x : vec k => error_of (j_error f) x) = IZR (ev d j)).
  { intros j. pose proof (errors_value f Hk' Ha HD j) as V. rewrite Ee in V. exact V. }
  assert (Hs : 0 < IZR scale). { unfold errors in Ee. destruct (j_error f); injection Ee as _ <-; lra. }
  set (total := (1 - q) * series q (counts f)). set (w := wt k (offset f) (width f) q).
  assert (W : forall x, level_weight f x = w x) by reflexivity.
  assert (Hpos : 0 < total).
  { assert (B := levels_below k (offset f) (width f) q Ha HD Hq (fun _ => 1) 1 (counts f) ltac:(lra) Hn1 ltac:(intros; lra) Hone 0).
    fold total in B. eapply Rlt_le_trans; [|exact B]. rewrite Rmult_1_l. apply Rlt_le_trans with (vsum 0 (fun x : vec k => q ^ level (offset f) (width f) 0 * 1)).
    - rewrite vsum_scale, vsum_one by lia. assert (0 < q ^ level (offset f) (width f) 0) by (apply pow_lt; lra). rewrite pow1. lra.
    - right. apply vsum_ext; [|right; lia]. intros x Hx. pose proof (farthest_nonneg k x). unfold w, wt. replace (farthest x) with 0%Z by lia. ring. }
  exists total. split; auto. cbv zeta. set (p := fun x : vec k => level_weight f x / total).
  assert (Pw : forall r, vsum r p = / total * (1 * vsum r (fun x => 1 * w x))).
  { intros r. rewrite Rmult_1_l, <- vsum_scale. apply vsum_eq. intros x. unfold p. rewrite W. field. lra. }
  assert (Hit : 0 < / total) by (apply Rinv_0_lt_compat; auto).
  assert (Hd : vdistribution p).
  { split; [|split].
    - intros x. unfold p. rewrite W. apply Rmult_le_pos; [left; apply wt_pos; auto|lra].
    - intros r. rewrite Pw. apply Rle_trans with (/ total * total); [|right; apply Rinv_l; lra]. apply Rmult_le_compat_l; [lra|]. exact (levels_below k (offset f) (width f) q Ha HD Hq (fun _ => 1) 1 (counts f) ltac:(lra) Hn1 ltac:(intros; lra) Hone r).
    - intros e Hep. destruct (levels_reach k (offset f) (width f) q Ha HD Hq (fun _ => 1) 1 (counts f) Hn1 Hone (e * total)) as [r Hr]; [apply Rmult_lt_0_compat; auto|].
      exists r. rewrite Pw. fold total in Hr. fold w in Hr. apply Rle_trans with (/ total * (total - e * total)); [right; field; lra|]. apply Rmult_le_compat_l; lra. }
  split; auto. split; [apply vnoise_exists; auto|]. intros X HX. destruct (enclosure_sound _ He) as (_ & HE & _).
  split.
  - intros A s [HA HA01] Hsm. rewrite Rplus_0_r. apply (vmasses_private k X p HX Hd); auto; [left; apply exp_pos| |apply vadd_back].
    intros x y <-. unfold p. rewrite !W. unfold Rdiv. rewrite <- Rmult_assoc. apply Rmult_le_compat_r; [lra|]. apply wt_step; auto.
    apply IZR_le in Hp. rewrite !mult_IZR in Hp. assert (U : 0 < IZR (2 ^ kept)) by (apply IZR_lt; reflexivity).
    apply Rle_trans with (IZR (fst (enclosure (j_epsilon f))) / IZR (2 ^ kept) * q); [|apply Rmult_le_compat_r; lra].
    rewrite Eqq. apply Rmult_le_reg_r with (IZR b * IZR (2 ^ kept)); [apply Rmult_lt_0_compat; lra|].
    replace (IZR (fst (enclosure (j_epsilon f))) / IZR (2 ^ kept) * (IZR a / IZR b) * (IZR b * IZR (2 ^ kept))) with (IZR a * IZR (fst (enclosure (j_epsilon f)))) by (field; lra). lra.
  - intros g Hg Hgb Hgc. apply (vmasses_loss k X p HX Hd (fun x => error_of (j_error f) x)); auto. intros r Hr.
    rewrite (vsum_eq k r _ (fun x => / total * (error_of (j_error f) x * w x))) by (intros x; unfold p; rewrite W; field; lra).
    rewrite vsum_scale. pose proof (levels_below k (offset f) (width f) q Ha HD Hq (fun x => error_of (j_error f) x) (IZR scale) d Hs Hn2 (error_nonneg f Hk') Herr r) as B. fold w in B.
    apply Rmult_le_reg_l with (total * IZR scale); [apply Rmult_lt_0_compat; auto|].
    replace (total * IZR scale * (/ total * vsum r (fun x : vec k => error_of (j_error f) x * w x))) with (IZR scale * vsum r (fun x : vec k => error_of (j_error f) x * w x)) by (field; lra).
    eapply Rle_trans; [exact B|]. unfold total. rewrite V1, V2. unfold ratio. apply IZR_lt in C1, C2, Hu. apply IZR_le in Hc. rewrite !mult_IZR in Hc.
    replace ((1 - q) * (IZR n1 / IZR c1) * IZR scale * (IZR (fst (j_upper f)) / IZR (snd (j_upper f)))) with ((1 - q) * ((IZR n1 / IZR c1) * IZR scale * (IZR (fst (j_upper f)) / IZR (snd (j_upper f))))) by ring.
    apply Rmult_le_compat_l; [lra|]. apply Rmult_le_reg_r with (IZR c1 * IZR c2 * IZR (snd (j_upper f))); [repeat apply Rmult_lt_0_compat; auto|].
    replace (IZR n2 / IZR c2 * (IZR c1 * IZR c2 * IZR (snd (j_upper f)))) with (IZR n2 * IZR c1 * IZR (snd (j_upper f))) by (field; lra).
    eapply Rle_trans; [exact Hc|]. right. field. lra.
Qed.
