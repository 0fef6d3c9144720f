(* Why rates bound the mean error of every private law on vectors of whole numbers. *)
Require Import Reals ZArith List Bool Lra Lia.
Require Import Formal.Statements Formal.Exp Formal.Laws Formal.Masses Formal.Joint Formal.Vectors Formal.JointNoise Formal.Orbits Formal.Flow.
Import ListNotations.
Open Scope R_scope.

(* ---- sums over gaps ---- *)
Lemma ent_nonneg k : forall i (v : vec k), sorted v -> (0 <= ent i v)%Z.
Proof.
  induction k; intros i v Hv; [simpl; lia|]. destruct (sorted_bound (S k) v Hv) as [H0 _]. destruct Hv as [_ H2]. destruct i; auto. cbn [ent]. apply IHk; auto.
Qed.
Lemma by_gaps k h i0 : h 0%Z = 0 -> forall v : vec k,
  upto k (fun i => (i0 + INR (S i)) * (h (ent i v) - h (ent (S i) v))) = total_of_all h v + i0 * h (ent 0 v).
Proof.
  intros H0. revert i0. induction k; intros i0 v; [simpl; rewrite H0; ring|]. rewrite upto_shift.
  rewrite (upto_ext k _ (fun i => (i0 + 1 + INR (S i)) * (h (ent i (snd v)) - h (ent (S i) (snd v))))).
  - rewrite IHk. cbn [ent total_of_all]. simpl INR. ring.
  - intros i _. rewrite (S_INR (S i)). cbn [ent]. ring.
Qed.
Lemma crossed k : forall b s (v : vec k),
  upto k (fun i => (if (0 <? gap i v)%Z then IZR b + INR i else 0) * IZR (ent (S i) v)) + s * IZR (ent 0 v) =
  upto k (fun i => (s + IZR (members_before b (pattern v) i)) * IZR (gap i v)).
Proof.
  induction k; intros b s v; [simpl; ring|]. rewrite !upto_shift.
  set (first := if (ent 0 (snd v) <? fst v)%Z then IZR b else 0).
  assert (E : (if (0 <? gap 0 v)%Z then IZR b + INR 0 else 0) = first).
  { unfold first, gap. cbn [ent]. simpl INR. destruct (Z.ltb_spec 0 (fst v - ent 0 (snd v))), (Z.ltb_spec (ent 0 (snd v)) (fst v)); try lia; ring. }
  rewrite E. specialize (IHk (b + 1)%Z (s + first) (snd v)).
  rewrite (upto_ext k (fun i => (if (0 <? gap (S i) v)%Z then IZR b + INR (S i) else 0) * IZR (ent (S (S i)) v))
    (fun i => (if (0 <? gap i (snd v))%Z then IZR (b + 1) + INR i else 0) * IZR (ent (S i) (snd v)))).
  - rewrite (upto_ext k (fun i => (s + IZR (members_before b (pattern v) (S i))) * IZR (gap (S i) v))
      (fun i => (s + first + IZR (members_before (b + 1) (pattern (snd v)) i)) * IZR (gap i (snd v)))).
    + rewrite <- IHk. change (gap 0 v) with (fst v - ent 0 (snd v))%Z. change (ent 1 v) with (ent 0 (snd v)). change (ent 0 v) with (fst v). change (members_before b (pattern v) 0) with 0%Z. rewrite minus_IZR. ring.
    + intros i _. change ((s + IZR ((if (ent 0 (snd v) <? fst v)%Z then b else 0) + members_before (b + 1) (pattern (snd v)) i)) * IZR (gap i (snd v)) =
        (s + first + IZR (members_before (b + 1) (pattern (snd v)) i)) * IZR (gap i (snd v))). rewrite plus_IZR. unfold first. destruct (_ <? _)%Z; ring.
  - intros i _. change ((if (0 <? gap i (snd v))%Z then IZR b + INR (S i) else 0) * IZR (ent (S i) (snd v)) =
      (if (0 <? gap i (snd v))%Z then IZR (b + 1) + INR i else 0) * IZR (ent (S i) (snd v))).
    rewrite S_INR, plus_IZR. destruct (0 <? gap i (snd v))%Z; ring.
Qed.
Lemma before_setb : forall i B b, members_before b (setb i B) i = members_before b B i.
Proof. induction i; intros [|c B] b; cbn [setb members_before]; auto. rewrite IHi. reflexivity. Qed.
Lemma sets_bound n : forall phi : list bool -> R, exists K, 0 <= K /\ forall B, length B = n -> phi B <= K.
Proof.
  induction n; intros phi.
  - exists (Rmax 0 (phi [])). split; [apply Rmax_l|]. intros [|] H; [apply Rmax_r|discriminate].
  - destruct (IHn (fun B => phi (true :: B))) as (K1 & P1 & H1). destruct (IHn (fun B => phi (false :: B))) as (K2 & P2 & H2).
    exists (Rmax K1 K2). split; [eapply Rle_trans; [exact P1|apply Rmax_l]|]. intros [|[|] B] H; try discriminate; injection H as H.
    + eapply Rle_trans; [apply H1; auto|apply Rmax_l].
    + eapply Rle_trans; [apply H2; auto|apply Rmax_r].
