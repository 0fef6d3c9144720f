(* Where the noise of a file can be, and whether it is its own mirror image. *)
Require Import Reals ZArith List Bool Lra Lia.
Require Import Formal.Statements Formal.Masses Formal.Lists Formal.Tail Formal.Mesh.
Import ListNotations.
Open Scope Z_scope.

(* ---- what is computed ---- *)
(* From mark a to mark b (half grid steps): the marks themselves, or the grid points that noise between
   them is rounded to. *)
Definition left_point (fine : bool) (a : Z) : Z := if fine then a else (a + 1) / 2.
Definition right_point (fine : bool) (b : Z) : Z := if fine then b else b / 2.
(* points i, ..., j are between the ends *)
Definition within (lo hi : option Z) (i j : Z) : bool :=
  match lo with Some l => l <=? i | None => true end && match hi with Some h => j <=? h | None => true end.
Fixpoint cells_inside (fine : bool) (lo hi : option Z) (r c : Z) (ws : list Z) : bool := match ws with
  | [] => true
  | w :: t => if (w =? 0) || within lo hi (left_point fine ((2 * c - 1) * r)) (right_point fine ((2 * c + 1) * r)) then cells_inside fine lo hi r (c + 1) t else false
  end.
Fixpoint mesh_inside (fine : bool) (lo hi : option Z) (marks ws : list Z) : bool := match marks, ws with
  | a :: ((b :: _) as rest), w :: ws' => if (w =? 0) || within lo hi (left_point fine a) (right_point fine b) then mesh_inside fine lo hi rest ws' else false
  | _, _ => true
  end.
Definition no_weight (ws : list Z) : bool := forallb (fun w => w =? 0) ws.
Definition noise_inside (fine : bool) (f : file) (lo hi : option Z) : bool :=
  ((atom f =? 0) || within lo hi 0 0) &&
  match noise f with
  | Lattice first ws => cells_inside fine lo hi (grid f) first ws
  | Tailed first ws n _ => let len := Z.of_nat (length ws) in
      (* on a side with an end nothing is continued; what is continued on the other is short of that end *)
      (no_weight (firstn (Z.to_nat n) ws) || match lo with None => within None hi 0 (right_point fine ((2 * first - 1) * grid f)) | Some _ => false end)
      && (no_weight (skipn (length ws - Z.to_nat n) ws) || match hi with None => within lo None (left_point fine ((2 * (first + len) - 1) * grid f)) 0 | Some _ => false end)
      && cells_inside fine lo hi (grid f) first ws
  | Mesh edges ws => mesh_inside fine lo hi (map (mark (grid f)) edges) ws
  end.
Fixpoint same (u v : list Z) : bool := match u, v with
  | [], [] => true | a :: u', b :: v' => if a =? b then same u' v' else false | _, _ => false end.
Definition padded (first : Z) (ws : list Z) : list Z :=
  let pad := 2 * first + Z.of_nat (length ws) - 1 in
  repeat 0 (Z.to_nat pad) ++ ws ++ repeat 0 (Z.to_nat (- pad)).
Definition noise_even (f : file) : bool := match noise f with
  | Lattice first ws => same (padded first ws) (rev (padded first ws))
  | Tailed first ws _ _ => (2 * first + Z.of_nat (length ws) - 1 =? 0) && same ws (rev ws)
  | Mesh edges ws => let marks := map (mark (grid f)) edges in same (map Z.opp (rev marks)) marks && same (rev ws) ws
  end.

(* ---- ends ---- *)
Lemma within_inner lo hi i j i' j' : within lo hi i j = true -> i <= i' -> j' <= j -> within lo hi i' j' = true.
Proof.
  unfold within. rewrite !andb_true_iff. intros [H1 H2] Hi Hj. split; [destruct lo|destruct hi]; auto; rewrite Z.leb_le in *; lia.
