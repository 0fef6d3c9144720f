(* Finite weights on a lattice: their sum, and the hockey sticks of all shifts of whole cells. *)
Require Import Reals ZArith List Bool Lra Lia.
Require Import Formal.Statements Formal.Exp Formal.Masses Formal.Lists.
Import ListNotations.
Open Scope R_scope.

(* ---- what is computed ---- *)
Fixpoint sticks_ok (k : nat) (P M restP restM : list Z) (head limit : Z) : bool := match k with
  | O => true
  | S k' => let head := (head + hd 0%Z restP)%Z in let restP := tl restP in let restM := tl restM in
    if (fst (cut restP M head) <=? limit)%Z then
    if (fst (cut P restM 0) <=? limit)%Z then sticks_ok k' P M restP restM head limit
    else false else false
  end.
(* room that delta leaves, in units of 1/(denominator * bottom * more) *)
Definition room_for (den atom dn dd bottom more : Z) : Z := ((dn * den - atom * dd) * bottom * more / dd)%Z.
Definition lattice_private (k : Z) (ws : list Z) (top bottom limit : Z) : bool :=
  let P := map (Z.mul bottom) ws in let M := map (Z.mul top) ws in
  (0 <=? limit)%Z && sticks_ok (Z.to_nat k) P M P M 0 limit.

(* ---- what it proves ---- *)
Section Lattice.
Variables (first : Z) (ws : list Z).
Hypothesis Hws : all_nonneg ws.
Notation W := (plain_weight first ws).

Lemma plain_nonneg c : 0 <= W c.
Proof. apply IZR_le. apply Hws. Qed.
Lemma plain_shift lo n f : wsum lo n (fun c => f (at_index ws (c - first)) c) =
  wsum (lo - first) n (fun j => f (at_index ws j) (j + first)%Z).
Proof.
  replace lo with (lo - first + first)%Z at 1 by lia. rewrite <- wsum_shift. apply wsum_ext. intros i _.
  replace (i + first - first)%Z with i by lia. reflexivity.
Qed.
Lemma plain_total lo n : wsum lo n W <= IZR (total ws 0).
Proof.
  rewrite <- total_sum. change (wsum lo n W) with (wsum lo n (fun c => IZR (at_index ws (c - first)))).
  rewrite (plain_shift lo n (fun w _ => IZR w)).
  apply wsum_hull; intros i; [apply IZR_le, Hws|]. intros Hi. rewrite at_out by lia. reflexivity.
Qed.
Lemma plain_reach e : 0 < e -> exists lo n, IZR (total ws 0) - e <= wsum lo n W.
Proof.
  intros He. exists first, (length ws). change (wsum first (length ws) W) with (wsum first (length ws) (fun c => IZR (at_index ws (c - first)))).
  rewrite (plain_shift first (length ws) (fun w _ => IZR w)).
  replace (first - first)%Z with 0%Z by lia. rewrite total_sum. lra.
Qed.
Lemma plain_loss (K : Z -> Z) : (forall c, (0 <= K c)%Z) ->
  forall lo n, wsum lo n (fun c => W c * IZR (K c)) <= IZR (zdot K ws first 0).
Proof.
  intros HK lo n. rewrite zdot_sum, Rplus_0_l. unfold plain_weight.
  rewrite (plain_shift lo n (fun w c => IZR w * IZR (K c))).
  eapply Rle_trans; [apply (wsum_hull _ _ 0 (length ws))|].
  - intros i. apply Rmult_le_pos; apply IZR_le; auto.
  - intros i Hi. rewrite at_out by lia. lra.
  - right. apply wsum_ext. intros. do 2 f_equal. f_equal. lia.
Qed.

