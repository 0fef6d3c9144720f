(* Why the check of a file of kind "keyed" is right. *)
Require Import Reals ZArith List Bool Lra Lia.
Require Import Formal.Statements Formal.Exp Formal.Laws Formal.Masses Formal.Lists Formal.Pieces Formal.Losses Formal.Keyed.
Import ListNotations.
Open Scope Z_scope.


(* ---- the chain ---- *)
Lemma falling_facts ws : forall last, falling ws last = true -> 0 <= last ->
  forall j, 0 <= at_index ws j <= last /\ (0 <= j -> at_index ws (j + 1) <= at_index ws j).
Proof.
  induction ws as [|w ws IH]; intros last H Hl j; [rewrite !at_nil; lia|]. cbn [falling] in H.
  destruct ((0 <=? w) && (w <=? last)) eqn:E; [|discriminate]. rewrite andb_true_iff, !Z.leb_le in E.
  destruct (IH w H ltac:(lia) (j - 1)) as [I1 I2]. destruct (IH w H ltac:(lia) 0) as [I3 _]. rewrite !at_cons.
  destruct (Z.eqb_spec j 0) as [->|]; [|destruct (Z.eqb_spec (j + 1) 0)].
  - destruct (Z.eqb_spec (0 + 1) 0); [lia|]. replace (0 + 1 - 1) with 0 by lia. lia.
  - split; lia.
  - split; [lia|]. intros. replace (j + 1 - 1) with (j - 1 + 1) by lia. apply I2. lia.
Qed.
Lemma rises_facts top ws : forall last, rises_to top ws last = true -> last <= top /\
  forall j, 0 <= j < Z.of_nat (length ws) -> last <= at_index ws j <= top.
Proof.
  induction ws as [|w ws IH]; intros last H; cbn [rises_to length] in *; [rewrite Z.eqb_eq in H; split; intros; lia|].
  destruct (Z.leb_spec last w); [|discriminate]. destruct (IH w H) as [I1 I2]. split; [lia|]. intros j Hj. rewrite at_cons.
  destruct (Z.eqb_spec j 0); [lia|]. specialize (I2 (j - 1) ltac:(lia)). lia.
Qed.
Lemma all_to_ok f many : forall n, all_to f n many = true -> forall j, n <= j < n + Z.of_nat many -> f j = true.
Proof.
  induction many; intros n H j Hj; [lia|]. simpl in H. destruct (f n) eqn:E; [|discriminate].
  destruct (Z.eq_dec j n) as [->|]; auto. apply (IHmany (n + 1)); auto. lia.
Qed.
Section Chain.
Variable k : keyed.
Hypothesis Hok : chain_ok k = true.
Notation D := (k_denominator k).
Notation T := (least_value k).
Lemma chain_facts : 0 < D /\ 1 <= T /\ (forall j, 0 <= at_index (tails k) j <= D /\ (0 <= j -> at_index (tails k) (j + 1) <= at_index (tails k) j))
  /\ 2 * at_index (tails k) 0 <= D /\ (forall n, 0 <= show k n <= D) /\ (forall n, 1 <= n -> above k (T + 1 - n) <= show k n).
Proof.
  unfold chain_ok in Hok. rewrite !andb_true_iff, !Z.leb_le, Z.ltb_lt in Hok. destruct Hok as [[[[[H1 H2] H3] H4] H5] H6].
  pose proof (falling_facts _ _ H3 ltac:(lia)) as HF. destruct (rises_facts _ _ _ H5) as [_ HR].
  assert (Hshow : forall n, 0 <= show k n <= D).
  { intros n. unfold show. destruct (Z.leb_spec n 0); [lia|]. destruct (Z.leb_spec n (Z.of_nat (length (shown k)))); [apply HR; lia|lia]. }
  repeat split; auto; try apply HF; try apply Hshow; auto.
  intros n Hn. destruct (Z_le_gt_dec n (Z.of_nat (length (shown k)))) as [Hl|Hl].
  - pose proof (all_to_ok _ _ _ H6 n ltac:(lia)) as K. cbv beta in K. rewrite Z.leb_le in K. exact K.
  - replace (show k n) with D.
    + unfold above. destruct (1 <=? T + 1 - n); [apply HF|]. destruct (HF (- (T + 1 - n))). lia.
    + unfold show. destruct (Z.leb_spec n 0); [lia|]. destruct (Z.leb_spec n (Z.of_nat (length (shown k)))); lia.
Qed.
Lemma above_falls j : above k (j + 1) <= above k j /\ 0 <= above k j <= D.
Proof.
  destruct chain_facts as (H1 & H2 & HF & H4 & _). unfold above. destruct (Z.leb_spec 1 j), (Z.leb_spec 1 (j + 1)); try lia.
  - replace (j + 1 - 1) with (j - 1 + 1) by lia. split; apply HF. lia.
  - replace j with 0 by lia. replace (0 + 1 - 1) with 0 by lia. replace (- 0) with 0 by lia. destruct (HF 0). lia.
  - pose proof (HF (- (j + 1))) as [A B]. pose proof (HF (- j)) as [C _]. replace (- (j + 1) + 1) with (- j) in B by lia. specialize (B ltac:(lia)). lia.
Qed.
Lemma above_out j : T < j -> above k j = 0.
Proof. intros. destruct chain_facts as (_ & H2 & _). unfold above. destruct (Z.leb_spec 1 j); [|lia]. apply at_out. unfold least_value in *. lia. Qed.
Lemma above_all j : j <= - T -> above k j = D.
Proof. intros. destruct chain_facts as (_ & H2 & _). unfold above. destruct (Z.leb_spec 1 j); [lia|]. rewrite at_out by (unfold least_value in *; lia). lia. Qed.
Lemma weight_nonneg n o : 0 <= n -> 0 <= weight k n o.
Proof.
  intros Hn. destruct chain_facts as (_ & _ & _ & _ & Hs & Hb). destruct o as [v|]; cbn [weight]; [|specialize (Hs n); lia].
  destruct (Z.leb_spec n 0); [lia|]. destruct (v =? T); [specialize (Hb n ltac:(lia)); lia|]. destruct (T <? v); [|lia].
  unfold noise_weight. pose proof (above_falls (v - n)). lia.
Qed.
Open Scope R_scope.
Lemma weight_sum n : (0 <= n)%Z -> wsum T (S (Z.to_nat n)) (fun v => IZR (weight k n (Some v))) = IZR (show k n).
Proof.
  intros Hn. cbn [wsum]. unfold weight at 1. rewrite Z.eqb_refl. destruct (Z.leb_spec n 0) as [H0|H0].
  - replace n with 0%Z by lia. simpl. unfold show. simpl. lra.
  - pose proof (wsum_telescope (Z.to_nat n) (fun j => - IZR (above k (j - n))) (T + 1)) as W. cbv beta in W.
    rewrite (wsum_ext _ _ _ (fun v => - IZR (above k (v + 1 - n)) - - IZR (above k (v - n)))).
    + rewrite W, Z2Nat.id by lia. rewrite (above_out (T + 1 + n - n)) by lia. rewrite minus_IZR. lra.
    + intros v Hv. unfold weight. destruct (Z.leb_spec n 0); [lia|]. destruct (Z.eqb_spec v T); [lia|]. destruct (Z.ltb_spec T v); [|lia].
      unfold noise_weight. rewrite minus_IZR. replace (v - n + 1)%Z with (v + 1 - n)%Z by lia. lra.