Qed.
Lemma left_mono fine a b : a <= b -> left_point fine a <= left_point fine b.
Proof. intros. destruct fine; auto. apply Z.div_le_mono; lia. Qed.
Lemma right_mono fine a b : a <= b -> right_point fine a <= right_point fine b.
Proof. intros. destruct fine; auto. apply Z.div_le_mono; lia. Qed.
Lemma cells_inside_ok fine lo hi r ws : forall c j, cells_inside fine lo hi r c ws = true -> at_index ws j <> 0 ->
  within lo hi (left_point fine ((2 * (c + j) - 1) * r)) (right_point fine ((2 * (c + j) + 1) * r)) = true.
Proof.
  induction ws as [|w ws IH]; intros c j H Hj; [rewrite at_nil in Hj; lia|]. cbn [cells_inside] in H. rewrite at_cons in Hj.
  destruct ((w =? 0) || _) eqn:E; [|discriminate]. destruct (Z.eqb_spec j 0) as [->|Hne].
  - rewrite orb_true_iff, Z.eqb_eq in E. destruct E as [E|E]; [lia|]. rewrite Z.add_0_r. exact E.
  - specialize (IH (c + 1) (j - 1) H Hj). replace (c + 1 + (j - 1)) with (c + j) in IH by lia. exact IH.
Qed.
Lemma mesh_inside_ok fine lo hi h marks : forall ws, mesh_inside fine lo hi marks ws = true -> mesh_weight marks ws h <> 0%R ->
  within lo hi (left_point fine h) (right_point fine (h + 1)) = true.
Proof.
  induction marks as [|a [|b ms] IH]; intros ws H Hh; [destruct ws; simpl in Hh; lra..|].
  destruct ws as [|w ws]; [simpl in Hh; lra|].
  change (mesh_inside fine lo hi (a :: b :: ms) (w :: ws)) with (if (w =? 0) || within lo hi (left_point fine a) (right_point fine b) then mesh_inside fine lo hi (b :: ms) ws else false) in H.
  change (mesh_weight (a :: b :: ms) (w :: ws) h) with (if (a <=? h) && (h <? b) then (IZR w / IZR (b - a))%R else mesh_weight (b :: ms) ws h) in Hh.
  destruct ((w =? 0) || _) eqn:E; [|discriminate]. destruct ((a <=? h) && (h <? b)) eqn:K; [|apply (IH ws); auto].
  rewrite andb_true_iff, Z.leb_le, Z.ltb_lt in K. rewrite orb_true_iff, Z.eqb_eq in E. destruct E as [->|E].
  - exfalso. apply Hh. unfold Rdiv. rewrite Rmult_0_l. reflexivity.
  - apply (within_inner _ _ _ _ _ _ E); [apply left_mono | apply right_mono]; lia.
Qed.
Lemma no_weight_at ws j : no_weight ws = true -> at_index ws j = 0.
Proof.
  unfold no_weight. intros H. revert j. induction ws as [|w ws IH]; intros j; [apply at_nil|]. cbn [forallb] in H. rewrite andb_true_iff, Z.eqb_eq in H.
  rewrite at_cons. destruct (j =? 0); [apply H | apply IH, H].
Qed.
Definition period_ok (f : file) : Prop := match noise f with Tailed _ ws n _ => 0 < n <= Z.of_nat (length ws) | _ => True end.
Lemma half_inside fine f lo hi h : 0 < grid f -> period_ok f -> noise_inside fine f lo hi = true -> half_step (noise f) (grid f) h <> 0%R ->
  within lo hi (left_point fine h) (right_point fine (h + 1)) = true.
