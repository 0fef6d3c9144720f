(* Vectors by their sizes: sorted from the largest down, with the number of ways to write them. *)
Require Import Reals ZArith List Bool Lra Lia.
Require Import Formal.Statements Formal.Laws Formal.Masses Formal.Joint Formal.Vectors Formal.JointNoise.
Import ListNotations.
Open Scope R_scope.

Lemma upto_shift n g : upto (S n) g = g 0%nat + upto n (fun i => g (S i)).
Proof. induction n; [simpl; ring|]. cbn [upto] in *. rewrite IHn. ring. Qed.
Lemma upto_plus n g h : upto n (fun i => g i + h i) = upto n g + upto n h.
Proof. induction n; simpl; [ring|]. rewrite IHn. ring. Qed.
Lemma upto_scale n a g : upto n (fun i => a * g i) = a * upto n g.
Proof. induction n; simpl; [ring|]. rewrite IHn. ring. Qed.
Lemma upto_le n g h : (forall j, (j < n)%nat -> g j <= h j) -> upto n g <= upto n h.
Proof. induction n; intros H; simpl; [lra|]. assert (g n <= h n) by (apply H; lia). assert (upto n g <= upto n h) by (apply IHn; intros; apply H; lia). lra. Qed.

(* ---- a number put anywhere, with either sign ---- *)
Fixpoint ins {k : nat} (a : Z) : (vec (S k) -> R) -> vec k -> R := match k with
  | O => fun f _ => f (a, tt)
  | S n => fun f x => f (a, x) + ins a (fun y => f (fst x, y)) (snd x) end.
Definition put {k : nat} (a : Z) (f : vec (S k) -> R) (x : vec k) : R := ins a f x + ins (- a) f x.
(* the sum over all ways to put the numbers of v in some order and with some signs *)
Fixpoint spread {k : nat} : vec k -> (vec k -> R) -> R := match k with
  | O => fun _ f => f tt | S n => fun v f => spread (snd v) (put (fst v) f) end.

Lemma ins_ext k a : forall (f g : vec (S k) -> R) x, (forall y, f y = g y) -> ins a f x = ins a g x.
Proof. induction k; intros f g x H; cbn [ins]; [apply H|]. rewrite H, (IHk _ (fun y => g (fst x, y))); auto. Qed.
Lemma spread_ext k : forall v (f g : vec k -> R), (forall y, f y = g y) -> spread v f = spread v g.
Proof. induction k; intros v f g H; cbn [spread]; [apply H|]. apply IHk. intros y. unfold put. rewrite !(ins_ext k _ f g) by auto. reflexivity. Qed.
Lemma ins_nonneg k a : forall (f : vec (S k) -> R) x, (forall y, 0 <= f y) -> 0 <= ins a f x.
Proof. induction k; intros f x H; cbn [ins]; [apply H|]. pose proof (IHk (fun y => f (fst x, y)) (snd x) (fun y => H (fst x, y))). pose proof (H (a, x)). lra. Qed.
Lemma spread_nonneg k : forall v (f : vec k -> R), (forall y, 0 <= f y) -> 0 <= spread v f.
Proof. induction k; intros v f H; cbn [spread]; [apply H|]. apply IHk. intros y. unfold put. pose proof (ins_nonneg k (fst v) f y H). pose proof (ins_nonneg k (- fst v) f y H). lra. Qed.

(* What depends on the largest size and on a sum over numbers regardless of their signs is the same
   for all of these ways. *)
Section Same.
Variable h : Z -> R.
Hypothesis Heven : forall z, h (- z)%Z = h z.
Lemma ins_same k a : forall (phi : Z -> R -> R) (f : vec (S k) -> R) x,
  ins a (fun y => f y * phi (farthest y) (total_of_all h y)) x = ins a f x * phi (Z.max (Z.abs a) (farthest x)) (h a + total_of_all h x).
Proof.
  induction k; intros phi f x; cbn [ins]; [destruct x; reflexivity|].
  pose proof (IHk (fun m t => phi (Z.max (Z.abs (fst x)) m) (h (fst x) + t)) (fun y => f (fst x, y)) (snd x)) as I. cbv beta in I.
  rewrite Rmult_plus_distr_r. f_equal. etransitivity; [|etransitivity; [exact I|]].
  - apply ins_ext. intros y. reflexivity.
  - f_equal. f_equal; [cbn [farthest]; lia|cbn [total_of_all]; ring].