Qed.
Lemma all_sets_ok k : forall test, all_sets k test = true -> forall B, length B = k -> test B = true.
Proof.
  induction k; intros test H B HB; cbn [all_sets] in H; [destruct B; [auto|discriminate]|]. rewrite andb_true_iff in H. destruct H as [H1 H2].
  destruct B as [|[|] B]; try discriminate; injection HB as HB; [apply (IHk _ H1)|apply (IHk _ H2)]; auto.
Qed.

(* ---- the flow ---- *)
Definition size_of (e : error) (z : Z) : R := match e with MeanSquare => IZR z * IZR z | _ => Rabs (IZR z) end.
Section Rates.
Variables (e : error) (k : nat) (q lambda : R) (kappa : nat -> list bool -> R).
Hypothesis Hq : 0 < q < 1.
Hypothesis Hkappa : forall i B, 0 <= kappa i B.
Let m1 := / (1 - q).
(* what b adds, with a gap g above the next size t, s the sum of the members before b *)
Definition xi (b g t s : R) : R := match e with
  | MeanSquare => b * (g * g * m1 + 2 * g * m1 * m1) + 2 * b * t * g * m1 + 2 * m1 * m1 * s * g
  | _ => b * g * m1 end.
Definition share (b s : R) : R := match e with
  | MeanSquare => b * (1 + q) * m1 * m1 + 2 * m1 * m1 * s | _ => b * m1 end.
Definition rhoB (i : nat) (B : list bool) : R := IZR (images B) / IZR (images (setb i B)).
Definition bound_of (B : list bool) : R := upto (length B) (fun i =>
  if nth i B false then share (INR (S i)) (IZR (members_before 1 B i)) - (1 - q) * kappa i B
  else q * (rhoB i B * kappa i (setb i B))).
Hypothesis Hbound : forall B, length B = k -> lambda <= bound_of B.
Definition cost_of (v : vec k) : R := total_of_all (size_of e) v.
Definition the_xi (i : nat) (g : R) (v : vec k) : R := xi (INR (S i)) g (IZR (ent (S i) v)) (IZR (members_before 1 (pattern v) i)).
Definition the_zeta (i : nat) (v : vec k) : R := the_xi i (IZR (gap i v)) v + kappa i (setb i (pattern v)).
Definition the_zin (i : nat) (v : vec k) : R := the_xi i (IZR (gap i v) - 1) v + kappa i (pattern v).
Lemma m1_pos : 0 < m1.
Proof. apply Rinv_0_lt_compat. lra. Qed.
Lemma before_nonneg : forall B b i, (0 <= b)%Z -> (0 <= members_before b B i)%Z.
Proof. induction B as [|c B IH]; intros b [|i] Hb; cbn [members_before]; try lia. specialize (IH (b + 1)%Z i ltac:(lia)). destruct c; lia. Qed.
Lemma xi_nonneg b g t s : 0 <= b -> 0 <= g -> 0 <= t -> 0 <= s -> 0 <= xi b g t s.
Proof.
  intros. pose proof m1_pos. unfold xi. destruct e; repeat first [apply Rplus_le_le_0_compat | apply Rmult_le_pos]; lra.
Qed.
Lemma xi_zero b t s : xi b 0 t s = 0.
Proof. unfold xi. destruct e; ring. Qed.
Lemma parts_nonneg i (v : vec k) : sorted v -> 0 <= INR (S i) /\ 0 <= IZR (gap i v) /\ 0 <= IZR (ent (S i) v) /\ 0 <= IZR (members_before 1 (pattern v) i).
Proof.
  intros Hv. repeat split; [apply pos_INR|apply IZR_le, gap_nonneg; auto|apply IZR_le, ent_nonneg; auto|apply IZR_le, before_nonneg; lia].
Qed.
Lemma zeta_nonneg i (v : vec k) : sorted v -> 0 <= the_zeta i v.
Proof.
  intros Hv. destruct (parts_nonneg i v Hv) as (H1 & H2 & H3 & H4). unfold the_zeta, the_xi. pose proof (xi_nonneg _ _ _ _ H1 H2 H3 H4). specialize (Hkappa i (setb i (pattern v))). lra.
Qed.
Lemma zeta_link i (v : vec k) : sorted v -> (i < k)%nat -> the_zin i (bump i v) = the_zeta i v.
Proof.
  intros Hv Hi. unfold the_zin, the_zeta, the_xi. destruct (gap_bump k i v Hi) as [-> ->]. rewrite pattern_bump, before_setb by auto. f_equal. f_equal. rewrite plus_IZR. ring.
Qed.
Lemma rho_is i (v : vec k) : sorted v -> (i < k)%nat -> rho k i v = rhoB i (pattern v).
Proof. intros. unfold rho, im, rhoB. rewrite pattern_bump by auto. reflexivity. Qed.
Lemma rho_one i B : nth i B false = true -> rhoB i B = 1.
Proof. intros H. unfold rhoB. rewrite setb_same by auto. pose proof (images_pos B) as P. apply IZR_lt in P. field. lra. Qed.
(* the cost, by gaps *)
Definition part (i : nat) (v : vec k) : R := match e with
  | MeanSquare => INR (S i) * (IZR (ent i v) * IZR (ent i v) - IZR (ent (S i) v) * IZR (ent (S i) v))
      + 2 * m1 * (IZR (members_before 1 (pattern v) i) * IZR (gap i v) - (if (0 <? gap i v)%Z then INR (S i) else 0) * IZR (ent (S i) v))
  | _ => INR (S i) * IZR (gap i v) end.
