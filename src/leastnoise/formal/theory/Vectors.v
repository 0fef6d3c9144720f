(* Sums over vectors of whole numbers, and laws with given point masses on them. *)
Require Import Reals ZArith List Bool Lra Lia.
Require Import Formal.Statements Formal.Laws Formal.Masses Formal.Exists Formal.Joint.
Open Scope R_scope.

(* ---- sums over cubes ---- *)
Lemma farthest_nonneg k : forall x : vec k, (0 <= farthest x)%Z.
Proof. destruct k; intros; simpl; lia. Qed.
Lemma vsum_ext k : forall r (f g : vec k -> R), (forall x, (farthest x <= r)%Z -> f x = g x) -> k <> O \/ (0 <= r)%Z -> vsum r f = vsum r g.
Proof.
  induction k; intros r f g H Hr; cbn [vsum]; [destruct Hr; [congruence|apply H; simpl; lia]|].
  apply wsum_ext. intros i Hi. apply IHk; [|right; lia]. intros x Hx. apply H. cbn [farthest fst snd]. lia.
Qed.
Lemma vsum_eq k : forall r (f g : vec k -> R), (forall x, f x = g x) -> vsum r f = vsum r g.
Proof. induction k; intros; simpl; auto. apply wsum_ext. auto. Qed.
Lemma vsum_le k : forall r (f g : vec k -> R), (forall x, f x <= g x) -> vsum r f <= vsum r g.
Proof. induction k; intros; simpl; auto. apply wsum_le. auto. Qed.
Lemma vsum_plus k : forall r (f g : vec k -> R), vsum r (fun x => f x + g x) = vsum r f + vsum r g.
Proof.
  induction k; intros; simpl; auto. rewrite <- wsum_plus. apply wsum_ext. intros i _. apply (IHk r (fun x => f (i, x))).
Qed.
Lemma vsum_scale k a : forall r (f : vec k -> R), vsum r (fun x => a * f x) = a * vsum r f.
Proof.
  induction k; intros; simpl; auto. rewrite <- wsum_scale. apply wsum_ext. intros i _. apply (IHk r (fun x => f (i, x))).
Qed.
Lemma side_INR r : (0 <= r)%Z -> INR (Z.to_nat (2 * r + 1)) = IZR (2 * r + 1).
Proof. intros. rewrite INR_IZR_INZ, Z2Nat.id by lia. reflexivity. Qed.
Lemma vsum_one k r : (0 <= r)%Z -> vsum r (fun _ : vec k => 1) = IZR (2 * r + 1) ^ k.
Proof.
  intros Hr. induction k; [reflexivity|]. cbn [vsum]. rewrite (wsum_ext _ _ _ (fun _ => IZR (2 * r + 1) ^ k)) by auto.
  rewrite wsum_const, side_INR by auto. reflexivity.
Qed.
Lemma vsum_nonneg k r (f : vec k -> R) : (forall x, 0 <= f x) -> 0 <= vsum r f.
Proof.
  intros. replace 0 with (0 * vsum r (fun _ : vec k => 1)) by ring. rewrite <- (vsum_scale k 0 r (fun _ => 1)). apply vsum_le. intros x. specialize (H x). lra.
Qed.
Lemma wsum_inside r r' h : (0 <= r <= r')%Z ->
  wsum (- r') (Z.to_nat (2 * r' + 1)) (fun i => if (Z.abs i <=? r)%Z then h i else 0) = wsum (- r) (Z.to_nat (2 * r + 1)) h.
