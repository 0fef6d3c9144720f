(* What constraints say about the noise of anybody: means of hats that a law which rises and falls
   must have, and losses that add up. *)
Require Import Reals ZArith List Bool Lra Lia FunctionalExtensionality.
Require Import Formal.Statements Formal.Laws Formal.Pieces Formal.Lower.
Import ListNotations.
Open Scope R_scope.

(* ---- losses add up ---- *)
Section Losses.
Variables (T S : Type) (add : T -> S -> T) (basic : (T -> R) -> Prop) (L : law T S add basic).
Lemma loss_add c d B D : (forall x, 0 <= c x) -> (forall x, 0 <= d x) -> (forall M, meas L (fun x => Rmin (c x) M)) -> (forall M, meas L (fun x => Rmin (d x) M)) ->
  loss_at_most L c B -> loss_at_most L d D -> loss_at_most L (fun x => c x + d x) (B + D).
Proof.
  intros Hc Hd Mc Md HB HD g Hg [M HM] Hle.
  assert (HM0 : forall x, g x <= M) by (intros x; pose proof (HM x); pose proof (Rle_abs (g x)); lra).
  assert (K : forall h, (forall x, 0 <= h x) -> (forall N, meas L (fun x => Rmin (h x) N)) -> good T S add basic L (fun x => Rmin (h x) (Rabs M))).
  { intros h Hh Mh. split; auto. exists (Rabs M). intros x. pose proof (Rmin_r (h x) (Rabs M)). pose proof (Rmin_glb (h x) (Rabs M) 0 (Hh x) (Rabs_pos M)).
    rewrite Rabs_right; lra. }
  eapply Rle_trans; [apply (ex_le _ _ _ _ L g (fun x => Rmin (c x) (Rabs M) + Rmin (d x) (Rabs M)))|].
  - split; auto. exists M; auto.
  - apply good_add; auto.
  - intros x. pose proof (Rle_abs M). specialize (Hc x). specialize (Hd x). specialize (Hle x). specialize (HM0 x). pose proof (Rabs_pos M).
    unfold Rmin. repeat destruct Rle_dec; lra.
  - rewrite (ex_plus _ _ _ _ L (fun x => Rmin (c x) (Rabs M))) by auto. apply Rplus_le_compat; [apply HB|apply HD]; try apply K; auto; intros; apply Rmin_l.
Qed.
Lemma loss_scale w d D : 0 <= w -> loss_at_most L d D -> loss_at_most L (fun x => w * d x) (w * D).
Proof.
  intros Hw HD g Hg Hb Hle. destruct (Req_dec w 0) as [->|Hne].
  - rewrite Rmult_0_l. rewrite <- (ex_const _ _ _ _ L 0). apply ex_le; [split; auto | apply good_const|]. intros x. specialize (Hle x). lra.
  - assert (Hp : 0 < / w) by (apply Rinv_0_lt_compat; lra). specialize (HD (fun x => / w * g x)). rewrite ex_scale in HD by auto.
    assert (/ w * ex L g <= D).
    { apply HD; [apply meas_scale; auto | apply bounded_scale; auto|]. intros x. apply Rmult_le_reg_l with w; [lra|].
      rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l by auto. apply Hle. }
    apply Rmult_le_reg_l with (/ w); auto. rewrite <- Rmult_assoc, Rinv_l, Rmult_1_l by auto. lra.
Qed.

(* ---- a law that falls away from 0, looked at on one side of 0 ---- *)
Variables (place : T -> R) (shift : R -> S).
Hypothesis Hmeas : meas L place.
Hypothesis Hcont : forall h, continuity h -> meas L (fun x => h (place x)).
Hypothesis Hshift : forall x t, place (add x (shift t)) = place x + t.
Hypothesis Hfalls : forall A t, event L A -> 0 <= t -> (forall x, A x <> 0 -> t <= place x) -> ex L A <= ex L (fun x => A (add x (shift t))).

Definition over (t y : R) : R := 1 + -1 * (if Rle_dec (- t) (-1 * y) then 1 else 0).
Lemma over_at t y : over t y = if Rlt_dec t y then 1 else 0.
Proof. unfold over. destruct Rle_dec, Rlt_dec; lra. Qed.
Lemma over_event t : event L (fun x => over t (place x)).
Proof.
  split; [|intros x; rewrite over_at; destruct Rlt_dec; auto]. apply meas_add; [apply meas_const|]. apply meas_scale.
  apply (meas_level L (fun x => -1 * place x)). apply meas_scale; auto.