Lemma crossed_zero (v : vec k) : upto k (fun i => IZR (members_before 1 (pattern v) i) * IZR (gap i v)) = upto k (fun i => (if (0 <? gap i v)%Z then INR (S i) else 0) * IZR (ent (S i) v)).
Proof.
  pose proof (crossed k 1 0 v) as C. rewrite Rmult_0_l, Rplus_0_r in C. rewrite (upto_ext k _ (fun i => (0 + IZR (members_before 1 (pattern v) i)) * IZR (gap i v))) by (intros; ring).
  rewrite <- C. apply upto_ext. intros i _. rewrite S_INR. destruct (_ <? _)%Z; ring.
Qed.
Lemma absolute_cost (v : vec k) : sorted v -> upto k (fun i => INR (S i) * IZR (gap i v)) = total_of_all (fun z => Rabs (IZR z)) v.
Proof.
  intros Hv. pose proof (by_gaps k (fun z => Rabs (IZR z)) 0 Rabs_R0 v) as G. rewrite Rmult_0_l, Rplus_0_r in G. rewrite <- G. apply upto_ext. intros i _.
  assert (A : forall j, Rabs (IZR (ent j v)) = IZR (ent j v)) by (intros; apply Rabs_right, Rle_ge, IZR_le, ent_nonneg; auto). rewrite !A. unfold gap. rewrite minus_IZR. ring.
Qed.
Lemma parts_sum (v : vec k) : sorted v -> upto k (fun i => part i v) = cost_of v.
Proof.
  intros Hv. unfold part, cost_of, size_of. destruct e; try (apply absolute_cost; auto).
  rewrite upto_plus, upto_scale. rewrite (upto_ext k (fun i => _ * _ - _) (fun i => IZR (members_before 1 (pattern v) i) * IZR (gap i v) + -1 * ((if (0 <? gap i v)%Z then INR (S i) else 0) * IZR (ent (S i) v)))) by (intros; ring).
  rewrite upto_plus, upto_scale, crossed_zero. pose proof (by_gaps k (fun z => IZR z * IZR z) 0 ltac:(simpl; ring) v) as G. rewrite Rmult_0_l, Rplus_0_r in G. rewrite <- G.
  rewrite (upto_ext k (fun i => (0 + INR (S i)) * _) (fun i => INR (S i) * (IZR (ent i v) * IZR (ent i v) - IZR (ent (S i) v) * IZR (ent (S i) v)))) by (intros; ring). ring.
Qed.
Lemma xi_step b g t s : xi b (g - 1) t s - q * xi b g t s + share b s = match e with
  | MeanSquare => b * (g * g + 2 * t * g) + 2 * m1 * (s * g - b * t) | _ => b * g end.
Proof. unfold xi, share, m1. destruct e; field; lra. Qed.
Lemma flow_point (v : vec k) : sorted v ->
  upto k (fun i => (if (0 <? gap i v)%Z then the_zin i v else 0) - q * (rho k i v * the_zeta i v)) <= cost_of v - lambda.
Proof.
  intros Hv. set (B := pattern v). assert (HB : length B = k) by apply pattern_length. pose proof (Hbound B HB) as Hl. unfold bound_of in Hl. rewrite HB in Hl.
  assert (E : upto k (fun i => (if (0 <? gap i v)%Z then the_zin i v else 0) - q * (rho k i v * the_zeta i v)) + upto k (fun i =>
    if nth i B false then share (INR (S i)) (IZR (members_before 1 B i)) - (1 - q) * kappa i B else q * (rhoB i B * kappa i (setb i B))) = upto k (fun i => part i v)).
  { rewrite <- upto_plus. apply upto_ext. intros i Hi. rewrite rho_is by auto. fold B. pose proof (pattern_gap k i v Hi) as N. fold B in N.
    pose proof (gap_nonneg k i v Hv) as G0. unfold the_zin, the_zeta. fold B. destruct (Z.ltb_spec 0 (gap i v)) as [Hg|Hg]; rewrite N.
    - rewrite rho_one, setb_same by auto. pose proof (xi_step (INR (S i)) (IZR (gap i v)) (IZR (ent (S i) v)) (IZR (members_before 1 B i))) as X.
      unfold the_xi. fold B. unfold part. fold B. destruct (Z.ltb_spec 0 (gap i v)); [|lia].
      assert (Eg : IZR (ent i v) = IZR (gap i v) + IZR (ent (S i) v)) by (unfold gap; rewrite minus_IZR; ring).
      destruct e; try (rewrite Eg); lra.
    - assert (Z0 : gap i v = 0%Z) by lia. unfold the_xi, part. rewrite Z0. change (0 <? 0)%Z with false. rewrite xi_zero.
      assert (Eg : ent i v = ent (S i) v) by (unfold gap in Z0; lia). destruct e; try (rewrite Eg); ring. }
  rewrite parts_sum in E by auto. lra.
