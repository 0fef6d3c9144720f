(* A flow of mass: what moves out by one, sorted sizes first, bounds the error of private laws. *)
Require Import Reals ZArith List Bool Lra Lia.
Require Import Formal.Statements Formal.Laws Formal.Masses Formal.Joint Formal.Vectors Formal.JointNoise Formal.Orbits.
Import ListNotations.
Open Scope R_scope.

Fixpoint near {k : nat} : vec k -> vec k -> Prop := match k with
  | O => fun _ _ => True | S n => fun x y => (Z.abs (fst y - fst x) <= 1)%Z /\ near (snd x) (snd y) end.
Lemma ins_near q k : forall (f g : vec (S k) -> R) a b x y, (forall u v, near u v -> q * f u <= g v) -> (Z.abs (b - a) <= 1)%Z -> near x y ->
  q * ins a f x <= ins b g y.
Proof.
  induction k; intros f g a b x y H Hab Hxy; cbn [ins]; [apply H; split; simpl; auto|].
  pose proof (H (a, x) (b, y) ltac:(split; auto)) as H0. destruct Hxy as [H1 H2].
  pose proof (IHk (fun u => f (fst x, u)) (fun u => g (fst y, u)) a b (snd x) (snd y) ltac:(intros u v Huv; apply H; split; auto) Hab H2) as H3. lra.
Qed.
Lemma spread_near q k : forall (f g : vec k -> R) v w, (forall x y, near x y -> q * f x <= g y) -> near v w -> q * spread v f <= spread w g.
Proof.
  induction k; intros f g v w H Hvw; cbn [spread]; [apply H; simpl; auto|]. destruct Hvw as [H1 H2]. apply IHk; auto. intros x y Hxy. unfold put.
  pose proof (ins_near q k f g (fst v) (fst w) x y H H1 Hxy). pose proof (ins_near q k f g (- fst v) (- fst w) x y H ltac:(lia) Hxy). lra.
Qed.

(* entries 0..i moved out by one *)
Fixpoint bump {k : nat} (i : nat) : vec k -> vec k := match k with
  | O => fun v => v
  | S n => fun v => ((fst v + 1)%Z, match i with O => snd v | S j => bump j (snd v) end) end.
Definition gap {k : nat} (i : nat) (v : vec k) : Z := (ent i v - ent (S i) v)%Z.
Lemma bump_near k : forall i (v : vec k), near v (bump i v).
Proof.
  assert (N : forall n (v : vec n), near v v) by (induction n; intros; cbn [near]; auto; split; auto; lia).
  induction k; intros i v; cbn [near bump fst snd]; auto. split; [lia|]. destruct i; auto.
Qed.
Lemma ent_bump k : forall i j (v : vec k), (i < k)%nat -> ent j (bump i v) = (ent j v + (if (j <=? i)%nat then 1 else 0))%Z.
Proof.
  induction k; intros i j v Hi; [lia|]. cbn [ent bump fst snd]. destruct j; [destruct i; reflexivity|]. destruct i.
  - destruct (Nat.leb_spec (S j) 0); [lia|]. cbn [ent]. lia.
  - change (S j <=? S i)%nat with (j <=? i)%nat. apply IHk. lia.
Qed.
Lemma gap_bump k i (v : vec k) : (i < k)%nat -> gap i (bump i v) = (gap i v + 1)%Z /\ ent (S i) (bump i v) = ent (S i) v.
Proof.
  intros Hi. unfold gap. rewrite !ent_bump by auto. destruct (Nat.leb_spec i i), (Nat.leb_spec (S i) i); lia.
Qed.
Lemma gap_nonneg k : forall i (v : vec k), sorted v -> (0 <= gap i v)%Z.
Proof.
  unfold gap. induction k; intros i v Hv; [simpl; lia|]. destruct Hv as [H1 H2]. cbn [ent]. destruct i; [lia|]. apply IHk. auto.
Qed.
Lemma pattern_gap k : forall i (v : vec k), (i < k)%nat -> nth i (pattern v) false = (0 <? gap i v)%Z.
Proof.
  unfold gap. induction k; intros i v Hi; [lia|]. cbn [pattern ent]. destruct i; cbn [nth].
  - destruct (Z.ltb_spec (ent 0 (snd v)) (fst v)), (Z.ltb_spec 0 (fst v - ent 0 (snd v))); auto; lia.
  - apply IHk. lia.
