(* Why the noise q^level has the least largest error of all private laws, for numbers that move by 1. *)
Require Import Reals ZArith List Bool Lra Lia.
Require Import Formal.Statements Formal.Exp Formal.Laws Formal.Masses Formal.Joint Formal.Vectors Formal.JointNoise Formal.Orbits Formal.Flow Formal.Shells Formal.JointMean.
Import ListNotations.
Open Scope R_scope.

Lemma vsum_pos k : forall r (f : vec k -> R), (0 <= r)%Z -> (forall x, 0 < f x) -> 0 < vsum r f.
Proof.
  induction k; intros r f Hr H; cbn [vsum]; auto. assert (P : forall i, 0 < vsum r (fun x => f (i, x))) by (intros; apply IHk; auto).
  replace (Z.to_nat (2 * r + 1)) with (S (Z.to_nat (2 * r))) by lia. cbn [wsum]. specialize (P (- r)%Z) as P0.
  assert (0 <= wsum (- r + 1) (Z.to_nat (2 * r)) (fun i => vsum r (fun x => f (i, x)))) by (apply wsum_nonneg; intros i; left; apply P). lra.
Qed.
Lemma vsum_origin k : exists z : vec k, farthest z = 0%Z /\ forall F, vsum 0 F = F z.
Proof.
  induction k; [exists tt; split; auto|]. destruct IHk as (z & Hz & E). exists (0%Z, z). split; [cbn [farthest fst snd]; rewrite Hz; reflexivity|].
  intros F. cbn [vsum]. change (Z.to_nat (2 * 0 + 1)) with 1%nat. cbn [wsum]. rewrite E. change (- 0)%Z with 0%Z. ring.
Qed.
Lemma near_origin k : forall z y : vec k, farthest z = 0%Z -> (farthest y <= 1)%Z -> near z y.
Proof. induction k; intros z y Hz Hy; cbn [near farthest] in *; auto. pose proof (farthest_nonneg k (snd z)). split; [lia|apply IHk; lia]. Qed.
Lemma ins_scale k a c : forall (f : vec (S k) -> R) x, ins a (fun y => c * f y) x = c * ins a f x.
Proof. induction k; intros f x; cbn [ins]; auto. rewrite (IHk (fun y => f (fst x, y))). ring. Qed.
Lemma ins_one k a : forall x : vec k, ins a (fun _ => 1) x = INR (S k).
Proof. induction k; intros x; cbn [ins]; [reflexivity|]. rewrite IHk, (S_INR (S k)). ring. Qed.

Section Shell.
Variable n : nat.
Definition weight (a : nat) (y : vec n) : R := / (1 + total_of_all (sized (Z.of_nat a)) y) / (if (a =? 0)%nat then 2 else 1).
(* the sum over all vectors whose largest size is a *)
Definition sh (f : vec (S n) -> R) (a : nat) : R := vsum (Z.of_nat a) (fun y : vec n => put (Z.of_nat a) f y * weight a y).
Lemma shells M f : vsum (Z.of_nat M) f = upto (S M) (sh f).
Proof. exact (by_largest n M f). Qed.
Lemma weight_pos a y : 0 < weight a y.
Proof.
  assert (0 <= total_of_all (sized (Z.of_nat a)) y) by (apply total_nonneg; intros; unfold sized; destruct (_ =? _)%Z; lra).
  apply Rmult_lt_0_compat; apply Rinv_0_lt_compat; [lra|destruct (_ =? _)%nat; lra].
Qed.
Lemma sh_const (phi : Z -> R) f a : sh (fun x => f x * phi (farthest x)) a = phi (Z.of_nat a) * sh f a.
Proof.
  unfold sh. rewrite <- vsum_scale. apply vsum_ext; [|right; lia]. intros y Hy. unfold put.
  rewrite !(ins_same (fun _ => 0) n _ (fun m _ => phi m) f). rewrite Z.abs_opp, Z.abs_eq, Z.max_l by lia. ring.