Qed.
Lemma ent_total (v : vec k) : sorted v -> upto k (fun i => IZR (ent (S i) v)) <= total_of_all (fun z => Rabs (IZR z)) v.
Proof.
  assert (T : forall n (w : vec n), sorted w -> upto n (fun i => IZR (ent (S i) w)) + IZR (ent 0 w) = total_of_all (fun z => Rabs (IZR z)) w).
  { induction n; intros w Hw; [simpl; ring|]. rewrite upto_shift. destruct (sorted_bound (S n) w Hw) as [H0 _]. destruct Hw as [H1 H2]. cbn [total_of_all]. rewrite <- IHn by auto.
    cbn [ent] in *. rewrite (Rabs_right (IZR (fst w))) by (apply Rle_ge, IZR_le; auto). ring. }
  intros Hv. rewrite <- T by auto. pose proof (ent_nonneg k 0 v Hv) as H. apply IZR_le in H. lra.
Qed.
Lemma squares_more n : forall w : vec n, total_of_all (fun z => Rabs (IZR z)) w <= total_of_all (fun z => IZR z * IZR z) w.
Proof.
  induction n; intros w; cbn [total_of_all]; [lra|]. specialize (IHn (snd w)). rewrite <- abs_IZR, <- mult_IZR.
  assert (IZR (Z.abs (fst w)) <= IZR (fst w * fst w)) by (apply IZR_le; nia). lra.
Qed.
Lemma flow_out : exists K, 0 <= K /\ forall v, sorted v -> upto k (fun i => rho k i v * the_zeta i v) <= K * (1 + cost_of v).
Proof.
  destruct (sets_bound k (fun B => upto k (fun i => rhoB i B * kappa i (setb i B)))) as (K2 & P2 & H2).
  pose proof m1_pos as M. set (K1 := m1 + 2 * m1 * m1 + 2 * m1 * m1 * INR k).
  assert (PK : 0 <= INR k) by apply pos_INR. assert (M2 : 0 < m1 * m1) by (apply Rmult_lt_0_compat; auto). assert (M3 : 0 <= m1 * m1 * INR k) by (apply Rmult_le_pos; lra).
  exists (K1 + K2). split; [unfold K1; lra|]. intros v Hv.
  assert (C0 : 0 <= cost_of v). { apply total_nonneg. intros z. unfold size_of. destruct e; try apply Rabs_pos. apply Rle_0_sqr. }
  rewrite (upto_ext k _ (fun i => the_xi i (IZR (gap i v)) v + rhoB i (pattern v) * kappa i (setb i (pattern v)))).
  - rewrite upto_plus. specialize (H2 (pattern v) (pattern_length k v)).
    assert (X : upto k (fun i => the_xi i (IZR (gap i v)) v) <= K1 * cost_of v).
    { assert (L : m1 * total_of_all (fun z => Rabs (IZR z)) v <= K1 * total_of_all (fun z => Rabs (IZR z)) v).
      { apply Rmult_le_compat_r; [apply total_nonneg; intros; apply Rabs_pos|]. unfold K1. lra. }
      unfold cost_of, size_of, the_xi, xi. clear H2 P2 K2 C0 Hbound. destruct e.
      1,3: rewrite (upto_ext k _ (fun i => m1 * (INR (S i) * IZR (gap i v)))) by (intros; ring); rewrite upto_scale, absolute_cost by auto; exact L.
      rewrite (upto_ext k _ (fun i => m1 * ((0 + INR (S i)) * (IZR (ent i v) * IZR (ent i v) - IZR (ent (S i) v) * IZR (ent (S i) v))) + (2 * m1 * m1 * (INR (S i) * IZR (gap i v)) + 2 * m1 * m1 * (IZR (members_before 1 (pattern v) i) * IZR (gap i v))))).
      - rewrite !upto_plus, !upto_scale, crossed_zero, absolute_cost by auto. pose proof (by_gaps k (fun z => IZR z * IZR z) 0 ltac:(simpl; ring) v) as G. cbv beta in G. rewrite Rmult_0_l, Rplus_0_r in G. rewrite G.
        pose proof (squares_more k v) as Q. pose proof (ent_total v Hv) as T. set (S1 := total_of_all (fun z => Rabs (IZR z)) v) in *. set (S2 := total_of_all (fun z => IZR z * IZR z) v) in *.
        assert (Y : upto k (fun i => (if (0 <? gap i v)%Z then INR (S i) else 0) * IZR (ent (S i) v)) <= INR k * S2).
        { apply Rle_trans with (upto k (fun i => INR k * IZR (ent (S i) v))).
          - apply upto_le. intros i Hi. destruct (parts_nonneg i v Hv) as (_ & _ & H3 & _). apply Rmult_le_compat_r; auto. destruct (_ <? _)%Z; [|auto]. apply le_INR. lia.
          - rewrite upto_scale. apply Rmult_le_compat_l; auto. lra. }
        unfold K1. assert (2 * m1 * m1 * S1 <= 2 * m1 * m1 * S2) by (apply Rmult_le_compat_l; lra). apply Rmult_le_compat_l with (r := 2 * m1 * m1) in Y; [|lra]. lra.
      - intros i Hi. assert (Eg : IZR (ent i v) = IZR (gap i v) + IZR (ent (S i) v)) by (unfold gap; rewrite minus_IZR; ring). rewrite Eg. ring. }
    assert (0 <= K2 * cost_of v) by (apply Rmult_le_pos; auto). assert (0 <= K1) by (unfold K1; lra). cbv beta in H2. lra.
  - intros i Hi. rewrite rho_is by auto. unfold the_zeta. pose proof (pattern_gap k i v Hi) as N. pose proof (gap_nonneg k i v Hv). destruct (Z.ltb_spec 0 (gap i v)).
    + rewrite rho_one by auto. ring.
    + replace (gap i v) with 0%Z by lia. unfold the_xi. rewrite xi_zero. ring.