Proof.
  intros H. replace (Z.to_nat (2 * r' + 1)) with (Z.to_nat (r' - r) + (Z.to_nat (2 * r + 1) + Z.to_nat (r' - r)))%nat by lia.
  rewrite !wsum_split. replace (- r' + Z.of_nat (Z.to_nat (r' - r)))%Z with (- r)%Z by lia.
  rewrite (wsum_zero (Z.to_nat (r' - r)) (- r')), (wsum_zero (Z.to_nat (r' - r))).
  - rewrite (wsum_ext _ _ _ h); [lra|]. intros i Hi. destruct (Z.leb_spec (Z.abs i) r); auto; lia.
  - intros i Hi. destruct (Z.leb_spec (Z.abs i) r); auto; lia.
  - intros i Hi. destruct (Z.leb_spec (Z.abs i) r); auto; lia.
Qed.
Lemma vsum_inside k : forall r r' (f : vec k -> R), (0 <= r <= r')%Z ->
  vsum r' (fun x => if (farthest x <=? r)%Z then f x else 0) = vsum r f.
Proof.
  induction k; intros r r' f H; cbn [vsum farthest]; [destruct (Z.leb_spec 0 r); auto; lia|].
  rewrite <- (wsum_inside r r') by auto. apply wsum_ext. intros i _. cbn [fst snd].
  destruct (Z.leb_spec (Z.abs i) r) as [Hi|Hi].
  - rewrite <- (IHk r r') by auto. apply vsum_eq. intros x. destruct (Z.leb_spec (Z.max (Z.abs i) (farthest x)) r), (Z.leb_spec (farthest x) r); auto; lia.
  - rewrite (vsum_eq k r' _ (fun _ => 0 * 1)); [rewrite (vsum_scale k 0 r' (fun _ => 1)); ring|].
    intros x. destruct (Z.leb_spec (Z.max (Z.abs i) (farthest x)) r); [lia|ring].
Qed.
Lemma vsum_within k r r' (f : vec k -> R) : (forall x, 0 <= f x) -> (r <= r')%Z -> (0 <= r')%Z -> vsum r f <= vsum r' f.
Proof.
  intros Hf H H'. destruct (Z_lt_ge_dec r 0).
  - destruct k; cbn [vsum]; [lra|]. replace (Z.to_nat (2 * r + 1)) with O by lia. simpl. apply wsum_nonneg. intros. apply vsum_nonneg. auto.
  - rewrite <- (vsum_inside k r r') by lia. apply vsum_le. intros x. destruct (farthest x <=? r)%Z; [lra|apply Hf].
Qed.

(* ---- laws and sums ---- *)
Section Family.
Variables (T S : Type) (add : T -> S -> T) (basic : (T -> R) -> Prop) (L : law T S add basic).
Notation fine := (good T S add basic L).
Lemma wsum_good n (g : Z -> T -> R) : (forall i, fine (g i)) -> forall lo,
  fine (fun x => wsum lo n (fun i => g i x)) /\ ex L (fun x => wsum lo n (fun i => g i x)) = wsum lo n (fun i => ex L (g i)).
Proof.
  intros Hg. induction n; intros lo; cbn [wsum]; [split; [apply good_const|apply (ex_const T S add basic L)]|].
  destruct (IHn (lo + 1)%Z) as [G E]. split; [apply (good_add T S add basic L (g lo)); auto|].
  rewrite (ex_plus T S add basic L (g lo)) by auto. rewrite E. reflexivity.
Qed.
Lemma vsum_good k : forall r (g : vec k -> T -> R), (forall y, fine (g y)) ->
  fine (fun x => vsum r (fun y => g y x)) /\ ex L (fun x => vsum r (fun y => g y x)) = vsum r (fun y => ex L (g y)).
Proof.
  induction k; intros r g Hg; cbn [vsum]; [split; auto|].
  assert (H := fun i => IHk r (fun y => g (i, y)) (fun y => Hg (i, y))).
  destruct (wsum_good (Z.to_nat (2 * r + 1)) (fun i x => vsum r (fun y => g (i, y) x)) (fun i => proj1 (H i)) (- r)%Z) as [G E].
  split; auto. rewrite E. apply wsum_ext. intros i _. apply H.
Qed.
End Family.

Lemma vpoint_01 k : forall y x : vec k, 0 <= vpoint y x <= 1.
Proof.
  induction k; intros; cbn [vpoint]; [lra|]. specialize (IHk (snd y) (snd x)). unfold point. destruct (_ =? _)%Z; lra.
Qed.
Lemma vsum_at k : forall r (f : vec k -> R) x, (0 <= r)%Z -> vsum r (fun y => f y * vpoint y x) = if (farthest x <=? r)%Z then f x else 0.
Proof.
  induction k; intros r f x Hr.
  - destruct x. simpl. destruct (Z.leb_spec 0 r); [ring|lia].
  - revert x. cut (forall x1 (x2 : vec k), vsum r (fun y : vec (S k) => f y * vpoint y (x1, x2)) = if (@farthest (S k) (x1, x2) <=? r)%Z then f (x1, x2) else 0).
    { intros H [x1 x2]. apply H. }
    intros x1 x2. cbn [vsum vpoint farthest fst snd].
    rewrite (wsum_ext _ _ _ (fun i => (if (farthest x2 <=? r)%Z then f (i, x2) else 0) * point i x1)).
    + rewrite (window_at (- r) _ (fun i => if (farthest x2 <=? r)%Z then f (i, x2) else 0)).
      destruct (Z.leb_spec (- r) x1), (Z.ltb_spec x1 (- r + Z.of_nat (Z.to_nat (2 * r + 1)))), (Z.leb_spec (farthest x2) r),
        (Z.leb_spec (Z.max (Z.abs x1) (farthest x2)) r); simpl; auto; lia.
    + intros i _. rewrite (vsum_eq _ _ _ (fun y => point i x1 * (f (i, y) * vpoint y x2))) by (intros; ring).
      rewrite vsum_scale, (IHk r (fun y => f (i, y)) x2 Hr). ring.
Qed.
Section Law.
Variable k : nat.
Variables (X : vlaw k) (p : vec k -> R).
Hypothesis HX : has_vmasses X p.
Notation fine := (good (vec k) (vec k) vadd (fun _ => True) X).
Lemma vfine f : bounded f -> fine f.
Proof. split; auto. apply meas_basic. exact I. Qed.
Lemma point_fine y : fine (vpoint y).
Proof. apply vfine. apply bounded_between with 0 1. apply vpoint_01. Qed.
Lemma cube_fine r (f : vec k -> R) : fine (fun x => vsum r (fun y => f y * vpoint y x)) /\
  ex X (fun x => vsum r (fun y => f y * vpoint y x)) = vsum r (fun y => f y * p y).
Proof.
  destruct (vsum_good _ _ _ _ X k r (fun y x => f y * vpoint y x) (fun y => good_scale _ _ _ _ X (f y) (vpoint y) (point_fine y))) as [G E].
  split; auto. rewrite E. apply vsum_eq. intros y. rewrite (ex_times _ _ _ _ X (f y) (vpoint y)) by apply point_fine. rewrite HX. reflexivity.
Qed.
Lemma cube_below r (f : vec k -> R) : (0 <= r)%Z -> bounded f -> (forall x, 0 <= f x) -> vsum r (fun y => f y * p y) <= ex X f.
Proof.
  intros Hr Hb Hf. destruct (cube_fine r f) as [G E]. rewrite <- E. apply ex_le; auto using vfine. intros x. rewrite vsum_at by auto. destruct (_ <=? _)%Z; [lra|auto].
Qed.
Lemma cube_above r (f : vec k -> R) M : (0 <= r)%Z -> (forall x, Rabs (f x) <= M) -> ex X f <= vsum r (fun y => f y * p y) + M * (1 - vsum r p).
Proof.
  intros Hr HM. destruct (cube_fine r (fun y => f y + - M)) as [G E].
  assert (G' : fine (fun x => vsum r (fun y => (f y + - M) * vpoint y x) + M)) by (apply (good_add _ _ _ _ X (fun x => vsum r (fun y => (f y + - M) * vpoint y x)) (fun _ => M)); auto; apply good_const).
  apply Rle_trans with (ex X (fun x => vsum r (fun y => (f y + - M) * vpoint y x) + M)).
  - apply ex_le; auto. { apply vfine. exists M. auto. } intros x. rewrite (vsum_at k r (fun y => f y + - M)) by auto. specialize (HM x). unfold Rabs in HM. destruct (_ <=? _)%Z, Rcase_abs; lra.
  - rewrite (ex_plus _ _ _ _ X _ (fun _ => M)), E, (ex_const _ _ _ _ X) by (auto; apply good_const).
    rewrite (vsum_eq k r _ (fun y => f y * p y + - M * p y)) by (intros; ring). rewrite vsum_plus, vsum_scale. lra.
Qed.
Hypothesis Hp : vdistribution p.
(* a cube that holds nearly everything *)
Lemma cube_reach e : 0 < e -> exists r, (0 <= r)%Z /\ 1 - e <= vsum r p.
Proof.
  intros He. destruct Hp as (H0 & H1 & H2). destruct (H2 e He) as [r Hr]. exists (Z.max 0 r). split; [lia|].
  eapply Rle_trans; [exact Hr|]. apply vsum_within; auto; lia.
Qed.
Lemma vmasses_private E s A : 0 <= E -> (forall x y, vadd y s = x -> p x <= E * p y) -> (forall x, exists y, vadd y s = x /\ forall z, vpoint x (vadd z s) = vpoint y z) ->
  (forall x, A x = 0 \/ A x = 1) -> ex X A <= E * ex X (fun x => A (vadd x s)).
Proof.
  intros HE Hpp Hback HA. destruct Hp as (H0 & H1 & _). apply le_epsilon. intros e He. destruct (cube_reach e He) as (r & Hr & Hm).
  assert (HA1 : forall x, 0 <= A x <= 1) by (intros x; destruct (HA x) as [-> | ->]; lra).
  pose proof (cube_above r A 1 Hr ltac:(intros x; specialize (HA1 x); rewrite Rabs_right; lra)) as Hup.
  destruct (vsum_good _ _ _ _ X k r (fun y x => A y * vpoint y (vadd x s))) as [G E1].
  { intros y. apply (good_scale _ _ _ _ X (A y) (fun x => vpoint y (vadd x s))). apply vfine. apply bounded_between with 0 1. intros; apply vpoint_01. }
  assert (H2 : vsum r (fun y => A y * p y) <= E * ex X (fun x => vsum r (fun y => A y * vpoint y (vadd x s)))).
  { rewrite E1, <- vsum_scale. apply vsum_le. intros x. destruct (Hback x) as (y & Hy & Hz).
    rewrite (ex_times _ _ _ _ X (A x) (fun z => vpoint x (vadd z s))) by (apply vfine; apply bounded_between with 0 1; intros; apply vpoint_01).
    replace (ex X (fun z => vpoint x (vadd z s))) with (p y).
    - specialize (Hpp x y Hy). destruct (HA x) as [-> | ->]; lra.
    - rewrite <- HX. apply Rle_antisym; apply ex_le; try apply point_fine; try (apply vfine; apply bounded_between with 0 1; intros; apply vpoint_01); intros z; rewrite Hz; lra. }
  assert (H3 : ex X (fun x => vsum r (fun y => A y * vpoint y (vadd x s))) <= ex X (fun x => A (vadd x s))).
  { apply ex_le; auto. { apply vfine. apply bounded_between with 0 1. auto. } intros x. rewrite vsum_at by auto. destruct (_ <=? _)%Z; [lra|apply HA1]. }
  apply Rmult_le_compat_l with (r := E) in H3; auto. lra.
Qed.
Lemma vmasses_loss C U g : (forall r, (0 <= r)%Z -> vsum r (fun x => C x * p x) <= U) -> bounded g -> (forall x, g x <= C x) -> ex X g <= U.
Proof.
  intros HU [M HM] Hg. destruct Hp as (H0 & H1 & _). apply le_epsilon. intros e He.
  assert (HM0 : 0 <= M). { destruct (cube_reach 1 ltac:(lra)) as (r & _). destruct (Rle_dec 0 M); auto. exfalso.
    assert (Hb : ex X (fun _ => 1) <= ex X (fun _ => 0)) by (apply ex_le; try apply good_const; intros x; specialize (HM x); pose proof (Rabs_pos (g x)); lra).
    rewrite !(ex_const _ _ _ _ X) in Hb. lra. }
  destruct (cube_reach (e / (M + 1))) as (r & Hr & Hm); [apply Rmult_lt_0_compat; auto; apply Rinv_0_lt_compat; lra|].
  pose proof (cube_above r g M Hr HM) as H. specialize (HU r Hr).
  assert (vsum r (fun x => g x * p x) <= vsum r (fun x => C x * p x)) by (apply vsum_le; intros x; apply Rmult_le_compat_r; auto).
  assert (M * (1 - vsum r p) <= e).
  { apply Rle_trans with (M * (e / (M + 1))); [apply Rmult_le_compat_l; lra|].
    apply Rmult_le_reg_r with (M + 1); [lra|]. replace (M * (e / (M + 1)) * (M + 1)) with (M * e) by (field; lra). lra. }
  lra.
Qed.
End Law.

(* ---- there is a law with these masses ---- *)
Section There.
Variable k : nat.
Variable p : vec k -> R.
Hypothesis Hp : vdistribution p.
Definition vpart (f : vec k -> R) (n : nat) : R := vsum (Z.of_nat n) (fun i => f i * p i).
Definition vaverage (f : vec k -> R) : R := sup (vpart (fun i => Rmax 0 (f i))) - sup (vpart (fun i => Rmax 0 (- f i))).
Lemma vaverage_limit f : bounded f -> Un_cv (vpart f) (vaverage f).
Proof.
  intros [M HM0]. destruct Hp as (H0 & H1 & _).
  assert (HM : forall i, Rabs (f i) <= Rmax 0 M) by (intros; eapply Rle_trans; [apply HM0|apply Rmax_r]). pose proof (Rmax_l 0 M) as HMp. set (K := Rmax 0 M) in *.
  assert (H : forall g, (forall i, g i <= K) -> Un_cv (vpart (fun i => Rmax 0 (g i))) (sup (vpart (fun i => Rmax 0 (g i))))).
  { intros g Hg. apply sup_limit with K.
    - intros n. apply vsum_within; try lia. intros. apply Rmult_le_pos; auto. apply Rmax_l.
    - intros n. apply Rle_trans with (vsum (Z.of_nat n) (fun i => K * p i)).
      + apply vsum_le. intros i. apply Rmult_le_compat_r; auto. apply Rmax_lub; auto.
      + rewrite vsum_scale. specialize (H1 (Z.of_nat n)). rewrite <- (Rmult_1_r K) at 2. apply Rmult_le_compat_l; auto. }
  assert (Hf : forall i, - K <= f i <= K) by (intros i; specialize (HM i); unfold Rabs in HM; destruct Rcase_abs; lra).
  pose proof (CV_minus _ _ _ _ (H f ltac:(intros i; apply Hf)) (H (fun i => - f i) ltac:(intros i; specialize (Hf i); lra))) as C.
  intros e He. destruct (C e He) as [N HN]. exists N. intros n Hn. specialize (HN n Hn).
  replace (vpart f n) with (vpart (fun i => Rmax 0 (f i)) n - vpart (fun i => Rmax 0 (- f i)) n); auto.
  unfold vpart, Rminus. rewrite <- (Rmult_1_l (vsum _ (fun i => Rmax 0 (- f i) * p i))), Ropp_mult_distr_l.
  rewrite <- vsum_scale, <- vsum_plus. apply vsum_eq. intros i.
  unfold Rmax. destruct (Rle_dec 0 (f i)), (Rle_dec 0 (- f i)); try lra; replace (f i) with 0 by lra; lra.
Qed.
Lemma vaverage_is f l : bounded f -> Un_cv (vpart f) l -> vaverage f = l.
Proof. intros. apply (UL_sequence (vpart f)); auto using vaverage_limit. Qed.
Definition vlaw_of : vlaw k.
Proof.
  refine (Build_law (vec k) (vec k) vadd (fun _ => True) (fun _ => True) vaverage _ _ _ _ _ _ _ _ _ _); auto.
  - apply vaverage_is; [apply bounded_const|]. destruct Hp as (H0 & H1 & H2). intros e He. destruct (H2 (e / 2) ltac:(lra)) as (r & Hr).
    exists (Z.to_nat r). intros n Hn. unfold R_dist, vpart. rewrite (vsum_eq _ _ _ p) by (intros; ring). specialize (H1 (Z.of_nat n)).
    assert (vsum r p <= vsum (Z.of_nat n) p) by (apply vsum_within; auto; lia). rewrite Rabs_left1 by lra. lra.
  - intros f g _ Hf _ Hg. apply vaverage_is; [apply bounded_add; auto|].
    pose proof (CV_plus _ _ _ _ (vaverage_limit f Hf) (vaverage_limit g Hg)) as K. intros e He. destruct (K e He) as [N HN]. exists N. intros n Hn. specialize (HN n Hn).
    replace (vpart (fun i => f i + g i) n) with (vpart f n + vpart g n); auto. unfold vpart. rewrite <- vsum_plus. apply vsum_eq. intros. ring.
  - intros a f _ Hf. apply vaverage_is; [apply bounded_scale; auto|].
    assert (Ha : Un_cv (fun _ => a) a) by (intros e He; exists 0%nat; intros; unfold R_dist; replace (a - a) with 0 by ring; rewrite Rabs_R0; auto).
    pose proof (CV_mult _ _ _ _ Ha (vaverage_limit f Hf)) as K. intros e He. destruct (K e He) as [N HN]. exists N. intros n Hn. specialize (HN n Hn).
    replace (vpart (fun i => a * f i) n) with (a * vpart f n); auto. unfold vpart. rewrite <- vsum_scale. apply vsum_eq. intros. ring.
  - intros f g _ Hf _ Hg Hle. apply Rnot_lt_le. intros Hlt.
    destruct (vaverage_limit f Hf ((vaverage f - vaverage g) / 2) ltac:(lra)) as [N HN].
    destruct (vaverage_limit g Hg ((vaverage f - vaverage g) / 2) ltac:(lra)) as [N' HN'].
    specialize (HN (N + N')%nat ltac:(lia)). specialize (HN' (N + N')%nat ltac:(lia)).
    assert (vpart f (N + N') <= vpart g (N + N')). { destruct Hp as (H0 & _). apply vsum_le. intros i. apply Rmult_le_compat_r; auto. }
    unfold R_dist, Rabs in HN, HN'. destruct (Rcase_abs _) in HN; destruct (Rcase_abs _) in HN'; lra.
Defined.
Lemma vpoint_sym n : forall y x : vec n, vpoint y x = vpoint x y.
Proof. induction n; intros; cbn [vpoint]; auto. rewrite (IHn (snd y)). unfold point. rewrite Z.eqb_sym. reflexivity. Qed.
Lemma vpoint_eq n : forall (y x : vec n) (f : vec n -> R), f y * vpoint y x = f x * vpoint y x.
Proof.
  induction n; intros y x f; cbn [vpoint]; [destruct x, y; auto|]. destruct y as [y1 y2], x as [x1 x2]. cbn [fst snd]. unfold point.
  destruct (Z.eqb_spec x1 y1) as [->|]; [|ring]. specialize (IHn y2 x2 (fun v => f (y1, v))). cbv beta in IHn. lra.
Qed.
Theorem vnoise_exists : exists X : vlaw k, has_vmasses X p.
Proof.
  exists vlaw_of. intros x. simpl. apply vaverage_is; [apply bounded_between with 0 1; apply vpoint_01|].
  intros e He. exists (Z.to_nat (farthest x)). intros n Hn. unfold R_dist, vpart.
  rewrite (vsum_eq _ _ _ (fun y => p y * vpoint y x)) by (intros; rewrite vpoint_sym; ring).
  rewrite vsum_at by lia. pose proof (farthest_nonneg k x). destruct (Z.leb_spec (farthest x) (Z.of_nat n)); [|lia]. replace (p x - p x) with 0 by ring. rewrite Rabs_R0. auto.
Qed.
End There.