Qed.
Lemma sh_nonneg f a : (forall x, 0 <= f x) -> 0 <= sh f a.
Proof.
  intros H. apply vsum_nonneg. intros y. apply Rmult_le_pos; [|left; apply weight_pos]. unfold put.
  pose proof (ins_nonneg n (Z.of_nat a) f y H). pose proof (ins_nonneg n (- Z.of_nat a) f y H). lra.
Qed.
Let c := 2 * INR (S n).
Let c_pos : 0 < c. Proof. unfold c. assert (0 < INR (S n)) by (apply lt_0_INR; lia). lra. Qed.
Lemma put_one a (y : vec n) : put a (fun _ => 1) y = c.
Proof. unfold put, c. rewrite !ins_one. ring. Qed.
Lemma sh_one a : sh (fun _ => 1) a = c * vsum (Z.of_nat a) (weight a).
Proof. unfold sh. rewrite <- vsum_scale. apply vsum_eq. intros y. rewrite put_one. ring. Qed.
Lemma sh_one_pos a : 0 < sh (fun _ => 1) a.
Proof. rewrite sh_one. apply Rmult_lt_0_compat; auto. apply vsum_pos; [lia|]. intros; apply weight_pos. Qed.
Variables (p : vec (S n) -> R) (q : R).
Hypothesis Hq : 0 < q < 1.
Hypothesis Hp : forall x, 0 <= p x.
Hypothesis Hnear : forall x y, near x y -> q * p x <= p y.
Lemma put_near a y y' : near y y' -> q * put (Z.of_nat a) p y <= put (Z.of_nat (S a)) p y'.
Proof.
  intros H. unfold put. pose proof (ins_near q n p p (Z.of_nat a) (Z.of_nat (S a)) y y' Hnear ltac:(lia) H). pose proof (ins_near q n p p (- Z.of_nat a) (- Z.of_nat (S a)) y y' Hnear ltac:(lia) H). lra.
Qed.
Lemma put_nonneg a y : 0 <= put a p y.
Proof. unfold put. pose proof (ins_nonneg n a p y Hp). pose proof (ins_nonneg n (- a) p y Hp). lra. Qed.
Lemma sh_share a f : (1 <= a)%nat -> sh f a = even_share a (put (Z.of_nat a) f).
Proof.
  intros Ha. unfold sh, even_share, weight. apply vsum_eq. intros y. destruct (Nat.eqb_spec a 0); [lia|]. unfold Rdiv. rewrite Rinv_1. ring.