Qed.
End Rates.

(* ---- private laws ---- *)
Lemma vpoint_zero_one k : forall y x : vec k, vpoint y x = 0 \/ vpoint y x = 1.
Proof. induction k; intros y x; cbn [vpoint]; auto. unfold point. destruct (_ =? _)%Z; destruct (IHk (snd y) (snd x)) as [-> | ->]; [left|right|left|left]; ring. Qed.
Lemma vpoint_moved k : forall y z s : vec k, vpoint (vadd y s) (vadd z s) = vpoint y z.
Proof.
  induction k; intros y z s; cbn [vpoint vadd fst snd]; auto. rewrite IHk. f_equal. unfold point. destruct (Z.eqb_spec (fst z + fst s) (fst y + fst s)), (Z.eqb_spec (fst z) (fst y)); auto; lia.
Qed.
Lemma near_move k : forall x y : vec k, near x y -> exists s, vadd y s = x /\ (farthest s <= 1)%Z.
Proof.
  induction k; intros x y H; [exists tt; destruct x; simpl; split; auto; lia|]. destruct H as [H1 H2]. destruct (IHk (snd x) (snd y) H2) as (s & E & F).
  exists ((fst x - fst y)%Z, s). cbn [vadd farthest fst snd]. rewrite E. split; [destruct x; cbn [fst snd]; f_equal; lia|lia].
Qed.
Lemma small_step (u : nat -> R) C e : (forall n, u n <= C) -> 0 < e -> forall N, exists M, (N <= M)%nat /\ u (S M) - u M <= e.
Proof.
  intros Hu He N. assert (H : forall n, (exists M, (N <= M)%nat /\ u (S M) - u M <= e) \/ u N + INR n * e <= u (N + n)%nat).
  { induction n; [right; rewrite Nat.add_0_r; simpl; lra|]. destruct IHn as [H|H]; [left; auto|]. destruct (Rle_dec (u (S (N + n)) - u (N + n)%nat) e).
    - left. exists (N + n)%nat. split; auto. lia.
    - right. rewrite Nat.add_succ_r, S_INR. lra. }
  destruct (H (Z.to_nat (up ((C - u N) / e)))) as [K|K]; auto. exfalso. specialize (Hu (N + Z.to_nat (up ((C - u N) / e)))%nat).
  destruct (archimed ((C - u N) / e)) as [A _]. assert (IZR (up ((C - u N) / e)) <= INR (Z.to_nat (up ((C - u N) / e)))) by (rewrite INR_IZR_INZ; apply IZR_le; lia).
  assert (X : (C - u N) / e * e < INR (Z.to_nat (up ((C - u N) / e))) * e) by (apply Rmult_lt_compat_r; lra). replace ((C - u N) / e * e) with (C - u N) in X by (field; lra). lra.
Qed.
Section Private.
Variables (e : error) (k : nat) (eps q lambda B : R) (kappa : nat -> list bool -> R).
Hypothesis He : e <> Largest.
Hypothesis Hk : (0 < k)%nat.
Hypothesis Hq : 0 < q < 1.
Hypothesis Hqe : q * exp eps <= 1.
Hypothesis Hkappa : forall i S, 0 <= kappa i S.
Hypothesis Hbound : forall S, length S = k -> lambda <= bound_of e q kappa S.
Variable Y : vlaw k.
Hypothesis HY : private Y eps 0 (fun s => (farthest s <= 1)%Z).
Hypothesis HB : loss_at_most Y (fun x => error_of e x) B.
Let p (x : vec k) : R := ex Y (vpoint x).
Notation tot := (total_of_all (size_of e)).
Let HX : has_vmasses Y p := fun x => eq_refl.
Let Hp x : 0 <= p x.
Proof. apply ex_nonneg; [apply point_fine|]. intros. apply vpoint_01. Qed.
Lemma p_near x y : near x y -> q * p x <= p y.
Proof.
  intros H. destruct (near_move k x y H) as (s & E & F). assert (V : event Y (vpoint x)) by (split; [apply meas_basic; exact I|apply vpoint_zero_one]).
  pose proof (HY (vpoint x) s V F) as K. rewrite Rplus_0_r in K. replace (ex Y (fun z => vpoint x (vadd z s))) with (p y) in K.
  - fold (p x) in K. pose proof (Hp y). apply Rmult_le_compat_l with (r := q) in K; [|lra]. assert (q * exp eps * p y <= 1 * p y) by (apply Rmult_le_compat_r; auto). lra.
  - apply Rle_antisym; apply ex_le; try apply point_fine; try (apply vfine; apply bounded_between with 0 1; intros; apply vpoint_01); intros z; rewrite <- E, vpoint_moved; lra.
