(* Lists of whole numbers as functions of the index; sums and sums of excesses over lists. *)
Require Import Reals ZArith List Bool Lra Lia.
Require Import Formal.Statements Formal.Masses.
Import ListNotations.
Open Scope R_scope.

Fixpoint total (ws : list Z) (acc : Z) : Z := match ws with
  | [] => acc | w :: t => total t (acc + w) end.
Fixpoint nonneg (ws : list Z) : bool := match ws with
  | [] => true | w :: t => if (0 <=? w)%Z then nonneg t else false end.
(* sum of w_j K(x + j) *)
Fixpoint zdot (K : Z -> Z) (ws : list Z) (x acc : Z) : Z := match ws with
  | [] => acc | w :: t => zdot K t (x + 1) (acc + w * K x) end.
(* (acc + sum of max(0, u_i - v_i), what is left of v) *)
Fixpoint cut (u v : list Z) (acc : Z) : Z * list Z := match u, v with
  | [], _ => (acc, v)
  | a :: t, [] => cut t [] (acc + a)
  | a :: t, b :: s => cut t s (if (b <? a)%Z then (acc + (a - b))%Z else acc)
  end.

Definition all_nonneg (ws : list Z) := forall j, (0 <= at_index ws j)%Z.

Lemma at_cons w ws j : at_index (w :: ws) j = if (j =? 0)%Z then w else at_index ws (j - 1).
Proof.
  unfold at_index. destruct (Z.eqb_spec j 0) as [->|]; [reflexivity|].
  destruct (Z.ltb_spec j 0), (Z.ltb_spec (j - 1) 0); try lia; auto.
  replace (Z.to_nat j) with (S (Z.to_nat (j - 1))) by lia. reflexivity.
Qed.
Lemma at_nil j : at_index [] j = 0%Z.
Proof. unfold at_index. destruct (j <? 0)%Z; auto. destruct (Z.to_nat j); auto. Qed.
Lemma at_out ws j : (j < 0 \/ Z.of_nat (length ws) <= j)%Z -> at_index ws j = 0%Z.
Proof.
  intros H. unfold at_index. destruct (Z.ltb_spec j 0); auto. apply nth_overflow. lia.
Qed.
Lemma at_map c ws j : at_index (map (Z.mul c) ws) j = (c * at_index ws j)%Z.
Proof.
  unfold at_index. destruct (j <? 0)%Z; [lia|]. replace 0%Z with (c * 0)%Z at 1 by lia. apply map_nth.
Qed.
Lemma at_tl ws j : (0 <= j)%Z -> at_index (tl ws) j = at_index ws (j + 1).
Proof.
  intros. destruct ws as [|w ws]; simpl; [rewrite !at_nil; auto|]. rewrite at_cons.
  destruct (Z.eqb_spec (j + 1) 0); [lia|]. f_equal. lia.
Qed.
Lemma at_hd ws : at_index ws 0 = hd 0%Z ws.
Proof. destruct ws; reflexivity. Qed.
Lemma at_app u v j : (0 <= j)%Z -> at_index (u ++ v) j =
  if (j <? Z.of_nat (length u))%Z then at_index u j else at_index v (j - Z.of_nat (length u)).
Proof.
  intros Hj. unfold at_index. destruct (Z.ltb_spec j 0); [lia|].
  destruct (Z.ltb_spec j (Z.of_nat (length u))).
  - apply app_nth1. lia.
  - destruct (Z.ltb_spec (j - Z.of_nat (length u)) 0); [lia|]. rewrite app_nth2 by lia. f_equal. lia.
Qed.
Lemma at_firstn n ws j : (0 <= j < Z.of_nat n)%Z -> at_index (firstn n ws) j = at_index ws j.
Proof.
  intros H. unfold at_index. destruct (j <? 0)%Z; auto.
  rewrite <- (firstn_skipn n ws) at 2. destruct (Nat.lt_ge_cases (Z.to_nat j) (length (firstn n ws))).
  - rewrite app_nth1; auto.
  - rewrite (nth_overflow (firstn n ws)) by auto. rewrite nth_overflow; auto.
    rewrite app_length. rewrite firstn_length in H0. rewrite skipn_length, firstn_length. lia.
Qed.
Lemma at_skipn n ws j : (0 <= j)%Z -> at_index (skipn n ws) j = at_index ws (j + Z.of_nat n).
Proof.
  revert ws. induction n; intros ws H; simpl skipn; [f_equal; lia|].
  destruct ws as [|w ws]; [rewrite !at_nil; auto|]. rewrite IHn, at_cons by auto.
  destruct (Z.eqb_spec (j + Z.of_nat (S n)) 0); [lia|]. f_equal. lia.
Qed.

Lemma nonneg_all ws : nonneg ws = true -> all_nonneg ws.
Proof.
  induction ws as [|w ws IH]; simpl; intros H j; [rewrite at_nil; lia|].
  destruct (Z.leb_spec 0 w); [|discriminate]. rewrite at_cons. destruct (j =? 0)%Z; auto. apply IH; auto.