Qed.
Lemma over_good t : good T S add basic L (fun x => over t (place x)).
Proof. destruct (over_event t) as [A B]. split; auto. apply bounded_between with 0 1. intros x. destruct (B x) as [-> | ->]; lra. Qed.
Definition G (t : R) := ex L (fun x => over t (place x)).
(* what lies in (t, 1] lies no less in (0, 1 - t] *)
Lemma G_pairs t : 0 <= t <= 1 -> G t + G (1 - t) <= G 0 + G 1.
Proof.
  intros Ht. pose proof (over_good t) as Gt. pose proof (over_good 1) as G1.
  set (A := fun x => over t (place x) + -1 * over 1 (place x)).
  assert (HA : event L A).
  { split; [apply meas_add; [apply over_event|]; apply meas_scale, over_event|]. intros x. unfold A. rewrite !over_at. repeat destruct Rlt_dec; lra. }
  pose proof (Hfalls A t HA ltac:(lra)) as K. specialize (K ltac:(intros x; unfold A; rewrite !over_at; repeat destruct Rlt_dec; lra)).
  assert (E : (fun x => A (add x (shift t))) = (fun x => over 0 (place x) + -1 * over (1 - t) (place x))).
  { extensionality x. unfold A. rewrite Hshift, !over_at. repeat destruct Rlt_dec; lra. }
  rewrite E in K. unfold A in K. rewrite !(ex_plus _ _ _ _ L) in K by (auto using over_good, good_scale).
  rewrite !(ex_times _ _ _ _ L (-1)) in K by auto using over_good. unfold G. lra.
Qed.
Fixpoint steps (t : nat -> R) (m : nat) (y : R) : R := match m with O => 0 | Datatypes.S k => steps t k y + over (t k) y end.
Lemma steps_good t m : good T S add basic L (fun x => steps t m (place x)).
Proof. induction m; cbn [steps]; [apply good_const | apply (good_add _ _ _ _ L (fun x => steps t m (place x))); auto using over_good]. Qed.
Lemma steps_low h m y : 0 < h -> Rmin (up y) (INR m * h) <= h * steps (fun k => INR k * h) m y.
Proof.
  intros Hh. induction m as [|m IH]; cbn [steps]; [simpl; rewrite Rmult_0_l, Rmult_0_r; apply Rmin_r|]. rewrite S_INR, over_at.
  pose proof (pos_INR m). assert (0 <= INR m * h) by (apply Rmult_le_pos; lra).
  destruct Rlt_dec as [K|K].
  - rewrite up_pos in * by lra. revert IH. unfold Rmin. repeat destruct Rle_dec; lra.
  - assert (up y <= INR m * h) by (apply Rmax_lub; lra). rewrite Rmin_left in * by lra. lra.
Qed.
Lemma steps_high h m y : 0 < h -> Rmin (up (y - (1 - INR m * h))) (INR m * h) <= h * steps (fun k => 1 - (INR k + 1) * h) m y.
Proof.
  intros Hh. induction m as [|m IH]; cbn [steps]; [simpl; rewrite Rmult_0_l, Rmult_0_r; apply Rmin_r|]. rewrite S_INR, over_at.
  pose proof (pos_INR m). assert (0 <= INR m * h) by (apply Rmult_le_pos; lra). pose proof (up_0 (y - (1 - INR m * h))). pose proof (up_1 (y - (1 - INR m * h))).
  assert (0 <= h * steps (fun k => 1 - (INR k + 1) * h) m y) by (eapply Rle_trans; [|exact IH]; apply Rmin_glb; auto).
  destruct Rlt_dec as [K|K].
  - rewrite up_pos by lra. revert IH. unfold Rmin. repeat destruct Rle_dec; lra.
  - rewrite up_neg by lra. rewrite Rmin_left by lra. lra.