Qed.
Lemma size_even z : size_of e (- z)%Z = size_of e z.
Proof. unfold size_of. rewrite opp_IZR. destruct e; try apply Rabs_Ropp. ring. Qed.
Lemma size_pos z : 0 <= size_of e z.
Proof. unfold size_of. destruct e; try apply Rabs_pos. apply Rle_0_sqr. Qed.
Lemma error_is (x : vec k) : error_of e x = tot x / INR k.
Proof. unfold error_of, size_of. destruct e; auto. congruence. Qed.
Lemma tot_far n : forall x : vec n, IZR (farthest x) <= tot x.
Proof.
  induction n; intros x; cbn [farthest total_of_all]; [lra|]. specialize (IHn (snd x)). pose proof (size_pos (fst x)). pose proof (total_nonneg n (size_of e) size_pos (snd x)).
  assert (IZR (Z.abs (fst x)) <= size_of e (fst x)) by (unfold size_of; destruct e; rewrite ?abs_IZR; try lra; rewrite <- abs_IZR, <- mult_IZR; apply IZR_le; nia).
  destruct (Z.max_spec (Z.abs (fst x)) (farthest (snd x))) as [[_ ->]|[_ ->]]; lra.
Qed.
Let RK : 0 < INR k. Proof. apply lt_0_INR. auto. Qed.
Lemma err_pos (x : vec k) : 0 <= error_of e x.
Proof. rewrite error_is. apply Rmult_le_pos; [apply total_nonneg, size_pos|left; apply Rinv_0_lt_compat; auto]. Qed.
Lemma cube_cost r : (0 <= r)%Z -> vsum r (fun x => p x * tot x) <= INR k * B.
Proof.
  intros Hr. destruct (cube_fine k Y p HX r (fun y => error_of e y)) as [G E].
  assert (H : vsum r (fun y => error_of e y * p y) <= B).
  { rewrite <- E. apply HB; try apply G. intros x. rewrite (vsum_at k r (fun y => error_of e y)) by auto. destruct (_ <=? _)%Z; [lra|apply err_pos]. }
  apply Rmult_le_compat_l with (r := INR k) in H; [|lra]. rewrite <- vsum_scale in H. eapply Rle_trans; [|exact H]. right. apply vsum_eq. intros x. rewrite error_is. field. lra.
Qed.
Lemma cube_mass r : (0 <= r)%Z -> vsum r p <= 1 /\ IZR (r + 1) * (1 - vsum r p) <= INR k * B.
Proof.
  intros Hr. assert (E1 : vsum r (fun x => 1 * p x) = vsum r p) by (apply vsum_eq; intros; ring). split.
  - rewrite <- E1. eapply Rle_trans; [apply (cube_below k Y p HX r (fun _ => 1)); auto; [apply bounded_const|intros; lra]|]. rewrite (ex_const _ _ _ _ Y). lra.
  - set (a := IZR (r + 1) / INR k). destruct (cube_fine k Y p HX r (fun _ => 1)) as [G E]. rewrite E1 in E.
    assert (Ga : good _ _ _ _ Y (fun x => a + - a * vsum r (fun y => 1 * vpoint y x))).
    { apply (good_add _ _ _ _ Y (fun _ => a)); [apply good_const|]. apply (good_scale _ _ _ _ Y (- a)). exact G. }
    assert (H : ex Y (fun x => a + - a * vsum r (fun y => 1 * vpoint y x)) <= B).
    { apply HB; try apply Ga. intros x. rewrite (vsum_at k r (fun _ => 1)) by auto. destruct (Z.leb_spec (farthest x) r).
      - pose proof (err_pos x). lra.
      - rewrite error_is. pose proof (tot_far k x). assert (IZR (r + 1) <= IZR (farthest x)) by (apply IZR_le; lia). unfold a, Rdiv.
        replace (IZR (r + 1) * / INR k + - (IZR (r + 1) * / INR k) * 0) with (IZR (r + 1) * / INR k) by ring. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; auto|lra]. }
    rewrite (ex_plus _ _ _ _ Y (fun _ => a)), (ex_const _ _ _ _ Y), (ex_times _ _ _ _ Y (- a) (fun x => vsum r (fun y => 1 * vpoint y x))), E in H by (auto; try apply good_const; apply good_scale; exact G).
    apply Rmult_le_compat_l with (r := INR k) in H; [|lra]. replace (INR k * (a + - a * vsum r p)) with (IZR (r + 1) * (1 - vsum r p)) in H by (unfold a; field; lra). exact H.
Qed.
Lemma orbits_cost M (phi : R -> R) : dsum M (fun v => mu k p v * phi (tot v)) = vsum (Z.of_nat M) (fun x => p x * phi (tot x)).
Proof.
  rewrite by_orbits. apply dsum_ext. intros v Hv _. rewrite (spread_same (size_of e) size_even k (fun _ t => phi t)). unfold mu, P, im. unfold Rdiv. ring.