Proof.
  intros Hr Hper. unfold noise_inside. rewrite andb_true_iff. intros [_ H] Hh. unfold period_ok in Hper. set (r := grid f) in *.
  destruct (noise f) as [first ws|first ws n q|edges ws]; cbn [half_step] in Hh.
  - set (c := (h + r) / (2 * r)) in *. assert (Hc : at_index ws (c - first) <> 0).
    { intros K. apply Hh. unfold plain_weight. rewrite K. unfold Rdiv. rewrite Rmult_0_l. reflexivity. }
    pose proof (cells_inside_ok fine lo hi r ws first (c - first) H Hc) as K. replace (first + (c - first)) with c in K by lia.
    pose proof (Z.div_mod (h + r) (2 * r) ltac:(lia)) as D. pose proof (Z.mod_pos_bound (h + r) (2 * r) ltac:(lia)) as M. fold c in D.
    apply (within_inner _ _ _ _ _ _ K); [apply left_mono | apply right_mono]; nia.
  - rewrite !andb_true_iff, !orb_true_iff in H. destruct H as [[HL HR] H]. set (c := (h + r) / (2 * r)) in *. set (len := Z.of_nat (length ws)) in *.
    assert (Hc : tailed_weight first ws n (ratio q) c <> 0%R) by (intros K; apply Hh; rewrite K; unfold Rdiv; apply Rmult_0_l).
    pose proof (Z.div_mod (h + r) (2 * r) ltac:(lia)) as D. pose proof (Z.mod_pos_bound (h + r) (2 * r) ltac:(lia)) as M. fold c in D.
    unfold tailed_weight in Hc. fold len in Hc. destruct (Z.ltb_spec (c - first) 0) as [C|C]; [|destruct (Z.ltb_spec (c - first) len) as [C'|C']].
    + destruct HL as [HL|HL].
      * exfalso. apply Hc. pose proof (Z.mod_pos_bound (c - first) n ltac:(lia)) as B. rewrite <- (at_firstn (Z.to_nat n)) by lia. rewrite no_weight_at by auto. apply Rmult_0_r.
      * destruct lo; [discriminate|]. unfold within in *. cbn [andb] in *. destruct hi; auto. rewrite Z.leb_le in *. eapply Z.le_trans; [|exact HL]. apply right_mono; nia.
    + assert (Hj : at_index ws (c - first) <> 0) by (intros K; apply Hc; rewrite K; reflexivity).
      pose proof (cells_inside_ok fine lo hi r ws first (c - first) H Hj) as K. replace (first + (c - first)) with c in K by lia.
      apply (within_inner _ _ _ _ _ _ K); [apply left_mono | apply right_mono]; nia.
    + destruct HR as [HR|HR].
      * exfalso. apply Hc. pose proof (Z.mod_pos_bound (c - first - len) n ltac:(lia)) as B.
        replace (len - n + (c - first - len) mod n) with ((c - first - len) mod n + Z.of_nat (length ws - Z.to_nat n)) by (unfold len in *; lia).
        rewrite <- at_skipn by lia. rewrite no_weight_at by auto. apply Rmult_0_r.
      * destruct hi; [discriminate|]. unfold within in *. rewrite andb_true_r in *. destruct lo; auto. rewrite Z.leb_le in *. eapply Z.le_trans; [exact HR|]. apply left_mono; nia.
  - apply (mesh_inside_ok fine lo hi h _ ws H Hh).
Qed.
Theorem mass_inside f lo hi i : 0 < grid f -> period_ok f -> noise_inside false f lo hi = true -> mass f i <> 0%R -> within lo hi i i = true.
Proof.
  intros Hr Hper H Hm.
  assert (E1 : (2 * i - 1 + 1) / 2 = i) by (replace (2 * i - 1 + 1) with (i * 2) by lia; apply Z.div_mul; lia).
  assert (E2 : (2 * i + 1) / 2 = i) by (replace (2 * i + 1) with (1 + i * 2) by lia; rewrite Z.div_add by lia; reflexivity).
  destruct (Req_dec (half_step (noise f) (grid f) (2 * i - 1)) 0) as [K1|K1].
  2:{ pose proof (half_inside false f lo hi _ Hr Hper H K1) as K. unfold left_point, right_point in K. rewrite E1 in K. exact K. }
  destruct (Req_dec (half_step (noise f) (grid f) (2 * i)) 0) as [K2|K2].
  2:{ pose proof (half_inside false f lo hi _ Hr Hper H K2) as K. unfold left_point, right_point in K. rewrite E2 in K. exact K. }
  unfold mass in Hm. rewrite K1, K2 in Hm. unfold noise_inside in H. rewrite andb_true_iff, orb_true_iff, Z.eqb_eq in H. destruct H as [H _].
  destruct (Z.eqb_spec i 0) as [->|]; [destruct H as [H|H]; auto; rewrite H in Hm|]; exfalso; apply Hm; unfold Rdiv; ring.