Qed.
Definition ramp01 (y : R) := Rmin (up y) 1.
Lemma ramp01_continuous : continuity ramp01.
Proof.
  assert (E : ramp01 = (fun y => / 2 * ((/ 2 * (y + Rabs y) + 1) + -1 * Rabs (/ 2 * (y + Rabs y) + -1)))).
  { extensionality y. unfold ramp01, up. replace (Rmax 0 y) with (/ 2 * (y + Rabs y)) by (unfold Rmax, Rabs; destruct Rle_dec, Rcase_abs; lra).
    set (z := / 2 * (y + Rabs y)). unfold Rmin, Rabs. destruct Rle_dec, Rcase_abs; lra. }
  rewrite E. assert (I : continuity (fun y => y)) by (apply (derivable_continuous id), derivable_id).
  assert (C : forall a, continuity (fun _ => a)) by (intros a; apply continuity_const; intros ? ?; auto).
  assert (A : continuity (fun y => / 2 * (y + Rabs y))).
  { apply (continuity_mult (fun _ => / 2)); auto. apply (continuity_plus (fun y => y) Rabs); auto. apply Rcontinuity_abs. }
  apply (continuity_mult (fun _ => / 2)); auto. apply (continuity_plus (fun y => / 2 * (y + Rabs y) + 1)); [apply (continuity_plus _ (fun _ => 1)); auto|].
  apply (continuity_mult (fun _ => -1)); auto. apply (continuity_comp (fun y => / 2 * (y + Rabs y) + -1) Rabs); [apply (continuity_plus _ (fun _ => -1)); auto | apply Rcontinuity_abs].
Qed.
Lemma ramp01_unit y : 0 <= ramp01 y <= 1.
Proof. unfold ramp01. pose proof (up_0 y). split; [apply Rmin_glb; lra | apply Rmin_r]. Qed.
Lemma ramp01_good t : good T S add basic L (fun x => ramp01 (place x - t)).
Proof.
  split; [|apply bounded_between with 0 1; intros; apply ramp01_unit]. apply (Hcont (fun y => ramp01 (y - t))).
  apply (continuity_comp (fun y => y - t) ramp01); [|apply ramp01_continuous].
  apply (continuity_minus (fun y => y)); [apply (derivable_continuous id), derivable_id | apply continuity_const; intros ? ?; auto].
Qed.
Lemma ramp_mean : 2 * ex L (fun x => ramp01 (place x - 0)) <= G 0 + G 1.
Proof.
  apply le_epsilon. intros e He. destruct (archimed_cor1 e He) as (n & Hn & Hn0). apply lt_0_INR in Hn0. set (h := / INR n) in *.
  assert (Hh : 0 < h) by (apply Rinv_0_lt_compat; auto). assert (Hnh : INR n * h = 1) by (unfold h; field; lra).
  set (low := fun k => INR k * h). set (high := fun k => 1 - (INR k + 1) * h).
  assert (A : 2 * ex L (fun x => ramp01 (place x - 0)) <= h * (ex L (fun x => steps low n (place x)) + ex L (fun x => steps high n (place x)))).
  { rewrite <- (ex_times _ _ _ _ L 2) by apply ramp01_good. rewrite <- (ex_plus _ _ _ _ L) by apply steps_good.
    rewrite <- (ex_times _ _ _ _ L h) by (apply good_add; apply steps_good). apply ex_le; [apply good_scale, ramp01_good | apply good_scale, good_add; apply steps_good|].
    intros x. rewrite Rminus_0_r. pose proof (steps_low h n (place x) Hh) as P1. pose proof (steps_high h n (place x) Hh) as P2. fold low in P1. fold high in P2.
    rewrite Hnh in P1, P2. replace (place x - (1 - 1)) with (place x) in P2 by ring. unfold ramp01. lra. }
  assert (B : forall m, INR m <= INR n -> ex L (fun x => steps low m (place x)) + ex L (fun x => steps high m (place x)) <= INR m * (G 0 + G 1) + G 0 - G (INR m * h)).
  { induction m as [|m IH]; intros Hm.
    - cbn [steps]. rewrite !(ex_const _ _ _ _ L). simpl. rewrite !Rmult_0_l. lra.
    - cbn [steps]. rewrite S_INR in *. specialize (IH ltac:(lra)). pose proof (pos_INR m).
      rewrite (ex_plus _ _ _ _ L (fun x => steps low m (place x))), (ex_plus _ _ _ _ L (fun x => steps high m (place x))) by auto using steps_good, over_good.
      fold (G (low m)) (G (high m)). pose proof (G_pairs ((INR m + 1) * h)) as Q.
      assert (0 <= (INR m + 1) * h <= 1) by (split; [apply Rmult_le_pos; lra | rewrite <- Hnh; apply Rmult_le_compat_r; lra]).
      specialize (Q H0). unfold low, high in *. lra. }
  specialize (B n ltac:(lra)). rewrite Hnh in B. eapply Rle_trans; [exact A|].
  assert (G01 : G 0 - G 1 <= 1).
  { assert (G 0 <= 1). { unfold G. rewrite <- (ex_const _ _ _ _ L 1). apply ex_le; auto using over_good, good_const. intros x. rewrite over_at. destruct Rlt_dec; lra. }
    assert (0 <= G 1). { unfold G. apply ex_nonneg; auto using over_good. intros x. rewrite over_at. destruct Rlt_dec; lra. } lra. }
  apply Rmult_le_compat_l with (r := h) in B; [|lra]. eapply Rle_trans; [exact B|].
  replace (h * (INR n * (G 0 + G 1) + G 0 - G 1)) with ((INR n * h) * (G 0 + G 1) + h * (G 0 - G 1)) by ring. rewrite Hnh.
  assert (h * (G 0 - G 1) <= h * 1) by (apply Rmult_le_compat_l; lra). lra.