Qed.
Lemma share_scale a x (g : vec n -> R) : even_share a (fun y => x * g y) = x * even_share a g.
Proof. unfold even_share. rewrite <- vsum_scale. apply vsum_eq. intros. ring. Qed.
Lemma shell_next a : q * sh p a * sh (fun _ => 1) (S a) <= sh p (S a) * sh (fun _ => 1) a.
Proof.
  destruct (Nat.eq_dec a 0) as [->|Ha].
  - destruct (vsum_origin n) as (z & Hz & E). rewrite (sh_one 1), (sh_one 0). unfold sh at 1. change (Z.of_nat 0) with 0%Z. rewrite !E.
    assert (K : q * put 0 p z * vsum (Z.of_nat 1) (weight 1) <= sh p 1).
    { unfold sh. rewrite <- vsum_scale. change (Z.of_nat 1) with 1%Z.
      rewrite <- (vsum_inside n 1 1 (fun y => put 1 p y * weight 1 y)) by lia. rewrite <- (vsum_inside n 1 1 (fun x => q * put 0 p z * weight 1 x)) by lia.
      apply vsum_le. intros y. destruct (Z.leb_spec (farthest y) 1) as [Hy|]; [|lra]. apply Rmult_le_compat_r; [left; apply weight_pos|].
      exact (put_near 0 z y (near_origin n z y Hz Hy)). }
    pose proof (weight_pos 0 z) as W. apply Rmult_le_compat_r with (r := c * weight 0 z) in K; [|left; apply Rmult_lt_0_compat; auto]. lra.
  - pose proof (share_pairs n a (fun y => q * put (Z.of_nat a) p y) (put (Z.of_nat (S a)) p) ltac:(lia)) as K. rewrite share_scale in K.
    rewrite !sh_share by lia. set (X := even_share a (put (Z.of_nat a) p)) in *. set (X' := even_share (S a) (put (Z.of_nat (S a)) p)) in *.
    assert (E : forall b, even_share b (put (Z.of_nat b) (fun _ : vec (S n) => 1)) = c * even_share b (fun _ : vec n => 1)).
    { intros b. rewrite <- share_scale. unfold even_share. apply vsum_eq. intros y. rewrite put_one. ring. }
    rewrite !E. assert (Kc : q * X * even_share (S a) (fun _ : vec n => 1) <= X' * even_share a (fun _ : vec n => 1)).
    { apply K; [intros; apply Rmult_le_pos; [lra|apply put_nonneg]|intros; apply put_nonneg|intros; apply put_near; auto]. }
    apply Rmult_le_compat_l with (r := c) in Kc; lra.
Qed.
Notation N := (sh (fun _ => 1)).
Notation A := (sh p).
Lemma shell_later a d : A a * (q ^ d * N (a + d)) <= A (a + d) * N a.
Proof.
  induction d; [rewrite Nat.add_0_r; simpl; lra|]. rewrite Nat.add_succ_r. set (b := (a + d)%nat) in *. pose proof (sh_one_pos b) as Nb. pose proof (sh_one_pos a) as Na. pose proof (sh_one_pos (S b)) as Ns.
  pose proof (shell_next b) as S1. apply Rmult_le_reg_r with (N b); auto. cbn [pow].
  replace (A a * (q * q ^ d * N (S b)) * N b) with (A a * (q ^ d * N b) * (q * N (S b))) by ring.
  apply Rle_trans with (A b * N a * (q * N (S b))); [apply Rmult_le_compat_r; auto; apply Rmult_le_pos; lra|].
  apply Rmult_le_compat_r with (r := N a) in S1; lra.
Qed.
(* the mean size of private mass is at least that of the noise *)
Lemma mean_size M (phi : Z -> R) : (forall a : nat, phi (Z.of_nat a) = q ^ a) ->
  vsum (Z.of_nat M) p * vsum (Z.of_nat M) (fun x : vec (S n) => IZR (farthest x) * phi (farthest x)) <=
  vsum (Z.of_nat M) (fun x => p x * IZR (farthest x)) * vsum (Z.of_nat M) (fun x : vec (S n) => phi (farthest x)).
Proof.
  intros Hphi. rewrite (vsum_eq (S n) _ (fun x => IZR (farthest x) * phi (farthest x)) (fun x => 1 * (fun z => IZR z * phi z) (farthest x))) by (intros; ring).
  rewrite (vsum_eq (S n) _ (fun x => phi (farthest x)) (fun x => 1 * phi (farthest x))) by (intros; ring). rewrite !shells.
  rewrite (upto_ext (S M) (sh (fun x => 1 * (fun z => IZR z * phi z) (farthest x))) (fun a => INR a * (q ^ a * N a))) by (intros a _; rewrite (sh_const (fun z => IZR z * phi z) (fun _ => 1)), Hphi, <- INR_IZR_INZ; ring).
  rewrite (upto_ext (S M) (sh (fun x => 1 * phi (farthest x))) (fun a => q ^ a * N a)) by (intros a _; rewrite (sh_const phi (fun _ => 1)), Hphi; ring).
  rewrite (upto_ext (S M) (sh (fun x => p x * IZR (farthest x))) (fun a => INR a * A a)) by (intros a _; rewrite (sh_const IZR p), <- INR_IZR_INZ; ring).
  assert (D : 0 <= upto (S M) (fun a => upto (S M) (fun b => A a * (q ^ b * N b) * (INR a - INR b)))).
  { apply pairs_nonneg. intros a b _ _ Hab. pose proof (shell_later a (b - a)) as S. replace (a + (b - a))%nat with b in S by lia.
    assert (Ea : q ^ b = q ^ a * q ^ (b - a)) by (rewrite <- pow_add; f_equal; lia). assert (I : INR a <= INR b) by (apply le_INR; auto). assert (Q : 0 < q ^ a) by (apply pow_lt; lra).
    apply Rmult_le_compat_l with (r := q ^ a) in S; [|lra]. assert (S' : A a * (q ^ b * N b) <= A b * (q ^ a * N a)) by (rewrite Ea; lra).
    assert (0 <= (A b * (q ^ a * N a) - A a * (q ^ b * N b)) * (INR b - INR a)) by (apply Rmult_le_pos; lra). lra. }
  rewrite (upto_ext (S M) _ (fun a => upto (S M) (fun b => INR a * A a * (q ^ b * N b)) + -1 * upto (S M) (fun b => A a * (INR b * (q ^ b * N b))))) in D.
  - rewrite upto_plus, upto_scale, <- !upto_mult in D. lra.
  - intros a _. rewrite <- upto_scale, <- upto_plus. apply upto_ext. intros b _. ring.
Qed.
End Shell.

Section Private.
Variables (k : nat) (eps q lambda B : R).
Hypothesis Hk : (0 < k)%nat.
Hypothesis Hq : 0 < q < 1.
Hypothesis Hqe : q * exp eps <= 1.
Variables (counted erring : list Z).
Hypothesis Hn1 : positive counted.
Hypothesis Hn2 : positive erring.
Hypothesis Hone : forall j, 1 * vsum (radius 0 1 j) (fun _ : vec k => 1) = IZR (ev counted j).
Hypothesis Herr : forall j, 1 * vsum (radius 0 1 j) (fun x : vec k => IZR (farthest x)) = IZR (ev erring j).
Hypothesis Hl : lambda * series q counted <= series q erring.
Variable Y : vlaw k.
Hypothesis HY : private Y eps 0 (fun s => (farthest s <= 1)%Z).
Hypothesis HB : loss_at_most Y (fun x => IZR (farthest x)) B.
Let p (x : vec k) : R := ex Y (vpoint x).
Let HX : has_vmasses Y p := fun x => eq_refl.
Let Hp x : 0 <= p x.
Proof. apply ex_nonneg; [apply point_fine|]. intros. apply vpoint_01. Qed.
Let far_pos (x : vec k) : 0 <= IZR (farthest x). Proof. apply IZR_le, farthest_nonneg. Qed.
Lemma far_cost r : (0 <= r)%Z -> vsum r (fun x => p x * IZR (farthest x)) <= B.
Proof.
  intros Hr. destruct (cube_fine k Y p HX r (fun y => IZR (farthest y))) as [G E].
  rewrite (vsum_eq k r _ (fun y => IZR (farthest y) * p y)) by (intros; ring). rewrite <- E. apply HB; try apply G. intros x. rewrite (vsum_at k r (fun y => IZR (farthest y))) by auto. destruct (_ <=? _)%Z; [lra|auto].
Qed.
Lemma far_mass r : (0 <= r)%Z -> vsum r p <= 1 /\ IZR (r + 1) * (1 - vsum r p) <= B.
Proof.
  intros Hr. assert (E1 : vsum r (fun x => 1 * p x) = vsum r p) by (apply vsum_eq; intros; ring). split.
  - rewrite <- E1. eapply Rle_trans; [apply (cube_below k Y p HX r (fun _ => 1)); auto; [apply bounded_const|intros; lra]|]. rewrite (ex_const _ _ _ _ Y). lra.
  - set (a := IZR (r + 1)). destruct (cube_fine k Y p HX r (fun _ => 1)) as [G E]. rewrite E1 in E.
    assert (Ga : good _ _ _ _ Y (fun x => a + - a * vsum r (fun y => 1 * vpoint y x))).
    { apply (good_add _ _ _ _ Y (fun _ => a)); [apply good_const|]. apply (good_scale _ _ _ _ Y (- a)). exact G. }
    assert (H : ex Y (fun x => a + - a * vsum r (fun y => 1 * vpoint y x)) <= B).
    { apply HB; try apply Ga. intros x. rewrite (vsum_at k r (fun _ => 1)) by auto. destruct (Z.leb_spec (farthest x) r); [specialize (far_pos x); lra|].
      assert (a <= IZR (farthest x)) by (apply IZR_le; lia). lra. }
    rewrite (ex_plus _ _ _ _ Y (fun _ => a)), (ex_const _ _ _ _ Y), (ex_times _ _ _ _ Y (- a) (fun x => vsum r (fun y => 1 * vpoint y x))), E in H by (auto; try apply good_const; apply good_scale; exact G). lra.
Qed.
Theorem largest_bound : lambda <= B.
Proof.
  assert (B0 : 0 <= B). { eapply Rle_trans; [|apply (far_cost 0); lia]. apply vsum_nonneg. intros x. apply Rmult_le_pos; auto. }
  destruct (Rle_dec lambda 0) as [|Hpos]; [lra|]. apply Rnot_le_lt in Hpos.
  set (w := wt k 0 1 q). set (SN := (1 - q) * series q counted). set (SF := (1 - q) * series q erring).
  assert (Hsn : lambda * SN <= SF) by (unfold SN, SF; apply Rmult_le_compat_l with (r := 1 - q) in Hl; lra).
  assert (Below : forall r, vsum r (fun x => 1 * w x) <= SN).
  { intros r. pose proof (levels_below k 0 1 q ltac:(lia) ltac:(lia) Hq (fun _ => 1) 1 counted ltac:(lra) Hn1 ltac:(intros; lra) Hone r) as L. rewrite Rmult_1_l in L. exact L. }
  assert (SN0 : 0 < SN). { eapply Rlt_le_trans; [|apply (Below 0%Z)]. apply vsum_pos; [lia|]. intros x. rewrite Rmult_1_l. apply wt_pos. auto. }
  apply le_epsilon. intros e He. destruct (levels_reach k 0 1 q ltac:(lia) ltac:(lia) Hq (fun x => IZR (farthest x)) 1 erring Hn2 Herr (e * SN / 2)) as [r Hr].
  { apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat; auto|lra]. }
  fold SF w in Hr. rewrite Rmult_1_l in Hr. set (x := 2 * (lambda * B) / e). set (M := (Z.to_nat r + Z.to_nat (up x))%nat).
  assert (X : SF - e * SN / 2 <= vsum (Z.of_nat M) (fun x => IZR (farthest x) * w x)).
  { eapply Rle_trans; [exact Hr|]. apply vsum_within; [|unfold M; lia|lia]. intros y. apply Rmult_le_pos; auto. left. apply wt_pos. auto. }
  destruct (far_mass (Z.of_nat M) ltac:(lia)) as [M1 M2]. pose proof (far_cost (Z.of_nat M) ltac:(lia)) as C. set (V := vsum (Z.of_nat M) p) in *.
  assert (V0 : 0 <= V) by (apply vsum_nonneg; auto).
  assert (T : V * vsum (Z.of_nat M) (fun x => IZR (farthest x) * w x) <= vsum (Z.of_nat M) (fun x => p x * IZR (farthest x)) * vsum (Z.of_nat M) (fun x => 1 * w x)).
  { assert (Ek : exists n, k = S n) by (exists (pred k); lia). destruct Ek as [n Ek]. clear - Hq Hqe HY Hp Ek. unfold V, w, wt. clear V w. revert Y HY p Hp. rewrite Ek. intros Y HY p Hp.
    pose proof (mean_size n p q Hq Hp (p_near (S n) eps q Hq Hqe Y HY) M (fun z => q ^ level 0 1 z)) as T.
    rewrite (vsum_eq (S n) _ (fun x => 1 * q ^ level 0 1 (farthest x)) (fun x => q ^ level 0 1 (farthest x))) by (intros; ring). apply T.
    intros a. f_equal. unfold level. replace (Z.of_nat a - 0 + 1 - 1)%Z with (Z.of_nat a) by lia. rewrite Z.div_1_r. apply Nat2Z.id. }
  pose proof (Below (Z.of_nat M)) as O. assert (O0 : 0 <= vsum (Z.of_nat M) (fun x => 1 * w x)) by (apply vsum_nonneg; intros; rewrite Rmult_1_l; left; apply wt_pos; auto).
  assert (T2 : V * (SF - e * SN / 2) <= B * SN).
  { apply Rle_trans with (V * vsum (Z.of_nat M) (fun x => IZR (farthest x) * w x)); [apply Rmult_le_compat_l; auto|]. eapply Rle_trans; [exact T|].
    apply Rle_trans with (B * vsum (Z.of_nat M) (fun x => 1 * w x)); [apply Rmult_le_compat_r; auto|apply Rmult_le_compat_l; auto]. }
  assert (T3 : lambda * (1 - V) <= e / 2).
  { assert (I0 : 0 < IZR (Z.of_nat M + 1)) by (apply IZR_lt; lia). assert (IM : x <= IZR (Z.of_nat M + 1)).
    { destruct (archimed x) as [A _]. assert (IZR (up x) <= IZR (Z.of_nat M + 1)) by (apply IZR_le; unfold M; lia). lra. }
    apply Rmult_le_reg_r with (IZR (Z.of_nat M + 1)); auto. apply Rmult_le_compat_l with (r := lambda) in M2; [|lra].
    assert (F : x * (e / 2) <= IZR (Z.of_nat M + 1) * (e / 2)) by (apply Rmult_le_compat_r; lra). unfold x in F at 1. replace (2 * (lambda * B) / e * (e / 2)) with (lambda * B) in F by (field; lra). lra. }
  apply Rmult_le_reg_r with SN; auto. apply Rmult_le_compat_l with (r := V) in Hsn; auto.
  assert (V * (e * SN / 2) <= 1 * (e * SN / 2)) by (apply Rmult_le_compat_r; auto; left; apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat; auto|lra]).
  apply Rmult_le_compat_r with (r := SN) in T3; [|lra]. lra.
Qed.
End Private.
Theorem largest_sound f a m : (0 < numbers f)%nat -> j_error f = Largest -> width f = 1%Z -> (0 < a)%Z -> (a < m)%Z ->
  IZR a / IZR m * exp (ratio (j_epsilon f)) <= 1 -> (0 < snd (j_lower f))%Z -> largest_ok f a m = true -> joint_lower_claim f.
Proof.
  intros Hk He HD Ha Ham Hqe Hl H Y HY B HB. unfold largest_ok in H.
  set (best := {| j_epsilon := j_epsilon f; numbers := numbers f; width := 1; j_error := Largest; j_ratio := (a, m); offset := 0; j_upper := j_upper f; j_lower := j_lower f |}) in H.
  pose proof (series_value a m (counts best) ltac:(lia)) as V1. pose proof (series_value a m (fst (errors best)) ltac:(lia)) as V2. cbv zeta in H.
  destruct (series_of a m (counts best)) as [n1 c1]. destruct (series_of a m (fst (errors best))) as [n2 c2]. destruct V1 as [C1 V1]. destruct V2 as [C2 V2].
  rewrite !andb_true_iff, Z.leb_le in H. destruct H as [[P1 P2] H]. apply positive_ok in P1, P2. rewrite He in HB.
  apply (largest_bound (numbers f) (ratio (j_epsilon f)) (IZR a / IZR m) (ratio (j_lower f)) B Hk (ratio_between a m Ha Ham) Hqe (counts best) (fst (errors best)) P1 P2) with (Y := Y).
  - intros j. rewrite Rmult_1_l, vsum_one by (unfold radius; lia). rewrite (counts_value best), <- pow_IZR. reflexivity.
  - intros j. exact (errors_value best Hk ltac:(simpl; lia) ltac:(simpl; lia) j).
  - rewrite V1, V2. unfold ratio. apply IZR_lt in C1, C2, Hl. apply IZR_le in H. rewrite !mult_IZR in H.
    apply Rmult_le_reg_r with (IZR (snd (j_lower f)) * (IZR c1 * IZR c2)); [repeat apply Rmult_lt_0_compat; auto|].
    replace (IZR (fst (j_lower f)) / IZR (snd (j_lower f)) * (IZR n1 / IZR c1) * (IZR (snd (j_lower f)) * (IZR c1 * IZR c2))) with (IZR (fst (j_lower f)) * IZR n1 * IZR c2) by (field; lra).
    eapply Rle_trans; [exact H|]. right. field. lra.
  - intros A s HA Hs'. apply HY; auto. unfold moves. rewrite HD. auto.
  - exact HB.
Qed.