Lemma sticks_all P M limit : all_nonneg P -> all_nonneg M ->
  forall k m restP restM head, (0 <= m)%Z ->
  (forall j, (0 <= j)%Z -> at_index restP j = at_index P (j + m)) ->
  (forall j, (0 <= j)%Z -> at_index restM j = at_index M (j + m)) ->
  IZR head = wsum 0 (Z.to_nat m) (fun j => IZR (at_index P j)) ->
  sticks_ok k P M restP restM head limit = true ->
  forall s, (m < s <= m + Z.of_nat k)%Z -> forall lo n,
    wsum lo n (fun j => Rmax 0 (IZR (at_index P j) - IZR (at_index M (j - s)))) <= IZR limit /\
    wsum lo n (fun j => Rmax 0 (IZR (at_index P j) - IZR (at_index M (j + s)))) <= IZR limit.
Proof.
  intros HP HM. induction k; intros m restP restM head Hm HrP HrM Hh H s Hs lo n; [lia|].
  cbn [sticks_ok] in H.
  destruct (Z.leb_spec (fst (cut (tl restP) M (head + hd 0%Z restP))) limit) as [E1|]; [|discriminate].
  destruct (Z.leb_spec (fst (cut P (tl restM) 0)) limit) as [E2|]; [|discriminate].
  assert (HrP' : forall j, (0 <= j)%Z -> at_index (tl restP) j = at_index P (j + (m + 1))).
  { intros. rewrite at_tl, HrP by lia. f_equal. lia. }
  assert (HrM' : forall j, (0 <= j)%Z -> at_index (tl restM) j = at_index M (j + (m + 1))).
  { intros. rewrite at_tl, HrM by lia. f_equal. lia. }
  assert (Hh' : IZR (head + hd 0%Z restP) = wsum 0 (Z.to_nat (m + 1)) (fun j => IZR (at_index P j))).
  { replace (Z.to_nat (m + 1)) with (Z.to_nat m + 1)%nat by lia. rewrite wsum_split, <- Hh, plus_IZR.
    f_equal. simpl. rewrite <- at_hd, HrP by lia. rewrite Rplus_0_r. do 2 f_equal. lia. }
  destruct (Z.eq_dec s (m + 1)) as [->|Hne].
  - apply IZR_le in E1, E2. split.
    + rewrite cut_sum in E1.
      2:{ intros j. destruct (Z.leb_spec 0 j); [rewrite HrP' by auto; apply HP | rewrite at_out by lia; lia]. }
      rewrite Hh' in E1. set (a := Z.to_nat (m + 1)) in *. set (L := length (tl restP)) in *.
      eapply Rle_trans; [|exact E1]. eapply Rle_trans; [apply (wsum_hull _ _ 0 (a + L))|].
      * intros. apply Rmax_l.
      * intros i Hi. replace (at_index P i) with 0%Z.
        { specialize (HM (i - (m + 1))%Z). apply IZR_le in HM. rewrite Rmax_left; lra. }
        destruct (Z.ltb_spec i 0); [rewrite at_out by lia; auto|].
        replace i with (i - (m + 1) + (m + 1))%Z by lia. rewrite <- HrP' by lia. rewrite at_out; auto. unfold L in *. lia.
      * rewrite wsum_split. apply Rplus_le_compat.
        { apply wsum_le. intros i Hi. rewrite (at_out M) by (unfold a in *; lia).
          specialize (HP i). apply IZR_le in HP. rewrite Rmax_right; lra. }
        { right. rewrite <- wsum_shift. apply wsum_ext. intros i Hi. unfold gap. rewrite HrP' by lia.
          replace (i + Z.of_nat a)%Z with (i + (m + 1))%Z by lia. replace (i + (m + 1) - (m + 1))%Z with i by lia. reflexivity. }
    + rewrite cut_sum in E2 by auto. rewrite Rplus_0_l in E2. eapply Rle_trans; [|exact E2].
      eapply Rle_trans; [apply (wsum_hull _ _ 0 (length P))|].
      * intros. apply Rmax_l.
      * intros i Hi. rewrite (at_out P) by lia. specialize (HM (i + (m + 1))%Z). apply IZR_le in HM. rewrite Rmax_left; lra.
      * right. apply wsum_ext. intros i Hi. unfold gap. rewrite HrM' by lia. reflexivity.
  - apply (IHk (m + 1)%Z (tl restP) (tl restM) (head + hd 0%Z restP)%Z); auto; lia.
Qed.

Lemma lattice_private_sound k top bottom limit E : lattice_private k ws top bottom limit = true ->
  (0 < bottom)%Z -> (0 <= top)%Z -> IZR top / IZR bottom <= E -> 1 <= E ->
  0 <= IZR limit / IZR bottom /\
  forall m, (Z.abs m <= k)%Z -> forall lo n,
    wsum lo n (fun c => Rmax 0 (W c - E * W (c - m)%Z)) <= IZR limit / IZR bottom.
Proof.
  unfold lattice_private. rewrite andb_true_iff, Z.leb_le. intros [Hl H] Hb Ht HE H1.
  apply IZR_lt in Hb as Hbr. apply IZR_le in Hl.
  assert (Hroom : 0 <= IZR limit / IZR bottom) by (apply Rmult_le_pos; auto; left; apply Rinv_0_lt_compat; auto).
  split; auto. intros m Hm lo n.
  set (P := map (Z.mul bottom) ws) in *. set (M := map (Z.mul top) ws) in *.
  destruct (Z.eq_dec m 0) as [->|Hm0].
  - rewrite wsum_zero; auto. intros c _. rewrite Z.sub_0_r. pose proof (plain_nonneg c).
    assert (1 * W c <= E * W c) by (apply Rmult_le_compat_r; auto). rewrite Rmax_left; lra.
  - assert (HP : all_nonneg P) by (apply all_map; auto; lia).
    assert (HM : all_nonneg M) by (apply all_map; auto; lia).
    pose proof (sticks_all P M limit HP HM (Z.to_nat k) 0%Z P M 0%Z ltac:(lia)
      ltac:(intros; f_equal; lia) ltac:(intros; f_equal; lia) ltac:(reflexivity) H (Z.abs m) ltac:(lia) (lo - first)%Z n) as [K1 K2].
    assert (K : wsum (lo - first) n (fun j => Rmax 0 (IZR (at_index P j) - IZR (at_index M (j - m)))) <= IZR limit).
    { destruct (Z_le_gt_dec 0 m).
      - rewrite Z.abs_eq in K1 by lia. exact K1.
      - rewrite Z.abs_neq in K2 by lia. eapply Rle_trans; [|exact K2]. right. apply wsum_ext. intros.
        replace (i - m)%Z with (i + - m)%Z by lia. reflexivity. }
    apply Rmult_le_reg_l with (IZR bottom); auto.
    replace (IZR bottom * (IZR limit / IZR bottom)) with (IZR limit) by (field; lra).
    eapply Rle_trans; [|exact K]. rewrite <- wsum_scale.
    replace lo with (lo - first + first)%Z at 1 by lia. rewrite <- wsum_shift. apply wsum_le. intros i _.
    rewrite <- RmaxRmult by lra. rewrite Rmult_0_r. unfold plain_weight.
    replace (i + first - first)%Z with i by lia. replace (i + first - m - first)%Z with (i - m)%Z by lia.
    unfold P, M. rewrite !at_map, !mult_IZR.
    apply Rle_max_compat_l. rewrite Rmult_minus_distr_l. apply Rplus_le_compat_l. apply Ropp_le_contravar.
    rewrite <- Rmult_assoc. apply Rmult_le_compat_r; [apply IZR_le, Hws|].
    apply Rmult_le_reg_r with (/ IZR bottom); [apply Rinv_0_lt_compat; auto|].
    replace (IZR bottom * E * / IZR bottom) with E by (field; lra). exact HE.
Qed.
End Lattice.
