(* Private mass on the shell of a cube: on average it falls by no more than e^epsilon to the next. *)
Require Import Reals ZArith List Bool Lra Lia.
Require Import Formal.Statements Formal.Laws Formal.Masses Formal.Joint Formal.Vectors Formal.JointNoise Formal.Orbits Formal.Flow.
Import ListNotations.
Open Scope R_scope.

(* ---- sums of pairs ---- *)
Lemma upto_mult n m g h : upto n g * upto m h = upto n (fun i => upto m (fun j => g i * h j)).
Proof. induction n; simpl; [ring|]. rewrite <- IHn, upto_scale. ring. Qed.
Lemma upto_swap n m (D : nat -> nat -> R) : upto n (fun i => upto m (D i)) = upto m (fun j => upto n (fun i => D i j)).
Proof. induction n; simpl; [rewrite upto_zero; auto|]. rewrite IHn, <- upto_plus. reflexivity. Qed.
Lemma pairs_nonneg n (D : nat -> nat -> R) : (forall i j, (i < n)%nat -> (j < n)%nat -> (i <= j)%nat -> 0 <= D i j + D j i) -> 0 <= upto n (fun i => upto n (D i)).
Proof.
  intros H. assert (2 * upto n (fun i => upto n (D i)) = upto n (fun i => upto n (fun j => D i j + D j i))).
  { rewrite (upto_ext n (fun i => upto n (fun j => D i j + D j i)) (fun i => upto n (D i) + upto n (fun j => D j i))) by (intros; apply upto_plus).
    rewrite upto_plus. replace (upto n (fun i => upto n (fun j => D j i))) with (upto n (fun i => upto n (D i))) by exact (upto_swap n n D). ring. }
  assert (0 <= upto n (fun i => upto n (fun j => D i j + D j i))); [|lra].
  rewrite <- (upto_zero n (fun _ => 0)) by auto. apply upto_le. intros i Hi. rewrite <- (upto_zero n (fun _ => 0)) by auto. apply upto_le. intros j Hj.
  destruct (Nat.le_ge_cases i j); [apply H; auto|]. rewrite Rplus_comm. apply H; auto.
Qed.