Qed.
Lemma spread_same k : forall (phi : Z -> R -> R) (v : vec k) (f : vec k -> R),
  spread v (fun y => f y * phi (farthest y) (total_of_all h y)) = spread v f * phi (farthest v) (total_of_all h v).
Proof.
  induction k; intros phi v f; cbn [spread]; [destruct v; reflexivity|].
  rewrite (spread_ext k (snd v) _ (fun y => put (fst v) f y * phi (Z.max (Z.abs (fst v)) (farthest y)) (h (fst v) + total_of_all h y))).
  - rewrite (IHk (fun m t => phi (Z.max (Z.abs (fst v)) m) (h (fst v) + t))). reflexivity.
  - intros y. unfold put. rewrite !ins_same, Heven, Z.abs_opp. ring.
Qed.
End Same.

(* ---- every vector, counted once ---- *)
Lemma put_total k M (H : Z -> vec (S k) -> R) :
  wsum (- M) (Z.to_nat (2 * M + 1)) (fun z => vsum M (fun y : vec k => ins z (H z) y)) = vsum M (fun x : vec (S k) => total_of_all (fun z => H z x) x).
Proof.
  induction k.
  - apply wsum_ext. intros z _. change (H z (z, tt) = H z (z, tt) + 0). ring.
  - change (vsum M (fun x : vec (S (S k)) => total_of_all (fun z => H z x) x)) with
      (wsum (- M) (Z.to_nat (2 * M + 1)) (fun b => vsum M (fun x : vec (S k) => H b (b, x) + total_of_all (fun z => H z (b, x)) x))).
    rewrite (wsum_ext _ _ (fun b => vsum M (fun x : vec (S k) => H b (b, x) + total_of_all (fun z => H z (b, x)) x))
      (fun b => vsum M (fun x : vec (S k) => H b (b, x)) + wsum (- M) (Z.to_nat (2 * M + 1)) (fun z => vsum M (fun y : vec k => ins z (fun x => H z (b, x)) y)))).
    + rewrite wsum_plus.
      rewrite (wsum_ext _ _ (fun z => vsum M (fun y : vec (S k) => ins z (H z) y))
        (fun z => vsum M (fun x : vec (S k) => H z (z, x)) + wsum (- M) (Z.to_nat (2 * M + 1)) (fun b => vsum M (fun y : vec k => ins z (fun x => H z (b, x)) y)))).
      * rewrite wsum_plus. f_equal.
        assert (Fub : forall n m lo lo' (F : Z -> Z -> R), wsum lo n (fun z => wsum lo' m (fun b => F z b)) = wsum lo' m (fun b => wsum lo n (fun z => F z b))).
        { induction n; intros; cbn [wsum]; [rewrite wsum_const; ring|]. rewrite IHn, <- wsum_plus. reflexivity. }
        apply Fub.
      * intros z _. exact (vsum_plus (S k) M (fun x => H z (z, x)) (fun x => ins z (fun y => H z (fst x, y)) (snd x))).
    + intros b _. rewrite (IHk (fun z x => H z (b, x))). apply (vsum_plus (S k) M (fun x => H b (b, x))).
Qed.
Lemma wsum_by_size M (g : Z -> R) : wsum (- Z.of_nat M) (Z.to_nat (2 * Z.of_nat M + 1)) g =
  upto (S M) (fun a => (g (Z.of_nat a) + g (- Z.of_nat a)%Z) / (if (a =? 0)%nat then 2 else 1)).
Proof.
  induction M; [simpl; field|]. replace (Z.of_nat (S M)) with (Z.of_nat M + 1)%Z by lia. rewrite wsum_ends by lia. rewrite IHM.
  cbn [upto]. replace (Z.of_nat (S M)) with (Z.of_nat M + 1)%Z by lia. change (S M =? 0)%nat with false. unfold Rdiv. rewrite Rinv_1. ring.
