(* Whole noise of a file is itself among the noise that its lower bound is about: it is as private and
   obeys the constraints in the sense in which everybody's noise must. *)
Require Import Reals ZArith List Bool Lra Lia FunctionalExtensionality.
Require Import Formal.Statements Formal.Laws Formal.Masses Formal.Tail Formal.Check Formal.Obeys.
Import ListNotations.
Open Scope R_scope.

Section Masses.
Variables (X : zlaw) (p : Z -> R).
Hypothesis HX : has_masses X p.
Hypothesis Hp : distribution p.
(* sums over symmetric windows come as near to a mean as one likes *)
Lemma mean_below f M v : (forall i, Rabs (f i) <= M) -> (forall n, wsum (- Z.of_nat n) (2 * n + 1) (fun i => f i * p i) <= v) -> mean X f <= v.
Proof.
  intros HM Hv. assert (HM0 : 0 <= M) by (pose proof (HM 0%Z); pose proof (Rabs_pos (f 0%Z)); lra).
  apply le_epsilon. intros e He. destruct Hp as (Hp0 & _ & Hpe).
  destruct (Hpe (e / (M + 1))) as (lo & m & Hw); [apply Rmult_lt_0_compat; auto; apply Rinv_0_lt_compat; lra|].
  set (n := (Z.to_nat (Z.abs lo) + m)%nat). pose proof (window_above X p HX (- Z.of_nat n) (2 * n + 1) f M HM) as W.
  assert (wsum lo m p <= wsum (- Z.of_nat n) (2 * n + 1) p) by (apply wsum_within; auto; unfold n; lia).
  assert (M * (1 - wsum (- Z.of_nat n) (2 * n + 1) p) <= M * (e / (M + 1))) by (apply Rmult_le_compat_l; lra).
  assert (M * (e / (M + 1)) <= e).
  { apply Rmult_le_reg_r with (M + 1); [lra|]. replace (M * (e / (M + 1)) * (M + 1)) with (M * e) by (field; lra). lra. }
  specialize (Hv n). lra.
Qed.
Lemma masses_even : (forall i, p (- i)%Z = p i) -> even Z.opp X.
Proof.
  intros He f _ [M HM]. split; [apply meas_basic; exact I|].
  assert (Hle : forall g, (forall i, Rabs (g i) <= M) -> mean X (fun i => g (- i)%Z) <= mean X g).
  { intros g Hg. set (h := fun i => g i + M).
    assert (Hh : forall i, 0 <= h i) by (intros i; specialize (Hg i); unfold h, Rabs in *; destruct Rcase_abs in Hg; lra).
    assert (HM0 : 0 <= M) by (pose proof (Hg 0%Z); pose proof (Rabs_pos (g 0%Z)); lra).
    assert (Bg : forall k : Z -> Z, good Z Z Z.add (fun _ => True) X (fun i => g (k i))) by (intros k; split; [apply meas_basic; exact I | exists M; auto]).
    assert (E : forall k : Z -> Z, mean X (fun i => h (k i)) = mean X (fun i => g (k i)) + M).
    { intros k. unfold h, mean. rewrite (ex_plus Z Z Z.add (fun _ => True) X (fun i => g (k i))) by (auto using good_const). rewrite (ex_const Z Z Z.add (fun _ => True) X M). reflexivity. }
    assert (K : mean X (fun i => h (- i)%Z) <= mean X h).
    { apply (mean_below _ (2 * M)).
      - intros i. rewrite Rabs_right by (apply Rle_ge, Hh). unfold h. specialize (Hg (- i)%Z). unfold Rabs in Hg. destruct Rcase_abs in Hg; lra.
      - intros n. rewrite wsum_reflect. replace (1 - - Z.of_nat n - Z.of_nat (2 * n + 1))%Z with (- Z.of_nat n)%Z by lia.
        rewrite (wsum_ext _ _ _ (fun i => h i * p i)) by (intros i _; rewrite Z.opp_involutive, He; reflexivity).
        apply (window_below X p HX); auto. exists (2 * M). intros i. rewrite Rabs_right by (apply Rle_ge, Hh). unfold h. specialize (Hg i). unfold Rabs in Hg. destruct Rcase_abs in Hg; lra. }
    assert (E1 : mean X (fun i => h (- i)%Z) = mean X (fun i => g (- i)%Z) + M) by exact (E Z.opp).
    assert (E2 : mean X h = mean X g + M) by exact (E (fun i => i)). lra. }
  apply Rle_antisym; [apply (Hle f HM)|]. pose proof (Hle (fun i => f (- i)%Z) ltac:(intros; apply HM)) as K. cbv beta in K.
  replace (fun i => f (- - i)%Z) with f in K by (extensionality i; rewrite Z.opp_involutive; reflexivity). exact K.
Qed.
Lemma masses_peaked a : (forall i, (a <= IZR i -> p (i + 1)%Z <= p i) /\ (IZR (i + 1) <= a -> p i <= p (i + 1)%Z)) -> peaked IZR IZR a X.
Proof.
  intros H A s [_ H01] HA. destruct Hp as (Hp0 & _).
  assert (Right : forall t i, a <= IZR i -> p (i + Z.of_nat t)%Z <= p i).
  { induction t as [|t IH]; intros i Hi; [replace (i + Z.of_nat 0)%Z with i by lia; lra|]. eapply Rle_trans; [|apply (IH i Hi)].
    replace (i + Z.of_nat (S t))%Z with (i + Z.of_nat t + 1)%Z by lia. apply H. eapply Rle_trans; [exact Hi|]. apply IZR_le. lia. }
  assert (Left : forall t i, IZR i <= a -> p (i - Z.of_nat t)%Z <= p i).
  { induction t as [|t IH]; intros i Hi; [replace (i - Z.of_nat 0)%Z with i by lia; lra|]. eapply Rle_trans; [|apply (IH i Hi)].
    replace (i - Z.of_nat t)%Z with (i - Z.of_nat (S t) + 1)%Z by lia. apply H. eapply Rle_trans; [|exact Hi]. apply IZR_le. lia. }
  assert (HB : forall i, Rabs (A i) <= 1) by (intros i; destruct (H01 i) as [-> | ->]; rewrite Rabs_right; lra).
  apply (mean_below A 1 _ HB). intros n.
  apply Rle_trans with (wsum (- Z.of_nat n) (2 * n + 1) (fun i => (fun j => A (j + s)%Z * p j) (i + - s)%Z)).
  - apply wsum_le. intros i _. replace (i + - s + s)%Z with i by lia. destruct (Req_dec (A i) 0) as [E|E]; [rewrite E; lra|].
    assert (0 <= A i) by (destruct (H01 i) as [-> | ->]; lra). apply Rmult_le_compat_l; auto. destruct (HA i E) as [[S1 S2]|[S1 S2]].
    + apply le_IZR in S1. replace i with (i + - s + Z.of_nat (Z.to_nat s))%Z at 1 by lia. apply Right. rewrite plus_IZR, opp_IZR. lra.
    + apply (le_IZR s 0) in S1. replace i with (i + - s - Z.of_nat (Z.to_nat (- s)))%Z at 1 by lia. apply Left. rewrite plus_IZR, opp_IZR. lra.
  - rewrite (wsum_shift _ (- s) _ (fun j => A (j + s)%Z * p j)). apply (window_below X p HX (- Z.of_nat n + - s)%Z _ (fun j => A (j + s)%Z)).
    + exists 1. intros j. apply HB.
    + intros j. destruct (H01 (j + s)%Z) as [-> | ->]; lra.
Qed.
End Masses.

Theorem own_rival f m (X : zlaw) : check f m = true -> the_kind f = Integer -> has_masses X (mass f) -> whole_rival f X.
Proof.
  intros Hc Hk HX. pose proof (check_sound f m Hc) as K. unfold claims in K. rewrite Hk in K. destruct K as (Hp & HXs & Hd & _). destruct (HXs X HX) as [Hpriv _].
  split; [exact Hpriv|]. intros d Hin. specialize (Hd d Hin).
  assert (Vanish : forall A, event X A -> (forall j, mass f j <> 0 -> A j = 0) -> ex X A = 0).
  { intros A [HA H01] H. apply Rle_antisym.
    - apply (masses_loss X (mass f) HX Hp A); [|exists 1; intros j; destruct (H01 j) as [-> | ->]; rewrite Rabs_right; lra|intros; lra].
      intros lo n. rewrite (wsum_zero n lo); [lra|]. intros i _. destruct (Req_dec (mass f i) 0) as [E|E]; [rewrite E; ring | rewrite (H i E); ring].
    - apply (ex_nonneg Z Z Z.add (fun _ => True) X A); [split; auto; exists 1; intros j; destruct (H01 j) as [-> | ->]; rewrite Rabs_right; lra|].
      intros j. destruct (H01 j) as [-> | ->]; lra. }
  split.
  - intros A HA Hout. destruct d; cbn [whole_obeys allowed] in *; apply Vanish; auto.
  - destruct d; cbn [whole_obeys] in Hd; auto.
    + apply (masses_even X (mass f) HX Hp Hd).
    + apply (masses_peaked X (mass f) HX Hp _ Hd).
Qed.
