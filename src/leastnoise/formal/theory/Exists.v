(* Masses that are not negative and sum to 1 are those of a law: what is claimed about "every law
   with the masses of the file" is about at least one. *)
Require Import Reals ZArith List Lra Lia ClassicalDedekindReals.
Require Import Formal.Statements Formal.Laws Formal.Masses.
Open Scope R_scope.

(* the least upper bound of a sequence if it has one, otherwise 0 *)
Lemma bound_or_not (u : nat -> R) : {M : nat | forall n, u n <= INR M} + {forall M : nat, ~ forall n, u n <= INR M}.
Proof.
  destruct (sig_forall_dec (fun M => ~ forall n, u n <= INR M)) as [[M HM]|H].
  - intros M. destruct (sig_forall_dec (fun n => u n <= INR M)) as [[n Hn]|H].
    + intros n. destruct (Rle_dec (u n) (INR M)); auto.
    + left. intros K. exact (Hn (K n)).
    + right. intros K. exact (K H).
  - left. exists M. destruct (sig_forall_dec (fun n => u n <= INR M)) as [[n Hn]|K]; auto.
    + intros n. destruct (Rle_dec (u n) (INR M)); auto.
    + exfalso. apply HM. intros K. exact (Hn (K n)).
  - right. exact H.
Qed.
Lemma least_upper (u : nat -> R) M : (forall n, u n <= INR M) -> {l | is_lub (fun x => exists n, x = u n) l}.
Proof.
  intros H. apply completeness.
  - exists (INR M). intros x [n ->]. apply H.
  - exists (u 0%nat), 0%nat. reflexivity.
Qed.
Definition sup (u : nat -> R) : R := match bound_or_not u with
  | inleft (exist _ M H) => proj1_sig (least_upper u M H) | inright _ => 0 end.
Lemma sup_limit u M : (forall n, u n <= u (S n)) -> (forall n, u n <= M) -> Un_cv u (sup u).
Proof.
  intros Hg HM. unfold sup. destruct (bound_or_not u) as [[K HK]|H].
  - destruct (least_upper u K HK) as [l [Hub Hlub]]. simpl. intros e He.
    assert (Hn : exists n, l - e < u n).
    { destruct (sig_forall_dec (fun n => u n <= l - e)) as [[n Hn]|C].
      - intros n. destruct (Rle_dec (u n) (l - e)); auto.
      - exists n. lra.
      - assert (l <= l - e); [|lra]. apply Hlub. intros x [n ->]. apply C. }
    destruct Hn as [N HN]. exists N. intros n Hn. unfold R_dist.
    assert (u N <= u n) by (induction Hn; [lra | specialize (Hg m); lra]).
    assert (u n <= l) by (apply Hub; exists n; auto). rewrite Rabs_left1; lra.
  - exfalso. apply (H (Z.to_nat (up M))). intros n. eapply Rle_trans; [apply HM|].
    rewrite INR_IZR_INZ. destruct (archimed M) as [A _].
    apply Rle_trans with (IZR (up M)); [lra|]. apply IZR_le. lia.
Qed.

Section Law.
Variable p : Z -> R.
Hypothesis Hp : distribution p.
(* the sum over -n..n-1 *)
Definition part (f : Z -> R) (n : nat) : R := wsum (- Z.of_nat n) (n + n) (fun i => f i * p i).
Definition average (f : Z -> R) : R := sup (part (fun i => Rmax 0 (f i))) - sup (part (fun i => Rmax 0 (- f i))).

Lemma part_grows f n : (forall i, 0 <= f i) -> part f n <= part f (S n).
Proof. intros Hf. destruct Hp as (H0 & _). apply wsum_within; [intros; apply Rmult_le_pos; auto | lia | lia]. Qed.
Lemma part_bounded f M n : 0 <= M -> (forall i, f i <= M) -> part f n <= M.
Proof.
  intros HM Hf. destruct Hp as (H0 & H1 & _). unfold part.
  apply Rle_trans with (wsum (- Z.of_nat n) (n + n) (fun i => M * p i)).
  - apply wsum_le. intros i _. apply Rmult_le_compat_r; auto.
  - rewrite wsum_scale. specialize (H1 (- Z.of_nat n)%Z (n + n)%nat).
    rewrite <- (Rmult_1_r M) at 2. apply Rmult_le_compat_l; auto.
Qed.
Lemma average_limit f : bounded f -> Un_cv (part f) (average f).
Proof.
  intros [M HM]. assert (HM0 : 0 <= M) by (specialize (HM 0%Z); pose proof (Rabs_pos (f 0%Z)); lra).
  assert (H : forall g, (forall i, g i <= M) -> Un_cv (part (fun i => Rmax 0 (g i))) (sup (part (fun i => Rmax 0 (g i))))).
  { intros g Hg. apply sup_limit with M.
    - intros n. apply part_grows. intros. apply Rmax_l.
    - intros n. apply part_bounded; auto. intros i. apply Rmax_lub; auto. }
  assert (Hf : forall i, - M <= f i <= M) by (intros i; specialize (HM i); unfold Rabs in HM; destruct Rcase_abs; lra).
  pose proof (CV_minus _ _ _ _ (H f ltac:(intros i; apply Hf)) (H (fun i => - f i) ltac:(intros i; specialize (Hf i); lra))) as K.
  intros e He. destruct (K e He) as [N HN]. exists N. intros n Hn. specialize (HN n Hn).
  replace (part f n) with (part (fun i => Rmax 0 (f i)) n - part (fun i => Rmax 0 (- f i)) n); auto.
  unfold part, Rminus. rewrite <- (Rmult_1_l (wsum _ _ (fun i => Rmax 0 (- f i) * p i))), Ropp_mult_distr_l.
  rewrite <- wsum_scale, <- wsum_plus. apply wsum_ext. intros i _.
  unfold Rmax. destruct (Rle_dec 0 (f i)), (Rle_dec 0 (- f i)); try lra; replace (f i) with 0 by lra; lra.
Qed.
Lemma bounded_sum (f g : Z -> R) : bounded f -> bounded g -> bounded (fun i => f i + g i).
Proof. apply bounded_add. Qed.

Definition law_of : zlaw.
Proof.
  refine (Build_law Z Z Z.add (fun _ => True) (fun _ => True) average _ _ _ _ _ _ _ _ _ _); auto.
  - apply (UL_sequence (part (fun _ => 1))); [apply average_limit; apply bounded_const|].
    destruct Hp as (H0 & H1 & H2). intros e He. destruct (H2 (e / 2) ltac:(lra)) as (lo & n & Hn).
    exists (Z.to_nat (Z.abs lo + Z.of_nat n)). intros k Hk. unfold R_dist, part.
    rewrite (wsum_ext _ _ _ p) by (intros; ring). specialize (H1 (- Z.of_nat k)%Z (k + k)%nat).
    assert (wsum lo n p <= wsum (- Z.of_nat k) (k + k) p) by (apply wsum_within; auto; lia).
    rewrite Rabs_left1 by lra. lra.
  - intros f g _ Hf _ Hg. apply (UL_sequence (part (fun i => f i + g i))); [apply average_limit, bounded_add; auto|].
    pose proof (CV_plus _ _ _ _ (average_limit f Hf) (average_limit g Hg)) as K.
    intros e He. destruct (K e He) as [N HN]. exists N. intros n Hn. specialize (HN n Hn).
    replace (part (fun i => f i + g i) n) with (part f n + part g n); auto.
    unfold part. rewrite <- wsum_plus. apply wsum_ext. intros. ring.
  - intros a f _ Hf. apply (UL_sequence (part (fun i => a * f i))); [apply average_limit, bounded_scale; auto|].
    assert (Ha : Un_cv (fun _ => a) a) by (intros e He; exists 0%nat; intros; unfold R_dist; replace (a - a) with 0 by ring; rewrite Rabs_R0; auto).
    pose proof (CV_mult _ _ _ _ Ha (average_limit f Hf)) as K.
    intros e He. destruct (K e He) as [N HN]. exists N. intros n Hn. specialize (HN n Hn).
    replace (part (fun i => a * f i) n) with (a * part f n); auto.
    unfold part. rewrite <- wsum_scale. apply wsum_ext. intros. ring.
  - intros f g _ Hf _ Hg Hle. apply Rnot_lt_le. intros Hlt.
    destruct (average_limit f Hf ((average f - average g) / 2) ltac:(lra)) as [N HN].
    destruct (average_limit g Hg ((average f - average g) / 2) ltac:(lra)) as [N' HN'].
    specialize (HN (N + N')%nat ltac:(lia)). specialize (HN' (N + N')%nat ltac:(lia)).
    assert (part f (N + N') <= part g (N + N')).
    { destruct Hp as (H0 & _). apply wsum_le. intros i _. apply Rmult_le_compat_r; auto. }
    unfold R_dist, Rabs in HN, HN'. destruct (Rcase_abs _) in HN; destruct (Rcase_abs _) in HN'; lra.
Defined.

Theorem noise_exists : exists X : zlaw, has_masses X p.
Proof.
  exists law_of. intros i. unfold mean. simpl.
  assert (Hb : bounded (point i)).
  { exists 1. intros j. unfold point. destruct (j =? i)%Z; rewrite Rabs_right; lra. }
  apply (UL_sequence (part (point i))); [apply average_limit; auto|].
  intros e He. exists (Z.to_nat (Z.abs i + 1)). intros n Hn. unfold R_dist, part.
  rewrite (wsum_ext _ _ _ (fun j => p i * point j i)).
  - rewrite wsum_scale. pose proof (window_at (- Z.of_nat n) (n + n) (fun _ => 1) i) as W.
    rewrite (wsum_ext _ _ (fun j => 1 * point j i) (fun j => point j i)) in W by (intros; ring). rewrite W.
    destruct (Z.leb_spec (- Z.of_nat n) i), (Z.ltb_spec i (- Z.of_nat n + Z.of_nat (n + n))); try lia.
    simpl. replace (p i * 1 - p i) with 0 by ring. rewrite Rabs_R0. auto.
  - intros j _. unfold point. rewrite (Z.eqb_sym i j). destruct (Z.eqb_spec j i) as [->|]; ring.
Qed.
End Law.