Qed.
(* the hat around 1 has at most twice the mean of the right half of the hat around 0 *)
Lemma hat_half y : hat (y - 1) = ramp01 (y - 0) + -1 * ramp01 (y - 1).
Proof. unfold hat, ramp01, up, Rmax, Rmin, Rabs. repeat (destruct Rcase_abs; try lra); repeat (destruct Rle_dec; try lra). Qed.
Lemma hat_over y : (if Rlt_dec 0 y then 1 else 0) + (if Rlt_dec 0 (- y) then 1 else 0) + -1 * (ramp01 y + ramp01 (- y)) <= hat y.
Proof.
  pose proof (hat_half (y + 1)) as E. replace (y + 1 - 1) with y in E by ring. rewrite E, Rminus_0_r. unfold ramp01.
  destruct (Rle_dec 0 y).
  - rewrite (up_pos y), (up_neg (- y)), (up_pos (y + 1)) by lra. rewrite (Rmin_left 0 1), (Rmin_right (y + 1) 1) by lra. repeat destruct Rlt_dec; lra.
  - rewrite (up_neg y), (up_pos (- y)), (Rmin_left 0 1) by lra. unfold Rmin, up, Rmax. repeat (destruct Rlt_dec || destruct Rle_dec); lra.
Qed.
Lemma right_hat : ex L (fun x => hat (place x - 1)) <= 2 * (G 0 - ex L (fun x => ramp01 (place x - 0))).
Proof.
  pose proof (ramp01_good 0) as R0. pose proof (ramp01_good 1) as R1.
  replace (fun x => hat (place x - 1)) with (fun x => ramp01 (place x - 0) + -1 * ramp01 (place x - 1)) by (extensionality x; rewrite hat_half; reflexivity).
  rewrite (ex_plus _ _ _ _ L (fun x => ramp01 (place x - 0))), (ex_times _ _ _ _ L (-1)) by auto using good_scale.
  (* B = over 1 - ramp (y - 1), moved by 1 *)
  set (f := fun x => over 1 (place x) + -1 * ramp01 (place x - 1)).
  assert (Hf : good T S add basic L f) by (apply good_add; auto using over_good, good_scale).
  assert (F01 : forall x, 0 <= f x <= 1).
  { intros x. unfold f. rewrite over_at. pose proof (ramp01_unit (place x - 1)) as U. destruct Rlt_dec; [lra|].
    unfold ramp01. rewrite up_neg by lra. rewrite Rmin_left by lra. lra. }
  pose proof (private_multiplier T S add basic L 1 0 (shift 1) (fun x => 1 <= place x) ltac:(lra)) as K.
  specialize (K ltac:(intros A HA HP; rewrite Rmult_1_l, Rplus_0_r; apply Hfalls; auto; [lra|]; intros x Hx; destruct (HP x); [auto|contradiction])).
  specialize (K f 1 (proj1 Hf) F01).
  specialize (K ltac:(intros x; destruct (Rle_dec 1 (place x)); [left; auto|right]; unfold f, ramp01; rewrite over_at, up_neg by lra; destruct Rlt_dec; [lra|]; rewrite Rmin_left by lra; ring)).
  rewrite Rmult_0_r, Rplus_0_r, Rmult_1_l in K.
  assert (E : (fun x => f (add x (shift 1))) = (fun x => over 0 (place x) + -1 * ramp01 (place x - 0))).
  { extensionality x. unfold f. rewrite Hshift, !over_at. replace (place x + 1 - 1) with (place x - 0) by ring. destruct (Rlt_dec 1 (place x + 1)), (Rlt_dec 0 (place x)); lra. }
  rewrite E in K. unfold f in K. rewrite !(ex_plus _ _ _ _ L), !(ex_times _ _ _ _ L (-1)) in K by auto using over_good, good_scale.
  fold (G 1) (G 0) in K. pose proof ramp_mean. lra.