Qed.
Lemma pattern_length k : forall v : vec k, length (pattern v) = k.
Proof. induction k; intros; simpl; auto. Qed.
Lemma pattern_bump k : forall i (v : vec k), sorted v -> (i < k)%nat -> pattern (bump i v) = setb i (pattern v).
Proof.
  induction k; intros i v Hv Hi; [lia|]. destruct Hv as [H1 H2]. cbn [pattern bump setb fst snd]. destruct i.
  - f_equal. destruct (Z.ltb_spec (ent 0 (snd v)) (fst v + 1)); auto; lia.
  - rewrite IHk by (auto; lia). f_equal. rewrite ent_bump by lia. change (0 <=? i)%nat with true. cbv iota. destruct (Z.ltb_spec (ent 0 (snd v) + 1) (fst v + 1)), (Z.ltb_spec (ent 0 (snd v)) (fst v)); auto; lia.
Qed.
Lemma setb_same i : forall B, nth i B false = true -> setb i B = B.
Proof. induction i; intros [|b B] H; simpl in *; auto; [subst; auto|]. rewrite IHi; auto. Qed.
Lemma dsum_head k M (G : vec k -> R) : dsum (S M) (fun v => if (ent 0 v <? Z.of_nat (S M))%Z then G v else 0) = dsum M G.
Proof.
  destruct k; [cbn [dsum ent]; destruct (Z.ltb_spec 0 (Z.of_nat (S M))); auto; lia|]. cbn [dsum]. cbn [upto ent fst].
  rewrite (upto_ext M _ (fun a => dsum a (fun v => G (Z.of_nat a, v)))).
  - rewrite (dsum_ext k (S M) _ (fun v => 0 * 0)), dsum_scale.
    + rewrite (dsum_ext k M _ (fun v => G (Z.of_nat M, v))); [ring|]. intros v _ _. destruct (Z.ltb_spec (Z.of_nat M) (Z.of_nat (S M))); auto; lia.
    + intros v _ _. destruct (Z.ltb_spec (Z.of_nat (S M)) (Z.of_nat (S M))); [lia|ring].
  - intros a Ha. apply dsum_ext. intros v _ _. destruct (Z.ltb_spec (Z.of_nat a) (Z.of_nat (S M))); auto; lia.
Qed.
Lemma dsum_bump k : forall i (G : vec k -> R), (i < k)%nat ->
  dsum 0 (fun v => if (0 <? gap i v)%Z then G v else 0) = 0 /\
  forall M, dsum (S M) (fun v => if (0 <? gap i v)%Z then G v else 0) = dsum M (fun v => G (bump i v)).
Proof.
  induction k; intros i G Hi; [lia|]. 
  assert (E : forall a, dsum a (fun v : vec k => if (0 <? gap i ((Z.of_nat a, v) : vec (S k)))%Z then G (Z.of_nat a, v) else 0) =
    match a with O => 0 | S b => dsum b (fun v => G (bump i ((Z.of_nat b, v) : vec (S k)))) end).
  { intros a. destruct i as [|i].
    - destruct a.
      + rewrite (dsum_ext k 0 _ (fun v => 0 * 0)), dsum_scale; [ring|]. intros v Hv Hl. destruct (sorted_bound k v Hv). unfold gap. cbn [ent fst snd].
        destruct (Z.ltb_spec 0 (Z.of_nat 0 - ent 0 v)); [lia|ring].
      + etransitivity; [|apply dsum_head]. apply dsum_ext. intros v Hv Hl. unfold gap. cbn [ent fst snd bump].
        replace (Z.of_nat a + 1)%Z with (Z.of_nat (S a)) by lia.
        destruct (Z.ltb_spec 0 (Z.of_nat (S a) - ent 0 v)), (Z.ltb_spec (ent 0 v) (Z.of_nat (S a))); auto; lia.
    - destruct (IHk i (fun v => G (Z.of_nat a, v)) ltac:(lia)) as [I1 I2]. destruct a; [exact I1|]. etransitivity; [exact (I2 a)|].
      apply dsum_ext. intros v _ _. cbn [bump fst snd]. f_equal. f_equal. lia. }
  split.
  - cbn [dsum upto]. rewrite E. ring.
  - intros M. cbn [dsum]. rewrite upto_shift, E, Rplus_0_l. apply upto_ext. intros a _. apply E.
Qed.

Section Flow.
Variables (k : nat) (p : vec k -> R) (q lambda K : R) (c : vec k -> R).
Variables zeta zin : nat -> vec k -> R.
Definition P (v : vec k) : R := spread v p.
Definition im (v : vec k) : R := IZR (images (pattern v)).
Definition mu (v : vec k) : R := P v / im v.
Definition rho (i : nat) (v : vec k) : R := im v / im (bump i v).
Hypothesis Hq : 0 <= q.
Hypothesis Hp : forall x, 0 <= p x.
Hypothesis Hnear : forall x y, near x y -> q * p x <= p y.
Hypothesis Hzeta : forall i v, sorted v -> 0 <= zeta i v.
Hypothesis Hlink : forall i v, sorted v -> (i < k)%nat -> zin i (bump i v) = zeta i v.
Hypothesis Hpoint : forall v, sorted v ->
  upto k (fun i => (if (0 <? gap i v)%Z then zin i v else 0) - q * (rho i v * zeta i v)) <= c v - lambda.