(* ---- one number: uniform weights from -m to m, ends with the weight t ---- *)
Definition ends (m : Z) (t : R) (z : Z) : R := if (Z.abs z =? m)%Z then t else 1.
Section Line.
Variables (m : nat) (t s : R).
Hypothesis Hm : (1 <= m)%nat.
Hypothesis Hst : 0 <= s <= t.
Hypothesis Ht : t <= 1.
Definition long (a : nat) (r : R) : R := 2 * INR a - 1 + 2 * r.
Let L := long m t.
Let L' := long (S m) s.
Let d := / L - / L'.
Let Hm1 : 1 <= INR m. Proof. apply (le_INR 1). auto. Qed.
Let L_pos : 1 <= L. Proof. unfold L, long. lra. Qed.
Let L_more : L <= L' <= L + 2. Proof. unfold L, L', long. rewrite S_INR. lra. Qed.
Let d_pos : 0 <= d.
Proof. unfold d. assert (/ L' <= / L) by (apply Rinv_le_contravar; lra). lra. Qed.
Let d_small a : 0 <= a -> a * 2 <= L' -> a * d <= / L.
Proof.
  intros Ha Hl. apply Rmult_le_reg_r with (L * L'); [apply Rmult_lt_0_compat; lra|]. unfold d.
  replace (a * (/ L - / L') * (L * L')) with (a * (L' - L)) by (field; lra). replace (/ L * (L * L')) with L' by (field; lra).
  assert (a * (L' - L) <= a * 2) by (apply Rmult_le_compat_l; lra). lra.
Qed.
Lemma line_sizes (G G' : nat -> R) : (forall a, G a <= G' a /\ G a <= G' (S a)) ->
  upto (S m) (fun a => ends (Z.of_nat m) t (Z.of_nat a) * G a / (if (a =? 0)%nat then 2 else 1)) / L <=
  upto (S (S m)) (fun a => ends (Z.of_nat (S m)) s (Z.of_nat a) * G' a / (if (a =? 0)%nat then 2 else 1)) / L'.
Proof.
  intros H. set (c := fun (F : nat -> R) a => F a / (if (a =? 0)%nat then 2 else 1)).
  assert (E : forall (F : nat -> R) r M N, (N <= M)%nat -> upto N (fun a => ends (Z.of_nat M) r (Z.of_nat a) * F a / (if (a =? 0)%nat then 2 else 1)) = upto N (c F)).
  { intros F r M N HN. apply upto_ext. intros a Ha. unfold ends, c. destruct (Z.eqb_spec (Z.abs (Z.of_nat a)) (Z.of_nat M)); [lia|]. unfold Rdiv. ring. }
  assert (P : forall j, (j < m)%nat -> upto (S j) (c G) / L <= upto (S j) (c G') / L' + (INR j + / 2) * d * G' (S j)).
  { induction j; intros Hj.
    - cbn [upto]. unfold c. simpl (0 =? 0)%nat. cbv iota. destruct (H 0%nat) as [H1 H2]. simpl INR.
      replace ((0 + G 0%nat / 2) / L) with (/ L' * G 0%nat / 2 + d * G 0%nat / 2) by (unfold d; field; lra).
      assert (/ L' * G 0%nat <= / L' * G' 0%nat) by (apply Rmult_le_compat_l; auto; left; apply Rinv_0_lt_compat; lra).
      assert (d * G 0%nat <= d * G' 1%nat) by (apply Rmult_le_compat_l; auto). unfold Rdiv in *. lra.
    - specialize (IHj ltac:(lia)). change (upto (S (S j)) (c G)) with (upto (S j) (c G) + c G (S j)). change (upto (S (S j)) (c G')) with (upto (S j) (c G') + c G' (S j)).
      unfold c at 2 4. simpl (S j =? 0)%nat. cbv iota. destruct (H (S j)) as [H1 H2]. rewrite S_INR.
      assert (K : (INR j + 1 + / 2) * d <= / L).
      { apply d_small; [pose proof (pos_INR j); lra|]. unfold L', long. assert (INR (S j) <= INR m - 1) by (assert (INR (S (S j)) <= INR m) by (apply le_INR; lia); rewrite (S_INR (S j)) in H0; lra). rewrite S_INR in *. lra. }
      assert (0 <= (INR j + 1 + / 2) * d) by (apply Rmult_le_pos; auto; pose proof (pos_INR j); lra).
      apply Rmult_le_compat_l with (r := / L - (INR j + 1 + / 2) * d) in H1; [|lra]. apply Rmult_le_compat_l with (r := (INR j + 1 + / 2) * d) in H2; auto.
      assert (Q : (/ L - (INR j + 1 + / 2) * d) * G' (S j) + (INR j + / 2) * d * G' (S j) = / L' * G' (S j)) by (unfold d; ring).
      unfold Rdiv in *. rewrite Rinv_1. lra. }
  assert (Hn : exists n, m = S n) by (exists (pred m); lia). destruct Hn as [n Em]. specialize (P n ltac:(lia)). rewrite <- Em in P.
  change (upto (S m) (fun a => ends (Z.of_nat m) t (Z.of_nat a) * G a / (if (a =? 0)%nat then 2 else 1))) with
    (upto m (fun a => ends (Z.of_nat m) t (Z.of_nat a) * G a / (if (a =? 0)%nat then 2 else 1)) + ends (Z.of_nat m) t (Z.of_nat m) * G m / (if (m =? 0)%nat then 2 else 1)).
  change (upto (S (S m)) (fun a => ends (Z.of_nat (S m)) s (Z.of_nat a) * G' a / (if (a =? 0)%nat then 2 else 1))) with
    (upto (S m) (fun a => ends (Z.of_nat (S m)) s (Z.of_nat a) * G' a / (if (a =? 0)%nat then 2 else 1)) + ends (Z.of_nat (S m)) s (Z.of_nat (S m)) * G' (S m) / (if (S m =? 0)%nat then 2 else 1)).
  rewrite !E by lia. cbn [upto]. unfold ends. rewrite !Z.abs_eq, !Z.eqb_refl by lia. change (S m =? 0)%nat with false. replace (m =? 0)%nat with false by (rewrite Em; reflexivity). cbv iota.
  unfold c at 3. replace (m =? 0)%nat with false by (rewrite Em; reflexivity). destruct (H m) as [H1 H2].
  assert (I : s * / L' <= t * / L) by (apply Rmult_le_compat; try lra; [left; apply Rinv_0_lt_compat; lra|apply Rinv_le_contravar; lra]).
  assert (I0 : 0 <= s * / L') by (apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra]).
  apply Rmult_le_compat_l with (r := t * / L - s * / L') in H1; [|lra]. apply Rmult_le_compat_l with (r := s * / L') in H2; auto.
  assert (Q : (INR n + / 2) * d * G' m + (t * / L - s * / L') * G' m = / L' * G' m).
  { assert (En : INR m = INR n + 1) by (rewrite Em at 1; apply S_INR). unfold d. assert (EL : / L * (INR n + / 2 + t) = / 2) by (replace (INR n + / 2 + t) with (L / 2) by (unfold L, long; lra); field; lra).
    assert (EL' : / L' * (INR n + / 2 + s) = / 2 - / L') by (replace (INR n + / 2 + s) with (L' / 2 - 1) by (unfold L', long; rewrite S_INR; lra); field; lra).
    replace ((INR n + / 2) * (/ L - / L') * G' m + (t * / L - s * / L') * G' m) with ((/ L * (INR n + / 2 + t) - / L' * (INR n + / 2 + s)) * G' m) by ring. rewrite EL, EL'. ring. }
  unfold Rdiv in *. rewrite Rinv_1. lra.
Qed.
Lemma line (g g' : Z -> R) : (forall i j, (Z.abs (j - i) <= 1)%Z -> g i <= g' j) ->
  wsum (- Z.of_nat m) (Z.to_nat (2 * Z.of_nat m + 1)) (fun z => ends (Z.of_nat m) t z * g z) / L <=
  wsum (- Z.of_nat (S m)) (Z.to_nat (2 * Z.of_nat (S m) + 1)) (fun z => ends (Z.of_nat (S m)) s z * g' z) / L'.
Proof.
  intros H. rewrite !wsum_by_size. pose proof (line_sizes (fun a => g (Z.of_nat a) + g (- Z.of_nat a)%Z) (fun a => g' (Z.of_nat a) + g' (- Z.of_nat a)%Z)) as K.
  assert (E : forall (h : Z -> R) M r N, upto N (fun a => (ends M r (Z.of_nat a) * h (Z.of_nat a) + ends M r (- Z.of_nat a) * h (- Z.of_nat a)%Z) / (if (a =? 0)%nat then 2 else 1)) =
    upto N (fun a => ends M r (Z.of_nat a) * (h (Z.of_nat a) + h (- Z.of_nat a)%Z) / (if (a =? 0)%nat then 2 else 1))).
  { intros. apply upto_ext. intros a _. unfold ends. rewrite Z.abs_opp. unfold Rdiv. ring. }
  rewrite !E. apply K. intros a. split; apply Rplus_le_compat; apply H; lia.
Qed.
(* several numbers *)
Fixpoint all_ends {n : nat} (a : Z) (r : R) : vec n -> R := match n with
  | O => fun _ => 1 | S k => fun y => ends a r (fst y) * all_ends a r (snd y) end.
Definition vol {n : nat} (a : nat) (r : R) (g : vec n -> R) : R := vsum (Z.of_nat a) (fun y => all_ends (Z.of_nat a) r y * g y).
Lemma vol_step n a r (g : vec (S n) -> R) : vol a r g = wsum (- Z.of_nat a) (Z.to_nat (2 * Z.of_nat a + 1)) (fun z => ends (Z.of_nat a) r z * vol a r (fun y => g (z, y))).
Proof.
  unfold vol at 1. cbn [vsum]. apply wsum_ext. intros z _. unfold vol. rewrite <- vsum_scale. apply vsum_eq. intros y. cbn [all_ends fst snd]. ring.
Qed.
Lemma cube_line n : forall g g' : vec n -> R, (forall y y', near y y' -> g y <= g' y') -> vol m t g / L ^ n <= vol (S m) s g' / L' ^ n.
Proof.
  induction n; intros g g' H.
  - unfold vol. simpl. assert (g tt <= g' tt) by (apply H; simpl; auto). lra.
  - rewrite !vol_step. assert (P1 : 0 < L ^ n) by (apply pow_lt; lra). assert (P2 : 0 < L' ^ n) by (apply pow_lt; lra).
    assert (K := line (fun z => vol m t (fun y => g (z, y)) / L ^ n) (fun z => vol (S m) s (fun y => g' (z, y)) / L' ^ n)).
    assert (N : forall i j, (Z.abs (j - i) <= 1)%Z -> vol m t (fun y => g (i, y)) / L ^ n <= vol (S m) s (fun y => g' (j, y)) / L' ^ n).
    { intros i j Hij. apply IHn. intros y y' Hy. apply H. split; auto. }
    specialize (K N). cbn [pow].
    rewrite (wsum_ext _ _ _ (fun z => L ^ n * (ends (Z.of_nat m) t z * (vol m t (fun y => g (z, y)) / L ^ n)))) by (intros; field; lra).
    rewrite (wsum_ext _ (- Z.of_nat (S m)) _ (fun z => L' ^ n * (ends (Z.of_nat (S m)) s z * (vol (S m) s (fun y => g' (z, y)) / L' ^ n)))) by (intros; field; lra).
    rewrite !wsum_scale. set (X := wsum (- Z.of_nat m) _ _) in *. set (X' := wsum (- Z.of_nat (S m)) _ _) in *.
    replace (L ^ n * X / (L * L ^ n)) with (X / L) by (field; lra). replace (L' ^ n * X' / (L' * L' ^ n)) with (X' / L') by (field; lra). exact K.
Qed.
End Line.

(* ---- the mean over t from 0 to 1, by sums ---- *)
Lemma power_up x N : 0 <= x -> x ^ S N + INR (S N) * x ^ N <= (x + 1) ^ S N.
Proof.
  intros Hx. induction N; [simpl; lra|]. change ((x + 1) ^ S (S N)) with ((x + 1) * (x + 1) ^ S N). apply Rmult_le_compat_l with (r := x + 1) in IHN; [|lra].
  eapply Rle_trans; [|exact IHN]. rewrite (S_INR (S N)). assert (0 <= INR (S N) * x ^ N) by (apply Rmult_le_pos; [apply pos_INR|apply pow_le; auto]). cbn [pow] in *. lra.
Qed.
Lemma power_down x N : 0 <= x -> (x + 1) ^ S N <= x ^ S N + INR (S N) * (x + 1) ^ N.
Proof.
  intros Hx. induction N; [simpl; lra|]. change (x ^ S (S N)) with (x * x ^ S N). apply Rmult_le_compat_l with (r := x) in IHN; auto.
  rewrite (S_INR (S N)). assert (0 <= INR (S N) * (x + 1) ^ N) by (apply Rmult_le_pos; [apply pos_INR|apply pow_le; lra]). cbn [pow] in *. lra.
Qed.
Lemma powers N T : INR (S N) * upto T (fun i => INR i ^ N) <= INR T ^ S N <= INR (S N) * (upto T (fun i => INR i ^ N) + INR T ^ N).
Proof.
  induction T.
  { cbn [upto]. change (INR 0) with 0. assert (0 <= 0 ^ N) by (apply pow_le; lra). assert (0 <= INR (S N) * (0 + 0 ^ N)) by (apply Rmult_le_pos; [apply pos_INR|lra]). change (0 ^ S N) with (0 * 0 ^ N). lra. }
  cbn [upto]. rewrite (S_INR T). pose proof (power_up (INR T) N (pos_INR T)). pose proof (power_down (INR T) N (pos_INR T)).
  split; [lra|]. destruct IHT as [_ I]. lra.
Qed.
Lemma steps_mean N T : (0 < T)%nat -> / INR T * upto T (fun i => (INR i / INR T) ^ N) <= / (1 + INR N) <= / INR T * upto T (fun i => (INR i / INR T) ^ N) + / INR T.
Proof.
  intros HT. assert (RT : 0 < INR T) by (apply lt_0_INR; auto). assert (RN : 0 < INR (S N)) by (apply lt_0_INR; lia). pose proof (powers N T) as [P1 P2].
  assert (PT : 0 < INR T ^ N) by (apply pow_lt; auto). rewrite (upto_ext T _ (fun i => / INR T ^ N * INR i ^ N)).
  2: { intros i _. unfold Rdiv. rewrite Rpow_mult_distr. rewrite pow_inv by lra. ring. }
  rewrite upto_scale. set (U := upto T (fun i => INR i ^ N)) in *. cbn [pow] in *. rewrite (Rplus_comm 1), <- S_INR. split.
  - apply Rmult_le_reg_r with (INR (S N) * (INR T * INR T ^ N)); [repeat apply Rmult_lt_0_compat; auto|].
    replace (/ INR T * (/ INR T ^ N * U) * (INR (S N) * (INR T * INR T ^ N))) with (INR (S N) * U) by (field; lra).
    replace (/ INR (S N) * (INR (S N) * (INR T * INR T ^ N))) with (INR T * INR T ^ N) by (field; lra). auto.
  - apply Rmult_le_reg_r with (INR (S N) * (INR T * INR T ^ N)); [repeat apply Rmult_lt_0_compat; auto|].
    replace ((/ INR T * (/ INR T ^ N * U) + / INR T) * (INR (S N) * (INR T * INR T ^ N))) with (INR (S N) * (U + INR T ^ N)) by (field; lra).
    replace (/ INR (S N) * (INR (S N) * (INR T * INR T ^ N))) with (INR T * INR T ^ N) by (field; lra). auto.
Qed.
Lemma ends_power n a : forall y : vec n, exists N, total_of_all (sized a) y = INR N /\ forall r, all_ends a r y = r ^ N.
Proof.
  induction n; intros y; [exists O; split; [reflexivity|intros; reflexivity]|]. destruct (IHn (snd y)) as (N & E1 & E2). cbn [total_of_all all_ends]. unfold sized at 1, ends. destruct (Z.abs (fst y) =? a)%Z.
  - exists (S N). split; [rewrite E1, S_INR; ring|]. intros r. rewrite E2. reflexivity.
  - exists N. split; [rewrite E1; ring|]. intros r. rewrite E2. ring.
Qed.
(* every number of a vector of the shell counts once *)
Definition even_share {n : nat} (a : nat) (g : vec n -> R) : R := vsum (Z.of_nat a) (fun y => g y * / (1 + total_of_all (sized (Z.of_nat a)) y)).
Definition stepped {n : nat} (T a : nat) (g : vec n -> R) : R := / INR T * upto T (fun i => vol a (INR i / INR T) g).
Lemma share_steps n T a (g : vec n -> R) : (0 < T)%nat -> (forall y, 0 <= g y) ->
  stepped T a g <= even_share a g <= stepped T a g + / INR T * vsum (Z.of_nat a) g.
Proof.
  intros HT Hg. assert (E : stepped T a g = vsum (Z.of_nat a) (fun y => g y * (/ INR T * upto T (fun i => all_ends (Z.of_nat a) (INR i / INR T) y)))).
  { unfold stepped, vol. rewrite <- vsum_upto, <- vsum_scale. apply vsum_eq. intros y. rewrite (upto_ext T _ (fun i => g y * all_ends (Z.of_nat a) (INR i / INR T) y)) by (intros; ring). rewrite upto_scale. ring. }
  assert (K : forall y : vec n, / INR T * upto T (fun i => all_ends (Z.of_nat a) (INR i / INR T) y) <= / (1 + total_of_all (sized (Z.of_nat a)) y) <= / INR T * upto T (fun i => all_ends (Z.of_nat a) (INR i / INR T) y) + / INR T).
  { intros y. destruct (ends_power n (Z.of_nat a) y) as (N & -> & E2). rewrite (upto_ext T _ (fun i => (INR i / INR T) ^ N)) by (intros; apply E2). apply steps_mean; auto. }
  rewrite E. unfold even_share. rewrite <- vsum_scale, <- vsum_plus. split; apply vsum_le; intros y; specialize (K y); specialize (Hg y).
  - apply Rmult_le_compat_l; lra.
  - replace (g y * (/ INR T * upto T (fun i => all_ends (Z.of_nat a) (INR i / INR T) y)) + / INR T * g y) with (g y * (/ INR T * upto T (fun i => all_ends (Z.of_nat a) (INR i / INR T) y) + / INR T)) by ring. apply Rmult_le_compat_l; lra.
Qed.
Lemma ends_sum a r : (1 <= a)%nat -> wsum (- Z.of_nat a) (Z.to_nat (2 * Z.of_nat a + 1)) (ends (Z.of_nat a) r) = long a r.
Proof.
  intros Ha. replace (Z.to_nat (2 * Z.of_nat a + 1)) with (1 + (Z.to_nat (2 * Z.of_nat a - 1) + 1))%nat by lia. rewrite !wsum_split. cbn [wsum].
  rewrite (wsum_ext _ _ _ (fun _ => 1)).
  - rewrite wsum_const, INR_IZR_INZ, Z2Nat.id, minus_IZR, mult_IZR, <- INR_IZR_INZ by lia. unfold ends, long.
    destruct (Z.eqb_spec (Z.abs (- Z.of_nat a)) (Z.of_nat a)), (Z.eqb_spec (Z.abs (- Z.of_nat a + Z.of_nat 1 + (2 * Z.of_nat a - 1))) (Z.of_nat a)); try lia. ring.
  - intros i Hi. unfold ends. destruct (Z.eqb_spec (Z.abs i) (Z.of_nat a)); [lia|reflexivity].
Qed.
Lemma vol_one n a r : (1 <= a)%nat -> vol a r (fun _ : vec n => 1) = long a r ^ n.
Proof.
  intros Ha. induction n; [unfold vol; simpl; ring|]. rewrite vol_step, (wsum_ext _ _ _ (fun z => long a r ^ n * ends (Z.of_nat a) r z)) by (intros; rewrite IHn; ring). rewrite wsum_scale, ends_sum by auto. simpl. ring.
Qed.
Lemma stepped_pairs n T a (g g' : vec n -> R) : (0 < T)%nat -> (1 <= a)%nat -> (forall y y', near y y' -> g y <= g' y') ->
  stepped T a g * stepped T (S a) (fun _ : vec n => 1) <= stepped T (S a) g' * stepped T a (fun _ : vec n => 1).
Proof.
  intros HT Ha H. assert (RT : 0 < INR T) by (apply lt_0_INR; auto). unfold stepped. set (t := fun i => INR i / INR T).
  set (phi := fun i => vol a (t i) g). set (psi := fun i => vol (S a) (t i) g'). set (al := fun i => vol a (t i) (fun _ : vec n => 1)). set (be := fun i => vol (S a) (t i) (fun _ : vec n => 1)).
  assert (Hal : forall i, al i = long a (t i) ^ n) by (intros; apply vol_one; auto). assert (Hbe : forall i, be i = long (S a) (t i) ^ n) by (intros; apply vol_one; lia).
  assert (A1 : 1 <= INR a) by (apply (le_INR 1); auto).
  assert (T0 : forall i, 0 <= t i) by (intros; apply Rmult_le_pos; [apply pos_INR|left; apply Rinv_0_lt_compat; auto]).
  assert (T1 : forall i, (i < T)%nat -> t i <= 1).
  { intros i Hi. apply Rmult_le_reg_r with (INR T); auto. unfold t, Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r, Rmult_1_l by lra. apply le_INR. lia. }
  assert (TM : forall i j, (i <= j)%nat -> t i <= t j) by (intros i j Hij; apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; auto|apply le_INR; auto]).
  assert (L1 : forall i, 0 < long a (t i)) by (intros i; specialize (T0 i); unfold long; lra).
  assert (L2 : forall i, 0 < long (S a) (t i)) by (intros i; specialize (T0 i); unfold long; rewrite S_INR; lra).
  assert (Pal : forall i, 0 < al i) by (intros i; rewrite Hal; apply pow_lt; auto). assert (Pbe : forall i, 0 < be i) by (intros i; rewrite Hbe; apply pow_lt; auto).
  assert (Q : forall i j, (j <= i)%nat -> (i < T)%nat -> phi i / al i <= psi j / be j).
  { intros i j Hji Hi. rewrite Hal, Hbe. apply (cube_line a (t i) (t j) Ha); auto. }
  assert (M : forall i j, (i <= j)%nat -> al i * be j <= al j * be i).
  { intros i j Hij. rewrite !Hal, !Hbe, <- !Rpow_mult_distr. apply pow_incr. split; [left; apply Rmult_lt_0_compat; auto|]. specialize (TM i j Hij). unfold long. rewrite S_INR. lra. }
  assert (D : 0 <= upto T (fun i => upto T (fun j => psi j * al i - phi i * be j))).
  { apply pairs_nonneg. intros i j Hi Hj Hij. pose proof (Q i i ltac:(lia) Hi) as Q1. pose proof (Q j j ltac:(lia) Hj) as Q2. pose proof (Q j i Hij Hj) as Q3. specialize (M i j Hij).
    pose proof (Pal i) as Pi. pose proof (Pal j) as Pj. pose proof (Pbe i) as Bi. pose proof (Pbe j) as Bj.
    set (A := phi i / al i) in *. set (C := phi j / al j) in *. set (X := psi i / be i) in *. set (Yy := psi j / be j) in *.
    replace (phi i) with (A * al i) by (unfold A; field; lra). replace (phi j) with (C * al j) by (unfold C; field; lra).
    replace (psi i) with (X * be i) by (unfold X; field; lra). replace (psi j) with (Yy * be j) by (unfold Yy; field; lra).
    assert (0 <= (al j * be i - al i * be j) * (X - C)) by (apply Rmult_le_pos; lra).
    assert (0 <= al i * be j * (Yy - C + (X - A))) by (apply Rmult_le_pos; [apply Rmult_le_pos; lra|lra]). lra. }
  rewrite (upto_ext T _ (fun i => upto T (fun j => al i * psi j) + -1 * upto T (fun j => phi i * be j))) in D.
  - rewrite upto_plus, upto_scale, <- !upto_mult in D.
    assert (I : 0 < / INR T) by (apply Rinv_0_lt_compat; auto). assert (0 <= / INR T * / INR T) by (apply Rmult_le_pos; lra).
    change (/ INR T * upto T phi * (/ INR T * upto T be) <= / INR T * upto T psi * (/ INR T * upto T al)).
    replace (/ INR T * upto T phi * (/ INR T * upto T be)) with (/ INR T * / INR T * (upto T phi * upto T be)) by ring.
    replace (/ INR T * upto T psi * (/ INR T * upto T al)) with (/ INR T * / INR T * (upto T al * upto T psi)) by ring. apply Rmult_le_compat_l; lra.
  - intros i _. rewrite <- upto_scale, <- upto_plus. apply upto_ext. intros j _. ring.
Qed.
Lemma share_pairs n a (g g' : vec n -> R) : (1 <= a)%nat -> (forall y, 0 <= g y) -> (forall y, 0 <= g' y) -> (forall y y', near y y' -> g y <= g' y') ->
  even_share a g * even_share (S a) (fun _ : vec n => 1) <= even_share (S a) g' * even_share a (fun _ : vec n => 1).
Proof.
  intros Ha Hg Hg' H. set (c1 := vsum (Z.of_nat a) g). set (c2 := vsum (Z.of_nat (S a)) (fun _ : vec n => 1)).
  assert (P1 : 0 <= c1) by (apply vsum_nonneg; auto). assert (P2 : 0 <= c2) by (apply vsum_nonneg; intros; lra).
  assert (N : forall b (h : vec n -> R), (forall y, 0 <= h y) -> 0 <= even_share b h).
  { intros b h Hh. apply vsum_nonneg. intros y. apply Rmult_le_pos; auto. left. apply Rinv_0_lt_compat. assert (0 <= total_of_all (sized (Z.of_nat b)) y) by (apply total_nonneg; intros; unfold sized; destruct (_ =? _)%Z; lra). lra. }
  assert (O : forall y : vec n, 0 <= (fun _ : vec n => 1) y) by (intros; lra).
  set (W := even_share a g). set (W1 := even_share (S a) (fun _ : vec n => 1)). assert (W0 : 0 <= W) by (apply N; auto). assert (W10 : 0 <= W1) by (apply N; auto).
  apply le_epsilon. intros e He. set (C := c1 * W1 + c2 * W + c1 * c2). assert (C0 : 0 <= C) by (unfold C; assert (0 <= c1 * W1) by (apply Rmult_le_pos; auto); assert (0 <= c2 * W) by (apply Rmult_le_pos; auto); assert (0 <= c1 * c2) by (apply Rmult_le_pos; auto); lra).
  destruct (archimed_cor1 (e / (C + 1))) as (T & HT & HT0); [apply Rmult_lt_0_compat; auto; apply Rinv_0_lt_compat; lra|].
  assert (RT : 1 <= INR T) by (apply (le_INR 1); lia). assert (I0 : 0 < / INR T) by (apply Rinv_0_lt_compat; lra). assert (I1 : / INR T <= 1) by (rewrite <- Rinv_1; apply Rinv_le_contravar; lra).
  destruct (share_steps n T a g HT0 Hg) as [A1 A2]. destruct (share_steps n T (S a) (fun _ => 1) HT0 O) as [B1 B2]. destruct (share_steps n T (S a) g' HT0 Hg') as [D1 _]. destruct (share_steps n T a (fun _ => 1) HT0 O) as [E1 _].
  pose proof (stepped_pairs n T a g g' HT0 Ha H) as S. fold c1 W in A1, A2. fold c2 W1 in B1, B2. set (F := stepped T a g) in *. set (G := stepped T (Datatypes.S a) (fun _ : vec n => 1)) in *.
  assert (V : forall b (h : vec n -> R), (forall y, 0 <= h y) -> 0 <= stepped T b h).
  { intros b h Hh. apply Rmult_le_pos; [lra|]. apply upto_nonneg. intros i. apply vsum_nonneg. intros y. apply Rmult_le_pos; auto. destruct (ends_power n (Z.of_nat b) y) as (M & _ & ->). apply pow_le. apply Rmult_le_pos; [apply pos_INR|lra]. }
  pose proof (V a g Hg) as F0. pose proof (V (Datatypes.S a) (fun _ => 1) O) as G0. fold F in F0. fold G in G0.
  assert (S' : stepped T (Datatypes.S a) g' * stepped T a (fun _ : vec n => 1) <= even_share (Datatypes.S a) g' * even_share a (fun _ : vec n => 1)) by (apply Rmult_le_compat; auto).
  assert (X : W * W1 <= (F + / INR T * c1) * (G + / INR T * c2)) by (apply Rmult_le_compat; auto).
  assert (Y : (F + / INR T * c1) * (G + / INR T * c2) <= F * G + / INR T * C).
  { replace ((F + / INR T * c1) * (G + / INR T * c2)) with (F * G + / INR T * (c1 * G + c2 * F + / INR T * (c1 * c2))) by ring. apply Rplus_le_compat_l. apply Rmult_le_compat_l; [lra|]. unfold C.
    assert (c1 * G <= c1 * W1) by (apply Rmult_le_compat_l; auto). assert (c2 * F <= c2 * W) by (apply Rmult_le_compat_l; auto). assert (0 <= c1 * c2) by (apply Rmult_le_pos; auto). assert (/ INR T * (c1 * c2) <= 1 * (c1 * c2)) by (apply Rmult_le_compat_r; auto). lra. }
  assert (Z : / INR T * C <= e).
  { apply Rle_trans with (e / (C + 1) * C); [apply Rmult_le_compat_r; lra|]. apply Rmult_le_reg_r with (C + 1); [lra|]. replace (e / (C + 1) * C * (C + 1)) with (e * C) by (field; lra). lra. }
  lra.
Qed.