Qed.
Lemma all_tl ws : all_nonneg ws -> all_nonneg (tl ws).
Proof.
  intros H j. destruct (Z.leb_spec 0 j); [rewrite at_tl by auto; apply H|]. rewrite at_out by lia. lia.
Qed.
Lemma all_map c ws : (0 <= c)%Z -> all_nonneg ws -> all_nonneg (map (Z.mul c) ws).
Proof. intros Hc H j. rewrite at_map. specialize (H j). nia. Qed.

Lemma wsum_succ n f : wsum 0 (S n) f = f 0%Z + wsum 0 n (fun i => f (i + 1)%Z).
Proof. cbn [wsum]. rewrite wsum_shift. reflexivity. Qed.

Lemma total_acc ws : forall acc, total ws acc = (acc + total ws 0)%Z.
Proof. induction ws; simpl; intros; [lia|]. rewrite IHws, (IHws a). lia. Qed.
Lemma total_sum ws : wsum 0 (length ws) (fun j => IZR (at_index ws j)) = IZR (total ws 0).
Proof.
  induction ws as [|w ws IH]; [reflexivity|]. simpl length. rewrite wsum_succ. simpl total.
  rewrite total_acc, plus_IZR, <- IH, at_hd. simpl hd. f_equal. apply wsum_ext. intros i Hi.
  rewrite at_cons. destruct (Z.eqb_spec (i + 1) 0); [lia|]. do 2 f_equal. lia.
Qed.
Lemma zdot_sum K ws : forall x acc,
  IZR (zdot K ws x acc) = IZR acc + wsum 0 (length ws) (fun j => IZR (at_index ws j) * IZR (K (x + j)%Z)).
Proof.
  induction ws as [|w ws IH]; intros x acc; [simpl; lra|]. simpl length. rewrite wsum_succ. simpl zdot.
  rewrite IH, plus_IZR, mult_IZR, at_hd, Z.add_0_r. simpl hd. rewrite Rplus_assoc. do 2 f_equal.
  apply wsum_ext. intros i Hi. rewrite at_cons. destruct (Z.eqb_spec (i + 1) 0); [lia|].
  replace (i + 1 - 1)%Z with i by lia. replace (x + (i + 1))%Z with (x + 1 + i)%Z by lia. reflexivity.
Qed.

Definition gap (u v : list Z) (i : Z) : R := Rmax 0 (IZR (at_index u i) - IZR (at_index v i)).
Lemma gap_nonneg u v i : 0 <= gap u v i.
Proof. apply Rmax_l. Qed.
Lemma cut_sum u : forall v acc, all_nonneg u ->
  IZR (fst (cut u v acc)) = IZR acc + wsum 0 (length u) (gap u v).
Proof.
  induction u as [|a u IH]; intros v acc Hu; [simpl; lra|]. simpl length. rewrite wsum_succ.
  assert (Hu' : all_nonneg u) by (exact (all_tl _ Hu)). pose proof (Hu 0%Z) as Ha. rewrite at_hd in Ha. simpl in Ha.
  assert (Hg : forall v', wsum 0 (length u) (fun i => gap (a :: u) v' (i + 1)) = wsum 0 (length u) (gap u (tl v'))).
  { intros v'. apply wsum_ext. intros i Hi. unfold gap. rewrite at_tl by lia. rewrite at_cons.
    destruct (Z.eqb_spec (i + 1) 0); [lia|]. replace (i + 1 - 1)%Z with i by lia. reflexivity. }
  rewrite Hg. unfold gap at 1. rewrite !at_hd. destruct v as [|b v]; simpl; rewrite IH by auto.
  - rewrite plus_IZR. apply IZR_le in Ha. rewrite Rmax_right by lra. lra.
  - destruct (Z.ltb_spec b a).
    + apply IZR_lt in H. rewrite plus_IZR, minus_IZR, Rmax_right by lra. lra.
    + apply IZR_le in H. rewrite Rmax_left by lra. lra.
Qed.
Lemma cut_rest u : forall v acc j, (0 <= j)%Z ->
  at_index (snd (cut u v acc)) j = at_index v (j + Z.of_nat (length u)).
Proof.
  induction u as [|a u IH]; intros v acc j Hj; [simpl; f_equal; lia|]. destruct v as [|b v]; simpl cut.
  - rewrite IH, !at_nil by auto. reflexivity.
  - rewrite IH by auto. rewrite (at_cons b). simpl length.
    destruct (Z.eqb_spec (j + Z.of_nat (S (length u))) 0); [lia|]. f_equal. lia.
Qed.
Lemma gap_window u v lo n : all_nonneg v -> wsum lo n (gap u v) <= wsum 0 (length u) (gap u v).
Proof.
  intros Hv. apply wsum_hull; [apply gap_nonneg|]. intros i Hi. unfold gap. rewrite (at_out u) by lia.
  specialize (Hv i). apply IZR_le in Hv. rewrite Rmax_left; lra.
Qed.