Qed.
Lemma weight_out n v : (0 <= n)%Z -> (T + n < v)%Z -> weight k n (Some v) = 0%Z.
Proof.
  intros Hn Hv. unfold weight. destruct (Z.leb_spec n 0); auto. destruct (Z.eqb_spec v T); [lia|]. destruct (Z.ltb_spec T v); [|lia].
  unfold noise_weight. rewrite !above_out by lia. lia.
Qed.
Lemma average_one n : (0 <= n)%Z -> average_of k n (fun _ => 1) = 1.
Proof.
  intros Hn. unfold average_of. rewrite (wsum_ext _ _ _ (fun v => IZR (weight k n (Some v)))) by (intros; ring). rewrite weight_sum by auto.
  destruct chain_facts as (H1 & _). apply IZR_lt in H1. unfold weight. rewrite minus_IZR. field. lra.
Qed.

(* ---- privacy ---- *)
Lemma zsum_wsum n : forall lo f acc, IZR (zsum lo n f acc) = IZR acc + wsum lo n (fun i => IZR (f i)).
Proof. induction n; intros; cbn [zsum wsum]; [lra|]. rewrite IHn, plus_IZR. lra. Qed.
Lemma max_IZR a : IZR (Z.max 0 a) = Rmax 0 (IZR a).
Proof. apply (zup_up a). Qed.
Lemma wider n m A : (0 <= n)%Z -> (n <= m)%Z -> wsum T (S (Z.to_nat n)) (fun v => IZR (weight k n (Some v)) * A (Some v)) =
  wsum T (Z.to_nat m + 1) (fun v => IZR (weight k n (Some v)) * A (Some v)).
Proof.
  intros Hn Hm. replace (Z.to_nat m + 1)%nat with (S (Z.to_nat n) + Z.to_nat (m - n))%nat by lia. rewrite wsum_split.
  rewrite (wsum_zero (Z.to_nat (m - n))); [lra|]. intros v Hv. rewrite weight_out by lia. ring.
Qed.
Lemma pair_private U low n m E delta A : (0 <= n)%Z -> (0 <= m)%Z -> 0 < IZR U -> 0 <= IZR low -> IZR low / IZR U <= E ->
  IZR (stick k U low n m) <= delta * (IZR D * IZR U) -> (forall o, A o = 0 \/ A o = 1) ->
  average_of k n A <= E * average_of k m A + delta.