Qed.
End Losses.

(* ---- real-valued noise ---- *)
Lemma rlook_app u v t : rlook (u ++ v) t = rlook u t + rlook v t.
Proof. induction u as [|[j z] u IH]; cbn [app rlook]; [ring|]. rewrite IH. ring. Qed.
Lemma look_app u v i : look (u ++ v) i = (look u i + look v i)%Z.
Proof. induction u as [|[j z] u IH]; cbn [app look]; [lia|]. rewrite IH. lia. Qed.
Lemma hat_opp t : hat (- t) = hat t.
Proof. unfold hat. rewrite Rabs_Ropp. reflexivity. Qed.
Lemma hat_in t : 0 <= hat t <= 1.
Proof. unfold hat, Rabs. repeat destruct Rcase_abs; lra. Qed.
Lemma hat_out t : hat t <> 0 -> -1 < t < 1.
Proof. unfold hat, Rabs. repeat destruct Rcase_abs; lra. Qed.

Section Real.
Variables (Y : rlaw) (b : R).
Hypothesis Hb : 0 < b.
Definition hat_at_cell (j : Z) (x : R) := hat (x / b - IZR j).
Lemma hat_good j : good R R Rplus continuity Y (hat_at_cell j).
Proof.
  pose proof (rlook_good Y [(j, 1%Z)] b) as H. replace (hat_at_cell j) with (fun y => rlook [(j, 1%Z)] (y / b)); auto.
  extensionality y. unfold hat_at_cell. cbn [rlook]. ring.
Qed.
(* a cell beyond the mode, with room for one cell between, holds no more than the next one inwards *)
Lemma hats_fall a j s : peaked (fun x => x) (fun s => s) a Y -> s = 1%Z \/ s = (-1)%Z ->
  (s = 1%Z -> a <= (IZR j - 2) * b) -> (s = (-1)%Z -> (IZR j + 2) * b <= a) ->
  ex Y (hat_at_cell j) <= ex Y (hat_at_cell (j - s)).
Proof.
  intros HY Hs H1 H2. pose proof (hat_good j) as Hg.
  set (P := fun x => 0 <= IZR s * b /\ a + IZR s * b <= x \/ IZR s * b <= 0 /\ x <= a + IZR s * b).
  pose proof (private_multiplier R R Rplus continuity Y 1 0 (IZR s * b) P ltac:(lra)) as K.
  specialize (K ltac:(intros A HA HP; rewrite Rmult_1_l, Rplus_0_r; apply HY; auto; intros x Hx; destruct (HP x); [auto|contradiction])).
  specialize (K (hat_at_cell j) 1 (proj1 Hg) ltac:(intros; apply hat_in)).
  rewrite Rmult_0_r, Rplus_0_r, Rmult_1_l in K. replace (hat_at_cell (j - s)) with (fun x => hat_at_cell j (x + IZR s * b)).
  2:{ extensionality x. unfold hat_at_cell. f_equal. rewrite minus_IZR. field. lra. }
  apply K. intros x. destruct (Req_dec (hat_at_cell j x) 0) as [E|E]; [right; auto|left].
  apply hat_out in E. assert (Ex : x = x / b * b) by (field; lra). set (y := x / b) in *. clearbody y. subst x. unfold P.
  destruct Hs as [Hs|Hs]; subst s; [left; specialize (H1 eq_refl)|right; specialize (H2 eq_refl)]; split; try lra.
  - assert (0 <= (y - (IZR j - 1)) * b) by (apply Rmult_le_pos; lra). lra.
  - assert (0 <= ((IZR j + 1) - y) * b) by (apply Rmult_le_pos; lra). lra.
Qed.
(* the cells around a mode at 0 hold no more than twice what it holds *)
Lemma hats_centre : peaked (fun x => x) (fun s => s) 0 Y ->
  ex Y (hat_at_cell 1) + ex Y (hat_at_cell (-1)) <= 2 * ex Y (hat_at_cell 0).