Qed.
Theorem rates_bound : lambda <= INR k * B.
Proof.
  destruct (flow_out e k q kappa Hq) as (K & K0 & HK).
  set (u := fun M => dsum M (fun v : vec k => mu k p v * (1 + tot v))).
  assert (B0 : 0 <= INR k * B).
  { eapply Rle_trans; [|apply (cube_cost 0); lia]. apply vsum_nonneg. intros x. apply Rmult_le_pos; auto. apply total_nonneg, size_pos. }
  assert (Hu : forall n, u n <= 1 + INR k * B).
  { intros n. unfold u. rewrite (orbits_cost n (fun t => 1 + t)). rewrite (vsum_eq k _ _ (fun x => p x + p x * tot x)) by (intros; ring). rewrite vsum_plus.
    destruct (cube_mass (Z.of_nat n) ltac:(lia)) as [M1 _]. pose proof (cube_cost (Z.of_nat n) ltac:(lia)). lra. }
  apply le_epsilon. intros d Hd.
  set (x := 2 * (Rabs lambda * (INR k * B)) / d). set (N := Z.to_nat (up x)).
  assert (QK : 0 <= q * K) by (apply Rmult_le_pos; lra).
  destruct (small_step u (1 + INR k * B) (d / 2 / (q * K + 1)) Hu ltac:(apply Rmult_lt_0_compat; [lra|apply Rinv_0_lt_compat; lra]) N) as (M & HM & Hs).
  pose proof (flow_bound k p q lambda K (cost_of e k) (the_zeta e k q kappa) (the_zin e k q kappa) ltac:(lra) Hp p_near
    (fun i v Hv => zeta_nonneg e k q kappa Hq Hkappa i v Hv) (zeta_link e k q kappa) (flow_point e k q lambda kappa Hq Hbound) HK M) as F.
  assert (Esh : shell k M (fun v => mu k p v * (1 + cost_of e k v)) = u (S M) - u M) by reflexivity. rewrite Esh in F.
  rewrite (dsum_ext k (S M) _ (fun v => mu k p v * (fun t => t + - lambda) (tot v))) in F by (intros; unfold cost_of; ring).
  rewrite (orbits_cost (S M) (fun t => t + - lambda)) in F.
  rewrite (vsum_eq k _ _ (fun y => p y * tot y + - lambda * p y)) in F by (intros; ring). rewrite vsum_plus, vsum_scale in F.
  destruct (cube_mass (Z.of_nat (S M)) ltac:(lia)) as [M1 M2]. pose proof (cube_cost (Z.of_nat (S M)) ltac:(lia)) as C. set (V := vsum (Z.of_nat (S M)) p) in *.
  assert (S1 : q * K * (u (S M) - u M) <= d / 2).
  { apply Rle_trans with (q * K * (d / 2 / (q * K + 1))); [apply Rmult_le_compat_l; auto|]. apply Rmult_le_reg_r with (q * K + 1); [lra|].
    replace (q * K * (d / 2 / (q * K + 1)) * (q * K + 1)) with (q * K * (d / 2)) by (field; lra). assert (0 <= d / 2) by lra. lra. }
  assert (S2 : lambda * (1 - V) <= d / 2).
  { pose proof (Rle_abs lambda) as L. pose proof (Rabs_pos lambda) as L0. apply Rle_trans with (Rabs lambda * (1 - V)); [apply Rmult_le_compat_r; lra|].
    assert (IM : x <= IZR (Z.of_nat (S M) + 1)). { destruct (archimed x) as [A _]. assert (IZR (up x) <= IZR (Z.of_nat (S M) + 1)) by (apply IZR_le; unfold N in HM; lia). lra. }
    assert (I0 : 0 < IZR (Z.of_nat (S M) + 1)) by (apply IZR_lt; lia).
    apply Rmult_le_reg_r with (IZR (Z.of_nat (S M) + 1)); auto. apply Rmult_le_compat_l with (r := Rabs lambda) in M2; auto.
    assert (x * (d / 2) <= IZR (Z.of_nat (S M) + 1) * (d / 2)) by (apply Rmult_le_compat_r; lra). unfold x in H at 1.
    replace (2 * (Rabs lambda * (INR k * B)) / d * (d / 2)) with (Rabs lambda * (INR k * B)) in H by (field; lra). lra. }
  lra.
Qed.
End Private.

(* ---- the check ---- *)
Lemma zupto_upto n g : IZR (zupto n g) = upto n (fun i => IZR (g i)).
Proof. induction n; [reflexivity|]. cbn [zupto upto]. rewrite plus_IZR, IHn. reflexivity. Qed.
Lemma square_IZR z : IZR (z ^ 2) = IZR z ^ 2.
Proof. change 2%Z with (Z.of_nat 2). symmetry. apply pow_IZR. Qed.
Lemma cube_IZR z : IZR (z ^ 3) = IZR z ^ 3.
Proof. change 3%Z with (Z.of_nat 3). symmetry. apply pow_IZR. Qed.
Lemma ratio_between a m : (0 < a)%Z -> (a < m)%Z -> 0 < IZR a / IZR m < 1.
Proof.
  intros Ha Hm. apply IZR_lt in Ha, Hm. split; [apply Rmult_lt_0_compat; auto; apply Rinv_0_lt_compat; lra|].
  apply Rmult_lt_reg_r with (IZR m); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.