Qed.
(* how many numbers have the size a *)
Definition sized (a z : Z) : R := if (Z.abs z =? a)%Z then 1 else 0.
Lemma sized_even a z : sized a (- z) = sized a z.
Proof. unfold sized. rewrite Z.abs_opp. reflexivity. Qed.
Lemma total_nonneg k h : (forall z, 0 <= h z) -> forall x : vec k, 0 <= total_of_all h x.
Proof. intros H. induction k; intros x; cbn [total_of_all]; [lra|]. specialize (IHk (snd x)). specialize (H (fst x)). lra. Qed.
Lemma total_ext k : forall (h g : Z -> R) (x : vec k), (forall z, (Z.abs z <= farthest x)%Z -> h z = g z) -> total_of_all h x = total_of_all g x.
Proof.
  induction k; intros h g x H; cbn [total_of_all]; auto. rewrite (H (fst x)), (IHk h g (snd x)); auto; intros; try apply H; cbn [farthest]; lia.
Qed.
Lemma total_scale k a h : forall x : vec k, total_of_all (fun z => a * h z) x = a * total_of_all h x.
Proof. induction k; intros x; cbn [total_of_all]; [ring|]. rewrite IHk. ring. Qed.
Lemma largest_there k : forall x : vec (S k), 1 <= total_of_all (sized (farthest x)) x.
Proof.
  assert (N : forall n a (x : vec n), 0 <= total_of_all (sized a) x) by (intros; apply total_nonneg; intros; unfold sized; destruct (_ =? _)%Z; lra).
  induction k; intros x.
  - cbn [farthest total_of_all]. unfold sized. destruct (Z.eqb_spec (Z.abs (fst x)) (Z.max (Z.abs (fst x)) 0)); [lra|lia].
  - pose (v := snd x : vec (S k)). set (m := Z.max (Z.abs (fst x)) (farthest v)). change (1 <= sized m (fst x) + total_of_all (sized m) v). unfold m.
    specialize (IHk v). destruct (Z_le_gt_dec (farthest v) (Z.abs (fst x))).
    + rewrite Z.max_l by auto. unfold sized at 1. rewrite Z.eqb_refl. specialize (N (S k) (Z.abs (fst x)) v). lra.
    + rewrite Z.max_r by lia. unfold sized at 1. destruct (_ =? _)%Z; lra.
Qed.
Lemma by_largest k M (f : vec (S k) -> R) : vsum (Z.of_nat M) f =
  upto (S M) (fun a => vsum (Z.of_nat a) (fun y : vec k => put (Z.of_nat a) f y * (/ (1 + total_of_all (sized (Z.of_nat a)) y) / (if (a =? 0)%nat then 2 else 1)))).
Proof.
  set (H := fun z (x : vec (S k)) => f x * (if (farthest x <=? Z.abs z)%Z then / total_of_all (sized (Z.abs z)) x else 0)).
  transitivity (vsum (Z.of_nat M) (fun x : vec (S k) => total_of_all (fun z => H z x) x)).
  - apply vsum_eq. intros x. pose proof (largest_there k x) as L.
    rewrite (total_ext (S k) _ (fun z => f x * / total_of_all (sized (farthest x)) x * sized (farthest x) z)).
    + rewrite total_scale. field. lra.
    + intros z Hz. unfold H. destruct (Z.leb_spec (farthest x) (Z.abs z)).
      * assert (E : Z.abs z = farthest x) by lia. replace (sized (farthest x) z) with 1 by (unfold sized; rewrite E, Z.eqb_refl; reflexivity). rewrite E. ring.
      * replace (sized (farthest x) z) with 0; [ring|]. unfold sized. destruct (Z.eqb_spec (Z.abs z) (farthest x)); [lia|reflexivity].
  - rewrite <- put_total, wsum_by_size. apply upto_ext. intros a Ha.
    assert (E : forall z, Z.abs z = Z.of_nat a -> vsum (Z.of_nat M) (fun y : vec k => ins z (H z) y) = vsum (Z.of_nat a) (fun y => ins z f y * / (1 + total_of_all (sized (Z.of_nat a)) y))).
    { intros z Ez. rewrite <- (vsum_inside k (Z.of_nat a) (Z.of_nat M)) by lia. apply vsum_eq. intros y. unfold H. rewrite Ez.
      rewrite (ins_same (sized (Z.of_nat a)) k z (fun m t => if (m <=? Z.of_nat a)%Z then / t else 0)). rewrite Ez.
      unfold sized at 1. rewrite Ez, Z.eqb_refl. destruct (Z.leb_spec (Z.max (Z.of_nat a) (farthest y)) (Z.of_nat a)), (Z.leb_spec (farthest y) (Z.of_nat a)); try lia; ring. }
    rewrite !E by lia. unfold Rdiv. rewrite <- vsum_plus, Rmult_comm, <- vsum_scale. apply vsum_eq. intros y. unfold put. ring.