Proof.
  intros HY.
  assert (Hid : meas Y (fun x => x)) by (apply meas_basic; apply (derivable_continuous id), derivable_id).
  assert (Side : forall s, s = 1 \/ s = -1 -> let place := fun x => s / b * x in
    (meas Y place) /\ (forall h, continuity h -> meas Y (fun x => h (place x))) /\ (forall x t, place (x + s * b * t) = place x + t) /\
    (forall A t, event Y A -> 0 <= t -> (forall x, A x <> 0 -> t <= place x) -> ex Y A <= ex Y (fun x => A (x + s * b * t)))).
  { intros s Hs place. assert (Hs2 : s * s = 1) by (destruct Hs; subst; ring). split; [|split; [|split]].
    - apply meas_scale; auto.
    - intros h Hh. apply meas_basic. apply (continuity_comp place h); auto. apply (continuity_mult (fun _ => s / b) (fun x => x)); [apply continuity_const; intros ? ?; auto|].
      apply (derivable_continuous id), derivable_id.
    - intros x t. unfold place. replace (s / b * (x + s * b * t)) with (s / b * x + s * s * t) by (field; lra). rewrite Hs2. ring.
    - intros A t HA Ht HP. apply HY; auto. intros x Hx. specialize (HP x Hx). unfold place in HP.
      apply Rmult_le_compat_r with (r := b) in HP; [|lra]. replace (s / b * x * b) with (s * x) in HP by (field; lra).
      assert (0 <= b * t) by (apply Rmult_le_pos; lra). destruct Hs; subst s; [left|right]; split; lra. }
  destruct (Side 1 ltac:(auto)) as (P1 & P2 & P3 & P4). destruct (Side (-1) ltac:(auto)) as (N1 & N2 & N3 & N4). clear Side.
  pose proof (right_hat R R Rplus continuity Y _ _ P1 P2 P3 P4) as A. pose proof (right_hat R R Rplus continuity Y _ _ N1 N2 N3 N4) as B.
  cbv beta in A, B.
  replace (fun x => hat (1 / b * x - 1)) with (hat_at_cell 1) in A by (extensionality x; unfold hat_at_cell; f_equal; field; lra).
  replace (fun x => hat (-1 / b * x - 1)) with (hat_at_cell (-1)) in B
    by (extensionality x; unfold hat_at_cell; rewrite <- hat_opp; f_equal; field; lra).
  pose proof (ramp01_good R R Rplus continuity Y _ P2 0) as R1. pose proof (ramp01_good R R Rplus continuity Y _ N2 0) as R2. cbv beta in R1, R2.
  pose proof (over_good R R Rplus continuity Y _ P1 0) as O1. pose proof (over_good R R Rplus continuity Y _ N1 0) as O2. cbv beta in O1, O2.
  unfold G in A, B. pose proof (hat_good 0) as H0.
  assert (C : ex Y (fun x => (over 0 (1 / b * x) + over 0 (-1 / b * x)) + -1 * (ramp01 (1 / b * x - 0) + ramp01 (-1 / b * x - 0))) <= ex Y (hat_at_cell 0)).
  { apply ex_le; auto.
    - apply good_add; [apply good_add; auto | apply good_scale, good_add; auto].
    - intros x. unfold hat_at_cell. replace (1 / b * x) with (x / b) by (field; lra). replace (-1 / b * x) with (- (x / b)) by (field; lra).
      rewrite !over_at, !Rminus_0_r. apply hat_over. }
  rewrite (ex_plus _ _ _ _ Y), (ex_times _ _ _ _ Y (-1)) in C by (try apply good_scale; apply good_add; auto).
  rewrite (ex_plus _ _ _ _ Y (fun x => over 0 (1 / b * x))), (ex_plus _ _ _ _ Y (fun x => ramp01 (1 / b * x - 0))) in C by auto. lra.
Qed.
End Real.

(* ---- whole noise ---- *)
Lemma points_fall (Y : zlaw) a j s : peaked IZR IZR a Y -> s = 1%Z \/ s = (-1)%Z ->
  (s = 1%Z -> a <= IZR j - 1) -> (s = (-1)%Z -> IZR j + 1 <= a) -> ex Y (point j) <= ex Y (point (j - s)).
Proof.
  intros HY Hs H1 H2. replace (point (j - s)) with (fun i => point j (i + s)%Z).
  2:{ extensionality i. unfold point. destruct (Z.eqb_spec (i + s) j), (Z.eqb_spec i (j - s)); lia || reflexivity. }
  apply HY.
  - split; [apply meas_basic; exact I|]. intros i. unfold point. destruct (i =? j)%Z; auto.
  - intros i Hi. unfold point in Hi. destruct (Z.eqb_spec i j) as [E|]; [subst i|lra].
    destruct Hs as [->|Hs]; [left; specialize (H1 eq_refl)|right; subst s; specialize (H2 eq_refl)]; split; try lra.
Qed.