Qed.

(* ---- mirror images ---- *)
Lemma same_eq u : forall v, same u v = true -> u = v.
Proof.
  induction u as [|a u IH]; intros [|b v] H; simpl in H; try discriminate; auto. destruct (Z.eqb_spec a b) as [->|]; [|discriminate].
  rewrite (IH v H). reflexivity.
Qed.
Lemma at_rev ws j : at_index (rev ws) j = at_index ws (Z.of_nat (length ws) - 1 - j).
Proof.
  unfold at_index. destruct (Z.ltb_spec j 0), (Z.ltb_spec (Z.of_nat (length ws) - 1 - j) 0); auto.
  - symmetry. apply nth_overflow. lia.
  - apply nth_overflow. rewrite rev_length. lia.
  - rewrite rev_nth by lia. f_equal. lia.
Qed.
Lemma at_zeros n j : at_index (repeat 0 n) j = 0.
Proof. unfold at_index. destruct (j <? 0); auto. apply nth_repeat. Qed.
Lemma at_padded a ws b j : at_index (repeat 0 a ++ ws ++ repeat 0 b) j = at_index ws (j - Z.of_nat a).
Proof.
  destruct (Z.ltb_spec j 0); [rewrite !at_out by lia; reflexivity|]. rewrite at_app, repeat_length by auto.
  destruct (Z.ltb_spec j (Z.of_nat a)); [rewrite at_zeros, at_out by lia; reflexivity|]. rewrite at_app by lia.
  destruct (Z.ltb_spec (j - Z.of_nat a) (Z.of_nat (length ws))); auto. rewrite at_zeros, at_out by lia. reflexivity.
Qed.
Lemma plain_even first ws c : same (padded first ws) (rev (padded first ws)) = true -> plain_weight first ws (- c) = plain_weight first ws c.
Proof.
  intros H. apply same_eq in H. unfold plain_weight, padded in *. set (pad := 2 * first + Z.of_nat (length ws) - 1) in *.
  set (a := Z.to_nat pad) in *. set (b := Z.to_nat (- pad)) in *. f_equal.
  replace (- c - first) with (- c - first + Z.of_nat a - Z.of_nat a) by lia. replace (c - first) with (c - first + Z.of_nat a - Z.of_nat a) by lia.
  rewrite <- (at_padded a ws b). rewrite <- (at_padded a ws b (c - first + Z.of_nat a)).
  set (P := repeat 0 a ++ ws ++ repeat 0 b) in *. rewrite H at 1. rewrite at_rev. f_equal. unfold P. rewrite !app_length, !repeat_length. unfold pad, a, b in *. lia.
Qed.
Lemma tailed_even first n a b ws : tail_ok n ws a b = true -> 2 * first + Z.of_nat (length ws) - 1 = 0 -> ws = rev ws ->
  forall N c, Z.abs c <= Z.of_nat N -> tailed_weight first ws n (ratio (a, b)) (- c) = tailed_weight first ws n (ratio (a, b)) c.
Proof.
  intros Hok Hf Hrev N. destruct (tail_facts n a b ws Hok) as (Hn & _). set (len := Z.of_nat (length ws)) in *.
  assert (Hbody : forall c, first <= c < first + len -> tailed_weight first ws n (ratio (a, b)) (- c) = tailed_weight first ws n (ratio (a, b)) c).
  { intros c Hc. replace (- c) with (first + (- c - first)) by lia. replace c with (first + (c - first)) at 2 by lia.
    rewrite !tailed_body by (auto; fold len; lia). f_equal. rewrite Hrev at 1. rewrite at_rev. fold len. f_equal. lia. }
  induction N as [|N IH]; intros c Hc; [replace c with 0 by lia; reflexivity|].
  assert (Hout : forall c, first + len <= c <= Z.of_nat (S N) -> tailed_weight first ws n (ratio (a, b)) (- c) = tailed_weight first ws n (ratio (a, b)) c).
  { intros d Hd. rewrite (tailed_right first n a b ws Hok d) by (fold len; lia). rewrite (tailed_left first n a b ws Hok (- d)) by lia.
    f_equal. replace (- d + n) with (- (d - n)) by lia. apply IH. lia. }
  destruct (Z_lt_ge_dec c first); [|destruct (Z_lt_ge_dec c (first + len))].
  - specialize (Hout (- c) ltac:(lia)). rewrite Z.opp_involutive in Hout. auto.
  - apply Hbody. lia.
  - apply Hout. lia.