Hypothesis Hout : forall v, sorted v -> upto k (fun i => rho i v * zeta i v) <= K * (1 + c v).
Lemma im_pos v : 0 < im v.
Proof. apply IZR_lt, images_pos. Qed.
Lemma mu_nonneg v : 0 <= mu v.
Proof. apply Rmult_le_pos; [apply spread_nonneg; auto|left; apply Rinv_0_lt_compat, im_pos]. Qed.
Definition shell (M : nat) (G : vec k -> R) : R := dsum (S M) G - dsum M G.
Lemma shell_le M (f g : vec k -> R) : (forall v, sorted v -> f v <= g v) -> shell M f <= shell M g.
Proof.
  intros H. unfold shell. assert (Q : forall G : vec k -> R, (forall v, sorted v -> 0 <= G v) -> dsum M G <= dsum (S M) G).
  { intros G N. rewrite <- (dsum_head k M G). apply dsum_le. intros v Hv. specialize (N v Hv). destruct (_ <? _)%Z; lra. }
  pose proof (Q (fun v => g v + -1 * f v) ltac:(intros v Hv; specialize (H v Hv); lra)) as D.
  rewrite !dsum_plus, !dsum_scale in D. lra.
Qed.
Theorem flow_bound M : - (q * K * shell M (fun v => mu v * (1 + c v))) <= dsum (S M) (fun v => mu v * (c v - lambda)).
Proof.
  set (out := fun v => upto k (fun i => rho i v * zeta i v)).
  assert (H1 : dsum (S M) (fun v => upto k (fun i => (if (0 <? gap i v)%Z then mu v * zin i v else 0)) + - q * (mu v * out v)) <= dsum (S M) (fun v => mu v * (c v - lambda))).
  { apply dsum_le. intros v Hv. specialize (Hpoint v Hv). pose proof (mu_nonneg v) as Hm. apply Rmult_le_compat_l with (r := mu v) in Hpoint; auto.
    eapply Rle_trans; [|exact Hpoint]. right. unfold out. rewrite (upto_ext k (fun i => (if (0 <? gap i v)%Z then zin i v else 0) - q * (rho i v * zeta i v)) (fun i => (if (0 <? gap i v)%Z then zin i v else 0) + - q * (rho i v * zeta i v))) by (intros; ring).
    rewrite upto_plus, upto_scale, Rmult_plus_distr_l. f_equal; [|ring]. rewrite <- upto_scale. apply upto_ext. intros. destruct (_ <? _)%Z; ring. }
  rewrite dsum_plus, dsum_scale, dsum_upto in H1.
  assert (H2 : q * dsum M (fun v => mu v * out v) <= upto k (fun i => dsum (S M) (fun v => if (0 <? gap i v)%Z then mu v * zin i v else 0))).
  { rewrite (upto_ext k _ (fun i => dsum M (fun v => mu (bump i v) * zeta i v))).
    - rewrite <- dsum_scale, <- dsum_upto. apply dsum_le. intros v Hv. unfold out. rewrite <- !upto_scale. apply upto_le. intros i Hi.
      unfold mu, rho. pose proof (im_pos v). pose proof (im_pos (bump i v)). specialize (Hzeta i v Hv).
      assert (q * P v <= P (bump i v)) by (apply spread_near; auto using bump_near).
      replace (q * (P v / im v * (im v / im (bump i v) * zeta i v))) with ((q * P v) * (zeta i v * / im (bump i v))) by (field; lra).
      replace (P (bump i v) / im (bump i v) * zeta i v) with (P (bump i v) * (zeta i v * / im (bump i v))) by (field; lra).
      apply Rmult_le_compat_r; auto. apply Rmult_le_pos; auto. left. apply Rinv_0_lt_compat. auto.
    - intros i Hi. rewrite (proj2 (dsum_bump k i (fun v => mu v * zin i v) Hi)). apply dsum_ext. intros v Hv _. rewrite Hlink by auto. reflexivity. }
  assert (H3 : shell M (fun v => mu v * out v) <= shell M (fun v => K * (mu v * (1 + c v)))).
  { apply shell_le. intros v Hv. pose proof (mu_nonneg v). specialize (Hout v Hv). apply Rmult_le_compat_l with (r := mu v) in Hout; auto. unfold out. lra. }
  assert (H4 : shell M (fun v => K * (mu v * (1 + c v))) = K * shell M (fun v => mu v * (1 + c v))) by (unfold shell; rewrite !dsum_scale; ring).
  rewrite H4 in H3. apply Rmult_le_compat_l with (r := q) in H3; auto. unfold shell in *. lra.
Qed.
End Flow.