Qed.

(* ---- sorted vectors ---- *)
Fixpoint ent {k : nat} (i : nat) : vec k -> Z := match k with
  | O => fun _ => 0%Z | S n => fun v => match i with O => fst v | S j => ent j (snd v) end end.
Fixpoint sorted {k : nat} : vec k -> Prop := match k with
  | O => fun _ => True | S n => fun v => (ent 0 (snd v) <= fst v)%Z /\ sorted (snd v) end.
(* where it falls *)
Fixpoint pattern {k : nat} : vec k -> list bool := match k with
  | O => fun _ => [] | S n => fun v => (ent 0 (snd v) <? fst v)%Z :: pattern (snd v) end.
Lemma run_pos b t : (0 < run (b :: t))%Z.
Proof. assert (H : forall B, (0 <= run B)%Z) by (induction B as [|c B IH]; cbn [run]; [lia|destruct c; lia]). cbn [run]. destruct b; specialize (H t); lia. Qed.
Lemma images_pos B : (0 < images B)%Z.
Proof. induction B as [|b B IH]; [simpl; lia|]. cbn [images]. pose proof (run_pos b B). destruct (existsb _ _); nia. Qed.
Lemma sorted_bound k : forall v : vec k, sorted v -> (0 <= ent 0 v)%Z /\ farthest v = ent 0 v.
Proof.
  induction k; intros v; cbn [sorted]; [simpl; lia|]. intros [H1 H2]. destruct (IHk (snd v) H2) as [I1 I2]. cbn [ent farthest]. rewrite I2. lia.
Qed.
Lemma pattern_run k : forall a (v : vec k), (ent 0 v <= a)%Z -> sorted v ->
  IZR (run ((ent 0 v <? a)%Z :: pattern v)) = 1 + total_of_all (sized a) v.
Proof.
  induction k; intros a v Ha Hv.
  - simpl. destruct (0 <? a)%Z; simpl; lra.
  - destruct Hv as [H1 H2]. destruct (sorted_bound k (snd v) H2) as [B1 B2]. cbn [run pattern total_of_all].
    change (ent 0 v) with (fst v) in *. destruct (Z.ltb_spec (fst v) a).
    + rewrite (total_ext k (sized a) (fun z => 0 * 0)), total_scale.
      * unfold sized. destruct (Z.eqb_spec (Z.abs (fst v)) a); [lia|]. simpl. ring.
      * intros z Hz. unfold sized. destruct (Z.eqb_spec (Z.abs z) a); [lia|ring].
    + assert (fst v = a) by lia. subst a. rewrite plus_IZR. change (1 + (if (ent 0 (snd v) <? fst v)%Z then 0 else run (pattern (snd v))))%Z with (run ((ent 0 (snd v) <? fst v)%Z :: pattern (snd v))).
      rewrite IHk by auto. unfold sized at 2. destruct (Z.eqb_spec (Z.abs (fst v)) (fst v)); [ring|lia].
Qed.
Lemma pattern_any k : forall v : vec k, sorted v -> existsb (fun c => c) (pattern v) = (0 <? ent 0 v)%Z.
Proof.
  induction k; intros v Hv; [reflexivity|]. destruct Hv as [H1 H2]. destruct (sorted_bound k (snd v) H2) as [B1 _]. cbn [pattern existsb]. rewrite IHk by auto.
  change (ent 0 v) with (fst v). destruct (Z.ltb_spec (ent 0 (snd v)) (fst v)), (Z.ltb_spec 0 (ent 0 (snd v))), (Z.ltb_spec 0 (fst v)); simpl; auto; lia.
Qed.
Lemma images_head k (v : vec (S k)) : sorted v -> IZR (images (pattern v)) =
  (1 + total_of_all (sized (fst v)) (snd v)) * (if (fst v =? 0)%Z then 2 else 1) * IZR (images (pattern (snd v))).
Proof.
  intros Hv. pose proof (pattern_any (S k) v Hv) as A. destruct Hv as [H1 H2]. destruct (sorted_bound k (snd v) H2) as [B1 _].
  change (pattern v) with ((ent 0 (snd v) <? fst v)%Z :: pattern (snd v)) in *. cbn [images]. rewrite !mult_IZR, pattern_run, A by auto. change (ent 0 v) with (fst v).
  f_equal. f_equal. destruct (Z.ltb_spec 0 (fst v)), (Z.eqb_spec (fst v) 0); auto; lia.