Qed.
(* a mesh as a sum over its cells *)
Fixpoint mesh_sum_at (marks ws : list Z) (h : Z) : R := match marks, ws with
  | a :: ((b :: _) as rest), w :: ws' => ((if (a <=? h) && (h <? b) then IZR w / IZR (b - a) else 0) + mesh_sum_at rest ws' h)%R
  | _, _ => 0%R end.
Lemma mesh_sum_before L marks : forall ws h, mesh_ok L marks ws = true -> h < hd 0 marks -> mesh_sum_at marks ws h = 0%R.
Proof.
  induction marks as [|a [|b ms] IH]; intros ws h H Hh; [destruct ws; reflexivity..|]. destruct ws as [|w ws]; [reflexivity|].
  change (mesh_ok L (a :: b :: ms) (w :: ws)) with (if (a <? b) && (0 <=? w) && (L mod (b - a) =? 0) then mesh_ok L (b :: ms) ws else false) in H.
  destruct ((a <? b) && (0 <=? w) && (L mod (b - a) =? 0)) eqn:E; [|discriminate]. rewrite !andb_true_iff, Z.ltb_lt in E. simpl hd in Hh.
  change (mesh_sum_at (a :: b :: ms) (w :: ws) h) with ((if (a <=? h) && (h <? b) then IZR w / IZR (b - a) else 0) + mesh_sum_at (b :: ms) ws h)%R.
  rewrite IH by (auto; simpl; lia). destruct (Z.leb_spec a h); [lia|]. cbn [andb]. ring.
Qed.
Lemma mesh_weight_sum L marks : forall ws h, mesh_ok L marks ws = true -> mesh_weight marks ws h = mesh_sum_at marks ws h.
Proof.
  induction marks as [|a [|b ms] IH]; intros ws h H; [destruct ws; reflexivity..|]. destruct ws as [|w ws]; [reflexivity|].
  change (mesh_ok L (a :: b :: ms) (w :: ws)) with (if (a <? b) && (0 <=? w) && (L mod (b - a) =? 0) then mesh_ok L (b :: ms) ws else false) in H.
  destruct ((a <? b) && (0 <=? w) && (L mod (b - a) =? 0)); [|discriminate].
  change (mesh_sum_at (a :: b :: ms) (w :: ws) h) with ((if (a <=? h) && (h <? b) then IZR w / IZR (b - a) else 0) + mesh_sum_at (b :: ms) ws h)%R.
  change (mesh_weight (a :: b :: ms) (w :: ws) h) with (if (a <=? h) && (h <? b) then (IZR w / IZR (b - a))%R else mesh_weight (b :: ms) ws h).
  destruct ((a <=? h) && (h <? b)) eqn:E.
  - rewrite andb_true_iff, Z.ltb_lt in E. rewrite (mesh_sum_before L) by (auto; simpl; lia). ring.
  - rewrite IH by auto. ring.
Qed.
Lemma mesh_sum_snoc ms : forall ws y x w h, length ws = length ms ->
  mesh_sum_at (ms ++ [y; x]) (ws ++ [w]) h = (mesh_sum_at (ms ++ [y]) ws h + (if (y <=? h)%Z && (h <? x)%Z then IZR w / IZR (x - y) else 0))%R.