Theorem rates_sound f w a m : (0 < numbers f)%nat -> j_error f <> Largest -> width f = 1%Z -> (0 < a)%Z -> (a < m)%Z ->
  IZR a / IZR m * exp (ratio (j_epsilon f)) <= 1 -> (0 < snd (j_lower f))%Z -> rates_ok f w a m = true -> joint_lower_claim f.
Proof.
  intros Hk He HD Ha Ham Hqe Hl H Y HY B HB. unfold rates_ok in H. destruct (f_unit w) as [n d]. cbv zeta in H.
  set (own := (m ^ 2 * d * match j_error f with MeanSquare => m + a | _ => m - a end)%Z) in *. set (twice := match j_error f with MeanSquare => (2 * m ^ 3 * d)%Z | _ => 0%Z end) in *.
  rewrite !andb_true_iff, Z.ltb_lt, Z.leb_le in H. destruct H as [[Hn Hd] Hall].
  pose proof (ratio_between a m Ha Ham) as Hq. set (q := IZR a / IZR m) in *.
  apply IZR_lt in Ha as Ra, Ham as Rm, Hd as Rd, Hl as Rl. apply IZR_le in Hn as Rn. assert (RK : 0 < INR (numbers f)) by (apply lt_0_INR; auto).
  set (kappa := fun i S => IZR n / IZR d * IZR (Z.max 0 (f_rate w i S))).
  assert (Hkappa : forall i S, 0 <= kappa i S) by (intros; unfold kappa; apply Rmult_le_pos; [apply Rmult_le_pos; auto; left; apply Rinv_0_lt_compat; auto|apply IZR_le; lia]).
  set (scale := IZR ((m - a) ^ 2 * m * d)). assert (Hs : 0 < scale) by (apply IZR_lt; apply Z.mul_pos_pos; [apply Z.mul_pos_pos; [apply Z.pow_pos_nonneg|]|]; lia).
  assert (Hset : forall S, IZR (set_value own twice ((m - a) ^ 3 * n) (a * (m - a) ^ 2 * n) (f_rate w) S) <= scale * bound_of (j_error f) q kappa S).
  { intros S. unfold set_value, bound_of. rewrite zupto_upto, <- upto_scale. apply upto_le. intros i Hi. cbv zeta. destruct (nth i S false).
    - right. unfold share, kappa, scale, q, own, twice. rewrite INR_IZR_INZ. set (r := Z.max 0 (f_rate w i S)). set (t := members_before 1 S i). set (b := Z.of_nat (Datatypes.S i)).
      destruct (j_error f); repeat first [rewrite minus_IZR | rewrite plus_IZR | rewrite mult_IZR | rewrite square_IZR | rewrite cube_IZR]; field; repeat split; lra.
    - set (r := Z.max 0 (f_rate w i (setb i S))). unfold kappa. fold r. assert (R0 : 0 <= IZR r) by (apply IZR_le; unfold r; lia).
      pose proof (div_low (images S) (images (setb i S)) (images_pos _)) as D. fold (rhoB i S) in D.
      replace (scale * (q * (rhoB i S * (IZR n / IZR d * IZR r)))) with ((IZR a * (IZR m - IZR a) ^ 2 * IZR n * IZR r) * rhoB i S).
      + rewrite !mult_IZR, square_IZR, minus_IZR.
        replace (IZR a * (IZR m - IZR a) ^ 2 * IZR n * (IZR (images S / images (setb i S)) * IZR r)) with ((IZR a * (IZR m - IZR a) ^ 2 * IZR n * IZR r) * IZR (images S / images (setb i S))) by ring.
        apply Rmult_le_compat_l; [|exact D]. repeat apply Rmult_le_pos; lra.
      + unfold scale, q. rewrite !mult_IZR, square_IZR, minus_IZR. field. lra. }
  unfold ratio. apply Rmult_le_reg_l with (INR (numbers f)); auto.
  apply (rates_bound (j_error f) (numbers f) (ratio (j_epsilon f)) q (INR (numbers f) * (IZR (fst (j_lower f)) / IZR (snd (j_lower f)))) B kappa) with (Y := Y); auto.
  + intros S HS. pose proof (all_sets_ok _ _ Hall S HS) as T. cbv beta in T. apply Z.leb_le, IZR_le in T. rewrite (mult_IZR (fst (j_lower f))), (mult_IZR (Z.of_nat (numbers f))), (mult_IZR (snd (j_lower f))) in T. fold scale in T.
    specialize (Hset S). rewrite INR_IZR_INZ. apply Rmult_le_reg_l with scale; auto. apply Rmult_le_reg_l with (IZR (snd (j_lower f))); auto.
    replace (IZR (snd (j_lower f)) * (scale * (IZR (Z.of_nat (numbers f)) * (IZR (fst (j_lower f)) / IZR (snd (j_lower f)))))) with (IZR (fst (j_lower f)) * (IZR (Z.of_nat (numbers f)) * scale)) by (field; lra).
    eapply Rle_trans; [exact T|]. apply Rmult_le_compat_l; lra.
  + intros A s HA Hs'. apply HY; auto. unfold moves. rewrite HD. auto.
Qed.