Qed.
(* the sum over sorted vectors up to M *)
Fixpoint dsum {k : nat} (M : nat) : (vec k -> R) -> R := match k with
  | O => fun G => G tt
  | S n => fun G => upto (S M) (fun a => dsum a (fun v => G (Z.of_nat a, v))) end.
Lemma dsum_ext k : forall M (f g : vec k -> R), (forall v, sorted v -> (ent 0 v <= Z.of_nat M)%Z -> f v = g v) -> dsum M f = dsum M g.
Proof.
  induction k; intros M f g H; cbn [dsum]; [apply H; simpl; auto; lia|]. apply upto_ext. intros a Ha. apply IHk. intros v Hv Hl. apply H; [split; auto|cbn [ent fst]; lia].
Qed.
Lemma dsum_le k : forall M (f g : vec k -> R), (forall v, sorted v -> f v <= g v) -> dsum M f <= dsum M g.
Proof.
  induction k; intros M f g H; cbn [dsum]; [apply H; simpl; auto|].
  assert (G : forall a, dsum a (fun v => f (Z.of_nat a, v)) <= dsum a (fun v => g (Z.of_nat a, v))).
  { intros a. pose (g' := fun v : vec k => if Z_le_gt_dec (ent 0 v) (Z.of_nat a) then g (Z.of_nat a, v) else f (Z.of_nat a, v)).
    rewrite (dsum_ext k a (fun v => g (Z.of_nat a, v)) g').
    - apply IHk. intros v Hv. unfold g'. destruct Z_le_gt_dec; [apply H; split; auto|lra].
    - intros v Hv Hl. unfold g'. destruct Z_le_gt_dec; [reflexivity|lia]. }
  apply upto_le. auto.
Qed.
Lemma dsum_plus k : forall M (f g : vec k -> R), dsum M (fun v => f v + g v) = dsum M f + dsum M g.
Proof.
  induction k; intros M f g; cbn [dsum]; auto. rewrite <- upto_plus. apply upto_ext. intros a _. apply (IHk a (fun v => f (Z.of_nat a, v))).
Qed.
Lemma dsum_scale k c : forall M (f : vec k -> R), dsum M (fun v => c * f v) = c * dsum M f.
Proof.
  induction k; intros M f; cbn [dsum]; auto. rewrite <- upto_scale. apply upto_ext. intros a _. apply (IHk a (fun v => f (Z.of_nat a, v))).
Qed.
Lemma dsum_upto k M n : forall (g : nat -> vec k -> R), dsum M (fun v => upto n (fun i => g i v)) = upto n (fun i => dsum M (g i)).
Proof.
  intros g. induction n; cbn [upto].
  - rewrite (dsum_ext k M _ (fun v => 0 * 0)) by (intros; ring). rewrite dsum_scale. ring.
  - rewrite (dsum_plus k M (fun v => upto n (fun i => g i v)) (g n)), IHn. reflexivity.
Qed.
Theorem by_orbits k : forall M (f : vec k -> R), vsum (Z.of_nat M) f = dsum M (fun v => spread v f / IZR (images (pattern v))).
Proof.
  induction k; intros M f; [simpl; field|]. rewrite by_largest.
  change (dsum M (fun v : vec (S k) => spread v f / IZR (images (pattern v)))) with
    (upto (S M) (fun a => dsum a (fun v : vec k => spread v (put (Z.of_nat a) f) / IZR (images (pattern ((Z.of_nat a, v) : vec (S k))))))).
  apply upto_ext. intros a _. rewrite IHk. apply dsum_ext. intros v Hv Hl.
  rewrite (spread_same (sized (Z.of_nat a)) (sized_even _) k (fun _ t => / (1 + t) / (if (a =? 0)%nat then 2 else 1))).
  rewrite images_head by (split; auto). cbn [fst snd]. pose proof (images_pos (pattern v)) as Hi. apply IZR_lt in Hi.
  assert (0 <= total_of_all (sized (Z.of_nat a)) v) by (apply total_nonneg; intros; unfold sized; destruct (_ =? _)%Z; lra).
  destruct (Nat.eqb_spec a 0), (Z.eqb_spec (Z.of_nat a) 0); try lia; field; repeat split; lra.
Qed.