Proof.
  induction ms as [|a ms IH]; intros ws y x w h Hl; destruct ws as [|v ws]; simpl in Hl; try discriminate.
  - simpl. ring.
  - specialize (IH ws y x w h ltac:(lia)). destruct ms as [|b ms].
    + destruct ws; [|discriminate]. simpl in *. lra.
    + change ((a :: b :: ms) ++ [y; x]) with (a :: b :: (ms ++ [y; x])). change ((a :: b :: ms) ++ [y]) with (a :: b :: (ms ++ [y])). change ((v :: ws) ++ [w]) with (v :: (ws ++ [w])).
      change ((b :: ms) ++ [y; x]) with (b :: (ms ++ [y; x])) in IH. change ((b :: ms) ++ [y]) with (b :: (ms ++ [y])) in IH.
      change (mesh_sum_at (a :: b :: (ms ++ [y; x])) (v :: (ws ++ [w])) h) with ((if (a <=? h) && (h <? b) then IZR v / IZR (b - a) else 0) + mesh_sum_at (b :: (ms ++ [y; x])) (ws ++ [w]) h)%R.
      change (mesh_sum_at (a :: b :: (ms ++ [y])) (v :: ws) h) with ((if (a <=? h) && (h <? b) then IZR v / IZR (b - a) else 0) + mesh_sum_at (b :: (ms ++ [y])) ws h)%R.
      rewrite IH. ring.
Qed.
Lemma mesh_sum_mirror marks : forall ws h, S (length ws) = length marks ->
  mesh_sum_at (map Z.opp (rev marks)) (rev ws) (-1 - h) = mesh_sum_at marks ws h.
Proof.
  induction marks as [|a [|b ms] IH]; intros ws h Hl; destruct ws as [|w ws]; simpl in Hl; try discriminate.
  - reflexivity.
  - specialize (IH ws h ltac:(simpl; lia)).
    change (mesh_sum_at (a :: b :: ms) (w :: ws) h) with ((if (a <=? h) && (h <? b) then IZR w / IZR (b - a) else 0) + mesh_sum_at (b :: ms) ws h)%R.
    rewrite <- IH. cbn [rev]. rewrite !map_app, <- app_assoc. cbn [map app].
    rewrite mesh_sum_snoc by (rewrite map_length, !rev_length; lia). rewrite Rplus_comm. f_equal.
    replace (- a - - b) with (b - a) by lia.
    destruct (Z.leb_spec (- b) (-1 - h)), (Z.ltb_spec (-1 - h) (- a)), (Z.leb_spec a h), (Z.ltb_spec h b); simpl; auto; lia.
Qed.
Lemma mesh_lengths L marks : forall ws, mesh_ok L marks ws = true -> S (length ws) = length marks.
Proof.
  induction marks as [|a [|b ms] IH]; intros ws H; [destruct ws; discriminate|destruct ws; [reflexivity|discriminate]|].
  destruct ws as [|w ws]; [discriminate|].
  change (mesh_ok L (a :: b :: ms) (w :: ws)) with (if (a <? b) && (0 <=? w) && (L mod (b - a) =? 0) then mesh_ok L (b :: ms) ws else false) in H.
  destruct ((a <? b) && (0 <=? w) && (L mod (b - a) =? 0)); [|discriminate]. simpl. rewrite (IH ws H). reflexivity.
Qed.
(* half step h and its mirror image, -1 - h *)
Lemma even_cell r h : 0 < r -> (-1 - h + r) / (2 * r) = - ((h + r) / (2 * r)).
Proof.
  intros Hr. pose proof (Z.div_mod (h + r) (2 * r) ltac:(lia)) as D. pose proof (Z.mod_pos_bound (h + r) (2 * r) ltac:(lia)) as M.
  symmetry. apply (Z.div_unique (-1 - h + r) (2 * r) _ (2 * r - 1 - (h + r) mod (2 * r))); lia.
Qed.
Lemma mass_even f : (forall h, half_step (noise f) (grid f) (-1 - h) = half_step (noise f) (grid f) h) -> forall i, mass f (- i) = mass f i.
Proof.
  intros H i. unfold mass. rewrite <- (H (2 * - i - 1)), <- (H (2 * - i)).
  replace (-1 - (2 * - i - 1)) with (2 * i) by lia. replace (-1 - 2 * - i) with (2 * i - 1) by lia.
  destruct (Z.eqb_spec i 0), (Z.eqb_spec (- i) 0); try lia; f_equal; ring.
Qed.