Proof.
  intros Hn Hm HU Hl HE Hs HA. destruct chain_facts as (H1 & _). apply IZR_lt in H1 as HD.
  unfold stick in Hs. rewrite zsum_wsum, max_IZR in Hs. unfold average_of.
  rewrite (wider n (Z.max n m)), (wider m (Z.max n m)) by lia. set (N := (Z.to_nat (Z.max n m) + 1)%nat) in *.
  set (cut := fun o => IZR (Z.max 0 (U * weight k n o - low * weight k m o))).
  assert (One : forall o, IZR U * (IZR (weight k n o) * A o) <= IZR low * (IZR (weight k m o) * A o) + cut o).
  { intros o. unfold cut. rewrite max_IZR, minus_IZR, !mult_IZR. pose proof (Rmax_r 0 (IZR U * IZR (weight k n o) - IZR low * IZR (weight k m o))).
    pose proof (Rmax_l 0 (IZR U * IZR (weight k n o) - IZR low * IZR (weight k m o))). destruct (HA o) as [-> | ->]; lra. }
  set (Sn := wsum T N (fun v => IZR (weight k n (Some v)) * A (Some v))). set (Sm := wsum T N (fun v => IZR (weight k m (Some v)) * A (Some v))).
  assert (Hsum : IZR U * Sn <= IZR low * Sm + wsum T N (fun v => cut (Some v))).
  { unfold Sn, Sm. rewrite <- !wsum_scale, <- wsum_plus. apply wsum_le. intros v _. apply One. }
  pose proof (One None) as H0. set (Tn := IZR (weight k n None) * A None) in *. set (Tm := IZR (weight k m None) * A None) in *.
  rewrite <- max_IZR in Hs. fold (cut None) in Hs. change (wsum T N (fun i => IZR (Z.max 0 (U * weight k n (Some i) - low * weight k m (Some i))))) with (wsum T N (fun v => cut (Some v))) in Hs.
  assert (Hm0 : 0 <= Tm + Sm).
  { assert (Hw : forall o, 0 <= IZR (weight k m o) * A o).
    { intros o. apply Rmult_le_pos; [apply IZR_le, weight_nonneg; auto | destruct (HA o) as [-> | ->]; lra]. }
    apply Rplus_le_le_0_compat; [apply Hw | apply wsum_nonneg; intros; apply Hw]. }
  assert (Hall : IZR U * (Tn + Sn) <= IZR low * (Tm + Sm) + delta * (IZR D * IZR U)) by lra.
  assert (HE' : IZR low * (Tm + Sm) <= IZR U * E * (Tm + Sm)).
  { apply Rmult_le_compat_r; auto. apply Rmult_le_reg_r with (/ IZR U); [apply Rinv_0_lt_compat; auto|].
    replace (IZR U * E * / IZR U) with E by (field; lra). exact HE. }
  apply Rmult_le_reg_r with (IZR D * IZR U); [apply Rmult_lt_0_compat; auto|].
  replace ((Tn + Sn) / IZR D * (IZR D * IZR U)) with (IZR U * (Tn + Sn)) by (field; lra).
  replace ((E * ((Tm + Sm) / IZR D) + delta) * (IZR D * IZR U)) with (IZR U * E * (Tm + Sm) + delta * (IZR D * IZR U)) by (field; lra). lra.
Qed.
(* from the last pair on all pairs are alike, moved *)
Lemma weight_far n v : (2 * T + 1 <= n)%Z -> (Z.of_nat (length (shown k)) <= n)%Z -> (T <= v)%Z -> weight k n None = 0%Z /\ weight k n (Some v) = noise_weight k (v - n).
Proof.
  intros Hn Hl Hv. destruct chain_facts as (H1 & H2 & _ & _ & _ & Hb).
  assert (Hs : show k n = D).
  { destruct chain_facts as (_ & _ & _ & _ & Hs & Hb'). specialize (Hb' n ltac:(lia)). rewrite above_all in Hb' by lia. specialize (Hs n). lia. }
  unfold weight. rewrite Hs. split; [lia|]. destruct (Z.leb_spec n 0); [lia|]. destruct (Z.eqb_spec v T) as [->|].
  - rewrite above_all by lia. unfold noise_weight. rewrite !above_all by lia. lia.
  - destruct (Z.ltb_spec T v); [reflexivity|lia].
Qed.
Lemma noise_out i : (i < - T \/ T < i)%Z -> noise_weight k i = 0%Z.
Proof. intros [H|H]; unfold noise_weight; [rewrite !above_all by lia | rewrite !above_out by lia]; lia. Qed.
Lemma stick_far U low n d : (last_pair k <= n)%Z -> (d = 1 \/ d = -1)%Z -> (0 <= U)%Z -> (0 <= low)%Z ->
  let pair n := if (d =? 1)%Z then IZR (stick k U low n (n + 1)) else IZR (stick k U low (n + 1) n) in pair n <= pair (last_pair k).
Proof.
  intros Hn Hd HU Hlow pair. unfold last_pair in Hn. set (N := last_pair k). assert (HN : (2 * T + 1 <= N /\ Z.of_nat (length (shown k)) <= N)%Z) by (unfold N, last_pair; lia).
  set (f := fun i => IZR (Z.max 0 (if (d =? 1)%Z then U * noise_weight k i - low * noise_weight k (i - 1) else U * noise_weight k (i - 1) - low * noise_weight k i)%Z)).
  assert (E : forall n, (2 * T + 1 <= n)%Z -> (Z.of_nat (length (shown k)) <= n)%Z -> pair n = wsum (T - n) (Z.to_nat (n + 1) + 1) f).
  { intros p Hp Hl. replace (T - p)%Z with (T + - p)%Z by lia. rewrite <- wsum_shift. unfold pair, stick.
    replace (Z.max p (p + 1)) with (p + 1)%Z by lia. replace (Z.max (p + 1) p) with (p + 1)%Z by lia.
    destruct (weight_far p T Hp Hl ltac:(lia)) as [W0 _]. destruct (weight_far (p + 1) T ltac:(lia) ltac:(lia) ltac:(lia)) as [W1 _].
    destruct (d =? 1)%Z eqn:Ed; rewrite zsum_wsum, W0, W1, !Z.mul_0_r; change (Z.max 0 (0 - 0)) with 0%Z; rewrite Rplus_0_l; apply wsum_ext; intros v Hv; unfold f; rewrite ?Ed;
      destruct (weight_far p v Hp Hl ltac:(lia)) as [_ V0]; destruct (weight_far (p + 1) v ltac:(lia) ltac:(lia) ltac:(lia)) as [_ V1]; rewrite V0, V1;
      replace (v - (p + 1))%Z with (v + - p - 1)%Z by lia; replace (v - p)%Z with (v + - p)%Z by lia; reflexivity. }
  destruct chain_facts as (_ & HT & _). rewrite (E n), (E N) by lia.
  apply Rle_trans with (wsum (- T) (Z.to_nat (2 * T + 2)) f).
  - apply wsum_hull; [intros i; apply (IZR_le 0); lia|]. intros i Hi. unfold f.
    rewrite !(noise_out i), !(noise_out (i - 1)) by lia. destruct (d =? 1)%Z; simpl; f_equal; lia.
  - apply wsum_within; [intros i; apply (IZR_le 0); lia|lia|lia].
Qed.
Lemma pairs_private : pairs_ok k = true -> forall n A, (0 <= n)%Z -> (forall o, A o = 0 \/ A o = 1) ->
  average_of k n A <= exp (ratio (k_epsilon k)) * average_of k (n + 1) A + ratio (k_delta k) /\
  average_of k (n + 1) A <= exp (ratio (k_epsilon k)) * average_of k n A + ratio (k_delta k).
Proof.
  unfold pairs_ok. rewrite !andb_true_iff, !Z.leb_le, Z.ltb_lt. intros [[[[H1 H2] H3] H4] H5] n A Hn HA.
  destruct (enclosure_sound _ H1) as (_ & Hl & _). destruct chain_facts as (HD & HT & _). apply IZR_lt in HD as RD, H3 as R3.
  set (low := fst (enclosure (k_epsilon k))) in *. set (U := (2 ^ kept)%Z) in *. assert (HU : (0 < U)%Z) by reflexivity. apply IZR_lt in HU as RU. apply IZR_le in H2 as R2.
  assert (Hfit : forall s, (s * snd (k_delta k) <= fst (k_delta k) * D * U)%Z -> IZR s <= ratio (k_delta k) * (IZR D * IZR U)).
  { intros s Hs. apply IZR_le in Hs. rewrite !mult_IZR in Hs. unfold ratio. apply Rmult_le_reg_r with (IZR (snd (k_delta k))); auto.
    eapply Rle_trans; [exact Hs|]. right. field. lra. }
  assert (Hin : forall p, (0 <= p <= last_pair k)%Z -> IZR (stick k U low p (p + 1)) <= ratio (k_delta k) * (IZR D * IZR U) /\ IZR (stick k U low (p + 1) p) <= ratio (k_delta k) * (IZR D * IZR U)).
  { intros p Hp. pose proof (all_to_ok _ _ _ H5 p ltac:(lia)) as K. cbv beta in K. rewrite andb_true_iff, !Z.leb_le in K. split; apply Hfit; apply K. }
  assert (Hlast : (0 <= last_pair k)%Z) by (unfold last_pair; lia).
  assert (Hboth : IZR (stick k U low n (n + 1)) <= ratio (k_delta k) * (IZR D * IZR U) /\ IZR (stick k U low (n + 1) n) <= ratio (k_delta k) * (IZR D * IZR U)).
  { destruct (Z_le_gt_dec n (last_pair k)); [apply Hin; lia|]. destruct (Hin (last_pair k) ltac:(lia)) as [L1 L2].
    pose proof (stick_far U low n 1 ltac:(lia) ltac:(auto) ltac:(lia) H2) as F1. pose proof (stick_far U low n (-1) ltac:(lia) ltac:(auto) ltac:(lia) H2) as F2.
    simpl in F1, F2. split; lra. }
  destruct Hboth as [B1 B2]. split; eapply pair_private; eauto; lia.
Qed.
End Chain.

Open Scope R_scope.

(* ---- nothing shows more ---- *)
Lemma up_bound a b : (0 < b)%Z -> IZR a / IZR b <= IZR (- (- a / b)).
Proof. intros Hb. pose proof (div_low (- a) b Hb) as K. rewrite opp_IZR. rewrite (opp_IZR a) in K. unfold Rdiv in *. lra. Qed.
Lemma best_step_above V U high dn dd last E p p' : (0 < V)%Z -> (0 < U)%Z -> (0 < high)%Z -> (0 < dd)%Z ->
  0 < E -> E <= IZR high / IZR U -> 0 <= p -> p' <= 1 -> p <= IZR last / IZR V ->
  p' <= E * p + IZR dn / IZR dd -> 1 - p <= E * (1 - p') + IZR dn / IZR dd ->
  p' <= IZR (best_step V U high dn dd last) / IZR V.
Proof.
  intros HV HU Hh Hdd HE0 HE Hp0 Hp' Hp H1 H2. apply IZR_lt in HV as RV, HU as RU, Hh as Rh, Hdd as Rd.
  unfold best_step. set (d := (- (- (dn * V) / dd))%Z).
  assert (Hd : IZR dn / IZR dd * IZR V <= IZR d).
  { eapply Rle_trans; [|apply (up_bound (dn * V) dd Hdd)]. rewrite mult_IZR. right. field. lra. }
  apply Rmult_le_reg_r with (IZR V); auto. unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
  assert (Hlast : p * IZR V <= IZR last).
  { apply Rmult_le_compat_r with (r := IZR V) in Hp; [|lra]. unfold Rdiv in Hp. rewrite Rmult_assoc, Rinv_l, Rmult_1_r in Hp by lra. exact Hp. }
  assert (Hmin : forall x y z : Z, forall r, r <= IZR x -> r <= IZR y -> r <= IZR z -> r <= IZR (Z.min x (Z.min y z))).
  { intros x y z r Hx Hy Hz. destruct (Z.min_spec y z) as [[_ ->]|[_ ->]]; [destruct (Z.min_spec x y) as [[_ ->]|[_ ->]] | destruct (Z.min_spec x z) as [[_ ->]|[_ ->]]]; auto. }
  apply Hmin.
  - rewrite <- (Rmult_1_l (IZR V)) at 2. apply Rmult_le_compat_r; lra.
  - rewrite plus_IZR. pose proof (up_bound (high * last) U HU) as K. rewrite mult_IZR in K.
    assert (E * p * IZR V <= IZR high * IZR last / IZR U).
    { apply Rle_trans with (IZR high / IZR U * (p * IZR V)).
      - rewrite Rmult_assoc. apply Rmult_le_compat_r; auto. apply Rmult_le_pos; lra.
      - replace (IZR high * IZR last / IZR U) with (IZR high / IZR U * IZR last) by (field; lra). apply Rmult_le_compat_l; auto. lra. }
    apply Rmult_le_compat_r with (r := IZR V) in H1; lra.
  - rewrite minus_IZR. pose proof (div_low ((V - d - last) * U) high Hh) as K. rewrite mult_IZR, !minus_IZR in K.
    set (w := IZR V - IZR d - IZR last) in *. eapply Rle_trans; [|apply Rplus_le_compat_l, Ropp_le_contravar, K].
    destruct (Rle_dec w 0) as [Hw|Hw].
    + assert (w * IZR U / IZR high <= 0).
      { apply Rmult_le_reg_r with (IZR high); auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r, Rmult_0_l by lra.
        rewrite <- (Rmult_0_l (IZR U)). apply Rmult_le_compat_r; lra. }
      assert (p' * IZR V <= 1 * IZR V) by (apply Rmult_le_compat_r; lra). lra.
    + assert (Hq : w <= E * ((1 - p') * IZR V)).
      { apply Rmult_le_compat_r with (r := IZR V) in H2; [|lra]. unfold w. lra. }
      assert (Hr : w <= IZR high / IZR U * ((1 - p') * IZR V)).
      { eapply Rle_trans; [exact Hq|]. apply Rmult_le_compat_r; auto. apply Rmult_le_pos; lra. }
      assert (w * IZR U / IZR high <= (1 - p') * IZR V).
      { apply Rmult_le_reg_r with (IZR high / IZR U); [apply Rmult_lt_0_compat; auto; apply Rinv_0_lt_compat; auto|].
        replace (w * IZR U / IZR high * (IZR high / IZR U)) with w by (field; lra). lra. }
      lra.
Qed.
Lemma shown_ok_all V U high dn dd D en ed E (p : nat -> R) : (0 < V)%Z -> (0 < U)%Z -> (0 < high)%Z -> (0 < dd)%Z -> (0 < D)%Z -> (0 < ed)%Z ->
  0 < E -> E <= IZR high / IZR U -> (forall n, 0 <= p n <= 1) ->
  (forall n, p (S n) <= E * p n + IZR dn / IZR dd) -> (forall n, 1 - p n <= E * (1 - p (S n)) + IZR dn / IZR dd) ->
  forall ws last i, shown_ok V U high dn dd D en ed ws last = true -> p i <= IZR last / IZR V ->
  forall j, (j < length ws)%nat -> p (S i + j)%nat <= (1 + IZR en / IZR ed) * (IZR (nth j ws 0%Z) / IZR D).
Proof.
  intros HV HU Hh Hdd HD Hed HE0 HE Hp Hup Hdown. induction ws as [|w ws IH]; intros last i H Hi j Hj; [simpl in Hj; lia|].
  cbn [shown_ok] in H. set (c := best_step V U high dn dd last) in *. destruct (Z.leb_spec (c * D * ed) ((ed + en) * w * V)) as [Hc|]; [|discriminate].
  assert (Hnext : p (S i) <= IZR c / IZR V) by (apply (best_step_above V U high dn dd last E (p i)); auto; apply Hp).
  destruct j as [|j].
  - replace (S i + 0)%nat with (S i) by lia. simpl nth. eapply Rle_trans; [exact Hnext|]. apply IZR_le in Hc. rewrite !mult_IZR, plus_IZR in Hc.
    apply IZR_lt in HV, HD, Hed. apply Rmult_le_reg_r with (IZR V * (IZR D * IZR ed)); [repeat apply Rmult_lt_0_compat; auto|].
    eapply Rle_trans; [|eapply Rle_trans; [exact Hc|]]; right; field; lra.
  - replace (S i + S j)%nat with (S (S i) + j)%nat by lia. simpl nth. apply (IH c (S i)); auto. simpl in Hj. lia.
Qed.
Lemma most_shown k : chain_ok k = true -> pairs_ok k = true -> most_ok k = true ->
  forall O (M : mechanism O (ratio (k_epsilon k)) (ratio (k_delta k))) A, prob M 0%nat A = 0 -> forall n, (1 <= n)%nat ->
  prob M n A <= (1 + ratio (excess k)) * (IZR (show k (Z.of_nat n)) / IZR (k_denominator k)).
Proof.
  intros Hch Hpairs Hmost O M A H0 n Hn. unfold chain_ok in Hch. rewrite !andb_true_iff, Z.ltb_lt in Hch. destruct Hch as [[[[[HD _] _] _] _] _].
  unfold pairs_ok in Hpairs. rewrite !andb_true_iff, Z.ltb_lt in Hpairs. destruct Hpairs as [[[[He _] Hdd] _] _].
  unfold most_ok in Hmost. rewrite !andb_true_iff, !Z.ltb_lt, !Z.leb_le in Hmost. destruct Hmost as [[[[Hh Hed] Hen] _] Hs].
  destruct (enclosure_sound _ He) as (_ & _ & HE). apply IZR_lt in Hed as Red, HD as RD. apply IZR_le in Hen as Ren.
  assert (Hex : 0 <= ratio (excess k)) by (apply Rmult_le_pos; auto; left; apply Rinv_0_lt_compat; auto).
  unfold show. destruct (Z.leb_spec (Z.of_nat n) 0); [lia|]. destruct (Z.leb_spec (Z.of_nat n) (Z.of_nat (length (shown k)))).
  - replace (at_index (shown k) (Z.of_nat n - 1)) with (nth (n - 1) (shown k) 0%Z) by (unfold at_index; destruct (Z.ltb_spec (Z.of_nat n - 1) 0); [lia|]; f_equal; lia).
    replace n with (1 + (n - 1))%nat at 1 by lia.
    apply (shown_ok_all precision (2 ^ kept)%Z (snd (enclosure (k_epsilon k))) (fst (k_delta k)) (snd (k_delta k)) (k_denominator k) (fst (excess k)) (snd (excess k))
      (exp (ratio (k_epsilon k))) (fun i => prob M i A)) with (last := 0%Z) (ws := shown k); auto; try reflexivity.
    + apply exp_pos.
    + intros i. apply prob_unit.
    + intros i. apply prob_up.
    + intros i. pose proof (prob_down _ _ _ M i (fun o => ~ A o)) as K. rewrite !prob_not in K. exact K.
    + rewrite H0. unfold Rdiv. rewrite Rmult_0_l. lra.
    + lia.
  - replace (IZR (k_denominator k) / IZR (k_denominator k)) with 1 by (field; lra). destruct (prob_unit _ _ _ M n A). lra.
Qed.

(* ---- no whole noise costs less ---- *)
Section Noise.
Variables (Y : zlaw) (E delta : R) (m : Z -> Z).
Hypothesis Hprivate : forall A s, (forall i, A i = 0 \/ A i = 1) -> (Z.abs s <= 1)%Z -> mean Y A <= E * mean Y (fun i => A (i + s)%Z) + delta.
Definition right_of (j i : Z) : R := if (j <=? i)%Z then 1 else 0.
Definition left_of (j i : Z) : R := if (i <=? - j)%Z then 1 else 0.
Definition both (j : Z) : R := mean Y (right_of j) + mean Y (left_of j).
Let good_01 (A : Z -> R) : (forall i, A i = 0 \/ A i = 1) -> good Z Z Z.add (fun _ => True) Y A.
Proof. intros H. split; [apply meas_basic; exact I|]. exists 1. intros i. destruct (H i) as [-> | ->]; rewrite Rabs_right; lra. Qed.
Lemma right_01 j i : right_of j i = 0 \/ right_of j i = 1. Proof. unfold right_of. destruct (j <=? i)%Z; auto. Qed.
Lemma left_01 j i : left_of j i = 0 \/ left_of j i = 1. Proof. unfold left_of. destruct (i <=? - j)%Z; auto. Qed.
Lemma mean_le A B : (forall i, A i = 0 \/ A i = 1) -> (forall i, B i = 0 \/ B i = 1) -> (forall i, A i <= B i) -> mean Y A <= mean Y B.
Proof. intros HA HB H. apply (ex_le Z Z Z.add (fun _ => True) Y); auto. Qed.
Lemma both_nonneg j : 0 <= both j.
Proof.
  unfold both, mean. apply Rplus_le_le_0_compat; apply (ex_nonneg Z Z Z.add (fun _ => True) Y); try (apply good_01; intros; apply right_01 || apply left_01);
    intros i; [destruct (right_01 j i) as [-> | ->] | destruct (left_01 j i) as [-> | ->]]; lra.
Qed.
Lemma both_step j : both j <= E * both (j + 1) + 2 * delta.
Proof.
  pose proof (Hprivate (right_of j) (-1) (right_01 j) ltac:(lia)) as A. pose proof (Hprivate (left_of j) 1 (left_01 j) ltac:(lia)) as B.
  replace (mean Y (fun i => right_of j (i + -1)%Z)) with (mean Y (right_of (j + 1))) in A.
  2:{ apply Rle_antisym; apply mean_le; intros i; try apply right_01; unfold right_of; destruct (Z.leb_spec (j + 1) i), (Z.leb_spec j (i + -1)); lra || lia. }
  replace (mean Y (fun i => left_of j (i + 1)%Z)) with (mean Y (left_of (j + 1))) in B.
  2:{ apply Rle_antisym; apply mean_le; intros i; try apply left_01; unfold left_of; destruct (Z.leb_spec i (- (j + 1))), (Z.leb_spec (i + 1) (- j)); lra || lia. }
  unfold both. lra.
Qed.
Lemma both_first : 2 <= E * both 1 + 2 * delta + both 1.
Proof.
  assert (C : forall A, (forall i, A i = 0 \/ A i = 1) -> mean Y (fun i => 1 + -1 * A i) = 1 - mean Y A).
  { intros A HA. unfold mean. rewrite (ex_plus Z Z Z.add (fun _ => True) Y (fun _ => 1)) by (try apply good_const; apply good_scale; auto).
    rewrite (ex_const Z Z Z.add (fun _ => True) Y), (ex_times Z Z Z.add (fun _ => True) Y) by auto. ring. }
  assert (A01 : forall (A : Z -> R), (forall i, A i = 0 \/ A i = 1) -> forall i, 1 + -1 * A i = 0 \/ 1 + -1 * A i = 1) by (intros A HA i; destruct (HA i) as [-> | ->]; [right|left]; ring).
  pose proof (Hprivate (fun i => 1 + -1 * right_of 1 i) 1 (A01 _ (right_01 1)) ltac:(lia)) as A. rewrite (C _ (right_01 1)) in A.
  pose proof (Hprivate (fun i => 1 + -1 * left_of 1 i) (-1) (A01 _ (left_01 1)) ltac:(lia)) as B. rewrite (C _ (left_01 1)) in B.
  replace (mean Y (fun i => 1 + -1 * right_of 1 (i + 1)%Z)) with (mean Y (left_of 1)) in A.
  2:{ apply Rle_antisym; apply mean_le; intros i; try apply left_01; try apply (A01 (fun i => right_of 1 (i + 1)%Z)); try (intros; apply right_01); unfold left_of, right_of; destruct (Z.leb_spec i (- (1))), (Z.leb_spec 1 (i + 1)); lra || lia. }
  replace (mean Y (fun i => 1 + -1 * left_of 1 (i + -1)%Z)) with (mean Y (right_of 1)) in B.
  2:{ apply Rle_antisym; apply mean_le; intros i; try apply right_01; try apply (A01 (fun i => left_of 1 (i + -1)%Z)); try (intros; apply left_01); unfold left_of, right_of; destruct (Z.leb_spec (i + -1) (- (1))), (Z.leb_spec 1 i); lra || lia. }
  unfold both. lra.
Qed.

Fixpoint ladder (j : Z) (many : nat) (i : Z) : R := match many with
  | O => 0 | S c => IZR (m (j + 1) - m j) * (right_of (j + 1) i + left_of (j + 1) i) + ladder (j + 1) c i end.
Lemma ladder_good many : forall j, good Z Z Z.add (fun _ => True) Y (ladder j many).
Proof.
  induction many; intros j; cbn [ladder]; [apply good_const|]. apply good_add; auto. apply good_scale. apply good_add; apply good_01; [apply right_01 | apply left_01].
Qed.
Lemma ladder_zero many : forall j i, (Z.abs i <= j)%Z -> ladder j many i = 0.
Proof.
  induction many; intros j i Hi; cbn [ladder]; auto. rewrite IHmany by lia. unfold right_of, left_of.
  destruct (Z.leb_spec (j + 1) i); [lia|]. destruct (Z.leb_spec i (- (j + 1))); [lia|]. ring.
Qed.
Lemma ladder_at many : forall j i, (0 <= j <= Z.abs i)%Z -> exists a, (j <= a <= Z.abs i)%Z /\ IZR (m j) + ladder j many i = IZR (m a).
Proof.
  induction many; intros j i Hi; cbn [ladder]; [exists j; split; [lia|lra]|]. destruct (Z.eq_dec (Z.abs i) j) as [E0|E0].
  - exists j. split; [lia|]. rewrite ladder_zero by lia. unfold right_of, left_of. destruct (Z.leb_spec (j + 1) i); [lia|]. destruct (Z.leb_spec i (- (j + 1))); [lia|]. ring.
  - destruct (IHmany (j + 1)%Z i ltac:(lia)) as (a & Ha & K). exists a. split; [lia|]. rewrite <- K, minus_IZR.
    unfold right_of, left_of. destruct (Z.leb_spec (j + 1) i), (Z.leb_spec i (- (j + 1))); try lia; ring.
Qed.
Variables (V U high d : Z).
Hypothesis HV : (0 < V)%Z.
Hypothesis HU : (0 < U)%Z.
Hypothesis Hh : (0 < high)%Z.
Hypothesis HE : E <= IZR high / IZR U.
Hypothesis Hd : delta * IZR V <= IZR d.
Lemma tail_next t j : 2 * IZR t <= IZR V * both j -> 2 * IZR ((t - d) * U / high) <= IZR V * both (j + 1).
Proof.
  intros H. apply IZR_lt in HV as RV, HU as RU, Hh as Rh. pose proof (div_low ((t - d) * U) high Hh) as K. rewrite mult_IZR, minus_IZR in K.
  pose proof (both_step j) as S. pose proof (both_nonneg (j + 1)) as N.
  assert (E * both (j + 1) <= IZR high / IZR U * both (j + 1)) by (apply Rmult_le_compat_r; auto).
  assert (2 * (IZR t - IZR d) <= IZR high / IZR U * (IZR V * both (j + 1))).
  { apply Rmult_le_compat_l with (r := IZR V) in S; [|lra]. apply Rmult_le_compat_l with (r := IZR V) in H0; [|lra]. lra. }
  apply Rmult_le_compat_r with (r := IZR U / IZR high) in H1; [|left; apply Rmult_lt_0_compat; auto; apply Rinv_0_lt_compat; auto].
  replace (IZR high / IZR U * (IZR V * both (j + 1)) * (IZR U / IZR high)) with (IZR V * both (j + 1)) in H1 by (field; lra).
  replace (2 * (IZR t - IZR d) * (IZR U / IZR high)) with (2 * ((IZR t - IZR d) * IZR U / IZR high)) in H1 by (field; lra). lra.
Qed.
Lemma tail_gains_acc ts : forall j acc, tail_gains m j ts acc = (acc + tail_gains m j ts 0)%Z.
Proof. induction ts; intros; cbn [tail_gains]; [lia|]. rewrite IHts, (IHts _ (0 + _)%Z). lia. Qed.
Lemma ladder_mean many : forall t j, (0 <= j)%Z -> 2 * IZR t <= IZR V * both (j + 1) ->
  steps_up m j (length (least_tails V U high d many t)) = true ->
  IZR (tail_gains m j (least_tails V U high d many t) 0) <= IZR V * mean Y (ladder j (length (least_tails V U high d many t))).
Proof.
  apply IZR_lt in HV as RV. induction many; intros t j Hj Ht Hm; cbn [least_tails] in *.
  - cbn [tail_gains length ladder]. unfold mean. rewrite (ex_const Z Z Z.add (fun _ => True) Y). lra.
  - destruct (0 <? t)%Z; cbn [tail_gains length ladder steps_up] in *; [|unfold mean; rewrite (ex_const Z Z Z.add (fun _ => True) Y); lra].
    destruct (Z.leb_spec (m j) (m (j + 1))) as [Hm1|]; [|discriminate].
    specialize (IHmany ((t - d) * U / high)%Z (j + 1)%Z ltac:(lia) (tail_next t (j + 1) Ht) Hm).
    rewrite tail_gains_acc, plus_IZR. set (rest := least_tails V U high d many ((t - d) * U / high)) in *.
    assert (G1 : good Z Z Z.add (fun _ => True) Y (fun i => right_of (j + 1) i + left_of (j + 1) i)) by (apply good_add; apply good_01; [apply right_01 | apply left_01]).
    unfold mean. rewrite (ex_plus Z Z Z.add (fun _ => True) Y (fun i => IZR (m (j + 1) - m j) * (right_of (j + 1) i + left_of (j + 1) i))) by (first [apply ladder_good | apply good_scale; exact G1]).
    rewrite (ex_times Z Z Z.add (fun _ => True) Y (IZR (m (j + 1) - m j)) (fun i => right_of (j + 1) i + left_of (j + 1) i)) by exact G1.
    rewrite (ex_plus Z Z Z.add (fun _ => True) Y (right_of (j + 1)) (left_of (j + 1))) by (apply good_01; apply right_01 || apply left_01).
    fold (mean Y (right_of (j + 1))). fold (mean Y (left_of (j + 1))). fold (both (j + 1)). fold (mean Y (ladder (j + 1) (length rest))).
    apply IZR_le in Hm1. rewrite Z.add_0_l, !mult_IZR. assert (0 <= IZR (m (j + 1) - m j)) by (rewrite minus_IZR; lra).
    apply Rmult_le_compat_l with (r := IZR (m (j + 1) - m j)) in Ht; auto. lra.
Qed.
End Noise.

(* ---- the error ---- *)
Lemma steps_up_all m many : forall j, steps_up m j many = true -> forall a b, (j <= a <= b)%Z -> (b <= j + Z.of_nat many)%Z -> (m a <= m b)%Z.
Proof.
  induction many; intros j H a b Hab Hb; [replace b with a by lia; lia|]. cbn [steps_up] in H. destruct (Z.leb_spec (m j) (m (j + 1)%Z)); [|discriminate].
  destruct (Z.eq_dec a j) as [->|]; [destruct (Z.eq_dec b j) as [->|]; [lia|]|apply (IHmany (j + 1)%Z H); lia].
  pose proof (IHmany (j + 1)%Z H (j + 1)%Z b ltac:(lia) ltac:(lia)). lia.
Qed.
Section Bounds.
Variable k : keyed.
Hypothesis Hchain : chain_ok k = true.
Hypothesis Hloss : loss_ok (k_loss k) = true.
Let s := scaled_to (pieces (k_loss k)) (1, 1)%Z.
Hypothesis Hscaled : scaled_ok (pieces (k_loss k)) (1, 1)%Z s = true.
Notation T := (least_value k).
Notation D := (k_denominator k).
Lemma unit_facts : (0 < per s)%Z /\ (0 < divisor s)%Z /\ forallb signs_ok (parts s) = true /\ (forall z, 0 <= values IZR (parts s) z) /\
  forall i, IZR (zvalues (parts s) (i * per s)) / IZR (divisor s) = cost (k_loss k) (IZR i).
Proof.
  destruct (loss_scaled _ (1, 1)%Z Hloss eq_refl ltac:(unfold ratio; simpl; lra) Hscaled) as (HG & HD & Hsign & Hval & Hpos). fold s in HG, HD, Hsign, Hval, Hpos.
  repeat split; auto. intros i. specialize (Hval (IZR i)). replace (IZR i * ratio (1, 1)%Z) with (IZR i) in Hval by (unfold ratio; simpl; field).
  rewrite <- Hval, zvalues_values, mult_IZR. reflexivity.
Qed.
Lemma value_cost : highest_ok k = true -> forall n, (T <= n)%Z ->
  wsum T (S (Z.to_nat n)) (fun v => IZR (weight k n (Some v)) * cost (k_loss k) (IZR (v - n))) / IZR D <= ratio (k_upper k).
Proof.
  unfold highest_ok. fold s. rewrite !andb_true_iff, Z.ltb_lt, Z.leb_le. intros [[Hup Hu] Hsum] n Hn.
  destruct (chain_facts k Hchain) as (HD & HT & _ & _ & Hs & _). destruct unit_facts as (HG & Hdiv & _ & Hpos & Hval).
  apply IZR_lt in HD as RD, Hdiv as Rdiv', Hu as Ru. set (c := fun i => cost (k_loss k) (IZR i)).
  assert (Hc0 : forall i, 0 <= c i) by (intros; apply cost_nonneg; auto).
  assert (Hq0 : forall i, 0 <= IZR (noise_weight k i)).
  { intros i. apply (IZR_le 0). unfold noise_weight. pose proof (above_falls k Hchain i). lia. }
  assert (Hleft : forall a b, (0 <= a <= b)%Z -> (b <= T)%Z -> c (- a)%Z <= c (- b)%Z).
  { intros a b Hab Hb. unfold c. rewrite <- !Hval. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; auto|]. apply IZR_le.
    apply (steps_up_all _ _ _ Hup a b); unfold least_value in *; lia. }
  set (f := fun i => IZR (noise_weight k i) * c i).
  assert (Hf0 : forall i, 0 <= f i) by (intros; apply Rmult_le_pos; auto).
  assert (Htotal : wsum (- T) (Z.to_nat (2 * T + 1)) f <= ratio (k_upper k) * IZR D).
  { apply IZR_le in Hsum. rewrite !mult_IZR, zsum_wsum, Rplus_0_l in Hsum. unfold f.
    rewrite (wsum_ext _ _ _ (fun i => / IZR (divisor s) * IZR (noise_weight k i * zvalues (parts s) (i * per s)))).
    - rewrite wsum_scale. unfold ratio. apply Rmult_le_reg_r with (IZR (divisor s) * IZR (snd (k_upper k))); [apply Rmult_lt_0_compat; auto|].
      eapply Rle_trans; [|eapply Rle_trans; [exact Hsum|]]; right; field; lra.
    - intros i _. unfold c. rewrite <- Hval, mult_IZR. field. lra. }
  apply Rmult_le_reg_r with (IZR D); auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. eapply Rle_trans; [|exact Htotal].
  assert (Hn1 : (1 <= n)%Z) by lia. cbn [wsum]. unfold weight at 1. rewrite Z.eqb_refl. destruct (Z.leb_spec n 0); [lia|].
  (* what the least value gathers *)
  assert (Hb : IZR (show k n - above k (T + 1 - n)) * c (T - n)%Z <= wsum (- n - T) (Z.to_nat (2 * T + 1)) f).
  { apply Rle_trans with (wsum (- n - T) (Z.to_nat (2 * T + 1)) (fun i => c (T - n)%Z * IZR (noise_weight k i))).
    - rewrite wsum_scale. pose proof (wsum_telescope (Z.to_nat (2 * T + 1)) (fun j => - IZR (above k j)) (- n - T)) as W. cbv beta in W.
      rewrite (wsum_ext _ _ _ (fun i => - IZR (above k (i + 1)) - - IZR (above k i))) by (intros i _; unfold noise_weight; rewrite minus_IZR; ring).
      rewrite W, (above_all k Hchain (- n - T)) by lia. replace (- n - T + Z.of_nat (Z.to_nat (2 * T + 1)))%Z with (T + 1 - n)%Z by lia.
      rewrite Rmult_comm. apply Rmult_le_compat_l; auto. rewrite minus_IZR. destruct (Hs n) as [_ Hs1]. apply IZR_le in Hs1. lra.
    - apply wsum_le. intros i Hi. unfold f. rewrite Rmult_comm. destruct (Z_lt_ge_dec i (- T)).
      + rewrite (noise_out k Hchain) by lia. lra.
      + apply Rmult_le_compat_l; auto. replace (T - n)%Z with (- (n - T))%Z by lia. replace i with (- - i)%Z by lia. apply Hleft; lia. }
  assert (Hrest : wsum (T + 1) (Z.to_nat n) (fun v => IZR (weight k n (Some v)) * cost (k_loss k) (IZR (v - n))) = wsum (T + 1 - n) (Z.to_nat n) f).
  { replace (T + 1 - n)%Z with (T + 1 + - n)%Z by lia. rewrite <- (wsum_shift (Z.to_nat n) (- n) (T + 1) f). apply wsum_ext. intros v Hv. unfold weight, f, c.
    destruct (Z.leb_spec n 0); [lia|]. destruct (Z.eqb_spec v T); [lia|]. destruct (Z.ltb_spec T v); [|lia]. replace (v - n)%Z with (v + - n)%Z by lia. reflexivity. }
  rewrite Hrest. fold (c (T - n)%Z). apply Rle_trans with (wsum (- n - T) (Z.to_nat (2 * T + 1) + Z.to_nat n) f).
  - rewrite wsum_split. replace (- n - T + Z.of_nat (Z.to_nat (2 * T + 1)))%Z with (T + 1 - n)%Z by lia. lra.
  - apply wsum_hull; auto. intros i Hi. unfold f. rewrite (noise_out k Hchain) by lia. ring.
Qed.
Lemma noise_cost : pairs_ok k = true -> lowest_ok k = true -> forall Y : zlaw, private Y (ratio (k_epsilon k)) (ratio (k_delta k)) (fun i => (Z.abs i <= 1)%Z) ->
  forall B, loss_at_most Y (fun i => cost (k_loss k) (IZR i)) B -> ratio (k_lower k) <= B.
Proof.
  intros Hpairs Hlow Y HY B HB. unfold pairs_ok in Hpairs. rewrite !andb_true_iff, Z.ltb_lt in Hpairs. destruct Hpairs as [[[[He _] Hdd] _] _].
  destruct (enclosure_sound _ He) as (_ & _ & HE). unfold lowest_ok in Hlow. fold s in Hlow.
  set (V := precision) in *. set (U := (2 ^ kept)%Z) in *. set (high := snd (enclosure (k_epsilon k))) in *. set (d := (- (- (fst (k_delta k) * V) / snd (k_delta k)))%Z) in *.
  set (m := fun j => Z.min (far_left (parts s) (- j * per s)) (far_right (parts s) (j * per s))) in *.
  set (t1 := ((V - d) * U / (U + high))%Z) in *. set (ts := least_tails V U high d (Z.to_nat 20000) t1) in *.
  rewrite !andb_true_iff, !Z.ltb_lt, Z.leb_le in Hlow. destruct Hlow as [[[[_ Hl] Hh] Hsteps] Hsum].
  destruct unit_facts as (HG & Hdiv & Hsign & Hpos & Hval). assert (HV : (0 < V)%Z) by reflexivity. assert (HU : (0 < U)%Z) by reflexivity.
  apply IZR_lt in Hdiv as Rd, Hl as Rl, HV as RV, HU as RU, Hh as Rh, Hdd as Rdd.
  set (E := exp (ratio (k_epsilon k))) in *. set (delta := ratio (k_delta k)) in *.
  assert (HE0 : 0 < E) by apply exp_pos.
  assert (Hp : forall A i, (forall j, A j = 0 \/ A j = 1) -> (Z.abs i <= 1)%Z -> mean Y A <= E * mean Y (fun j => A (j + i)%Z) + delta).
  { intros A i HA Hi. apply HY; auto. split; auto. apply meas_basic. exact I. }
  assert (Hd : delta * IZR V <= IZR d).
  { unfold d. eapply Rle_trans; [|apply up_bound; auto]. rewrite mult_IZR. unfold delta, ratio. right. field. lra. }
  assert (Ht1 : 2 * IZR t1 <= IZR V * both Y (0 + 1)).
  { pose proof (both_first Y E delta Hp) as F. pose proof (both_nonneg Y 1) as N. change (0 + 1)%Z with 1%Z.
    pose proof (div_low ((V - d) * U) (U + high) ltac:(lia)) as K. rewrite mult_IZR, minus_IZR, plus_IZR in K. fold t1 in K.
    assert (E * both Y 1 <= IZR high / IZR U * both Y 1) by (apply Rmult_le_compat_r; lra).
    assert (2 * (IZR V - IZR d) <= IZR V * both Y 1 * ((IZR U + IZR high) / IZR U)).
    { replace (IZR V * both Y 1 * ((IZR U + IZR high) / IZR U)) with (IZR V * (both Y 1 + IZR high / IZR U * both Y 1)) by (field; lra).
      assert (IZR V * (2 - 2 * delta) <= IZR V * (both Y 1 + IZR high / IZR U * both Y 1)) by (apply Rmult_le_compat_l; lra). lra. }
    apply Rmult_le_compat_r with (r := IZR U / (IZR U + IZR high)) in H0; [|left; apply Rmult_lt_0_compat; [lra|apply Rinv_0_lt_compat; lra]].
    replace (IZR V * both Y 1 * ((IZR U + IZR high) / IZR U) * (IZR U / (IZR U + IZR high))) with (IZR V * both Y 1) in H0 by (field; lra).
    replace (2 * (IZR V - IZR d) * (IZR U / (IZR U + IZR high))) with (2 * ((IZR V - IZR d) * IZR U / (IZR U + IZR high))) in H0 by (field; lra). lra. }
  pose proof (ladder_mean Y E delta m Hp V U high d HV HU Hh HE Hd (Z.to_nat 20000) t1 0 ltac:(lia) Ht1 Hsteps) as L. fold ts in L.
  (* the ladder is nowhere above the loss *)
  assert (Hbelow : forall i, (IZR (m 0%Z) + ladder m 0 (length ts) i) / IZR (divisor s) <= cost (k_loss k) (IZR i)).
  { intros i. destruct (ladder_at m (length ts) 0 i ltac:(lia)) as (a & Ha & ->). rewrite <- Hval.
    apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; auto|]. rewrite zvalues_values, mult_IZR. unfold m.
    destruct (Z_le_gt_dec 0 i).
    - eapply Rle_trans; [apply IZR_le, Z.le_min_r|]. apply far_right_below; auto. rewrite <- mult_IZR. apply IZR_le. nia.
    - eapply Rle_trans; [apply IZR_le, Z.le_min_l|]. apply far_left_below; auto. rewrite <- mult_IZR. apply IZR_le. nia. }
  pose proof (ladder_good Y m (length ts) 0) as Lg.
  assert (Gg : good Z Z Z.add (fun _ => True) Y (fun i => / IZR (divisor s) * (IZR (m 0%Z) + ladder m 0 (length ts) i))).
  { apply good_scale. apply (good_add Z Z Z.add (fun _ => True) Y (fun _ => IZR (m 0%Z))); auto. apply good_const. }
  assert (Hmean : ex Y (fun i => / IZR (divisor s) * (IZR (m 0%Z) + ladder m 0 (length ts) i)) <= B).
  { apply HB; try apply Gg. intros i. rewrite Rmult_comm. apply Hbelow. }
  rewrite (ex_times Z Z Z.add (fun _ => True) Y (/ IZR (divisor s)) (fun i => IZR (m 0%Z) + ladder m 0 (length ts) i)) in Hmean
    by (apply (good_add Z Z Z.add (fun _ => True) Y (fun _ => IZR (m 0%Z))); auto; apply good_const).
  rewrite (ex_plus Z Z Z.add (fun _ => True) Y (fun _ => IZR (m 0%Z))), (ex_const Z Z Z.add (fun _ => True) Y) in Hmean by (auto; apply good_const).
  fold (mean Y (ladder m 0 (length ts))) in Hmean. eapply Rle_trans; [|exact Hmean].
  apply IZR_le in Hsum. rewrite !mult_IZR, tail_gains_acc, plus_IZR, mult_IZR in Hsum. unfold ratio.
  apply Rmult_le_reg_r with (IZR (snd (k_lower k)) * IZR (divisor s) * IZR V); [apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat; assumption|assumption]|].
  replace (IZR (fst (k_lower k)) / IZR (snd (k_lower k)) * (IZR (snd (k_lower k)) * IZR (divisor s) * IZR V)) with (IZR (fst (k_lower k)) * IZR (divisor s) * IZR V) by (field; lra).
  eapply Rle_trans; [exact Hsum|].
  replace (/ IZR (divisor s) * (IZR (m 0%Z) + mean Y (ladder m 0 (length ts))) * (IZR (snd (k_lower k)) * IZR (divisor s) * IZR V)) with
    ((IZR (m 0%Z) * IZR V + IZR V * mean Y (ladder m 0 (length ts))) * IZR (snd (k_lower k))) by (field; lra).
  apply Rmult_le_compat_r; [left; assumption|]. apply Rplus_le_compat_l. exact L.
Qed.
End Bounds.

(* ---- the theorem ---- *)
Theorem keyed_sound k : keyed_check k = true -> keyed_claims k.
Proof.
  unfold keyed_check. rewrite !andb_true_iff. intros [[[[Hc Hp] Hm] Hu] Hl].
  assert (Hloss : loss_ok (k_loss k) = true /\ scaled_ok (pieces (k_loss k)) (1, 1)%Z (scaled_to (pieces (k_loss k)) (1, 1)%Z) = true).
  { unfold lowest_ok in Hl. rewrite !andb_true_iff in Hl. tauto. }
  destruct Hloss as [Hl1 Hl2]. unfold keyed_claims. repeat split.
  - intros n o Hn. apply weight_nonneg; auto.
  - intros n Hn. apply average_one; auto.
  - apply (pairs_private k Hc Hp); auto.
  - apply (pairs_private k Hc Hp); auto.
  - intros O M A H0 n Hn. apply most_shown; auto.
  - intros n Hn. apply value_cost; auto.
  - intros Y HY B HB. apply (noise_cost k Hl1 Hl2 Hp Hl Y HY B HB).
Qed.
