(* Noise of a file that rises up to a place and falls after it, and noise whose mean is 0. *)
Require Import Reals ZArith List Bool Lra Lia.
Require Import Formal.Statements Formal.Laws Formal.Masses Formal.Lists Formal.Tail Formal.Mesh Formal.Shape.
Import ListNotations.
Open Scope Z_scope.

(* ---- what is computed ---- *)
(* Between half steps h - 1 and h: from `falls` on the noise does not rise, up to `rises` it does not fall. *)
Definition step_ok (rises falls h before after : Z) : bool :=
  ((h <? falls) || (after <=? before)) && ((rises <? h) || (before <=? after)).
(* cells of 2r half steps, the first of them cell c, after a cell of weight prev *)
Fixpoint cells_peaked (rises falls r c prev : Z) (ws : list Z) : bool := match ws with
  | [] => true
  | w :: t => if step_ok rises falls ((2 * c - 1) * r) prev w then cells_peaked rises falls r (c + 1) w t else false
  end.
Fixpoint mesh_peaked (rises falls prev : Z) (marks ds : list Z) : bool := match marks, ds with
  | a :: rest, d :: ds' => if step_ok rises falls a prev d then mesh_peaked rises falls d rest ds' else false
  | [a], [] => step_ok rises falls a prev 0
  | _, _ => false
  end.
Definition noise_peaked (f : file) (rises falls : Z) : bool := let r := grid f in match noise f with
  | Lattice first ws => cells_peaked rises falls r first 0 (ws ++ [0])
  | Tailed first ws n (a, b) => let len := Z.of_nat (length ws) in
      (* the place is among the listed cells; two periods on either side are looked at *)
      (falls <=? (2 * (first + len) + 1) * r) && (rises <? (2 * (first + len) + 1) * r)
      && ((2 * first - 3) * r <=? rises) && ((2 * first - 3) * r <? falls) &&
      match extended ws (Z.to_nat n) a b with [] => false | w :: t => cells_peaked rises falls r (first - 2 * n + 1) w t end
  | Mesh edges ws => let marks := map (mark r) edges in
      mesh_peaked rises falls 0 marks (densities (common marks 1) marks ws)
  end.

(* ---- rising and falling ---- *)
Section Steps.
Variables rises falls : Z.
Open Scope R_scope.
Definition good_step (h : Z) (before after : R) := ((falls <= h)%Z -> after <= before) /\ ((h <= rises)%Z -> before <= after).
Lemma step_good h u v : step_ok rises falls h u v = true -> good_step h (IZR u) (IZR v).
Proof.
  unfold step_ok. rewrite andb_true_iff, !orb_true_iff, !Z.ltb_lt, !Z.leb_le. intros [A B].
  split; intros H; apply IZR_le; lia.
Qed.
Lemma good_same h x : good_step h x x.
Proof. split; lra. Qed.
Lemma good_scaled h u v k : 0 <= k -> good_step h u v -> good_step h (k * u) (k * v).
Proof. intros Hk [A B]. split; intros H; apply Rmult_le_compat_l; auto. Qed.
Lemma cells_peaked_ok r ws : forall c prev, cells_peaked rises falls r c prev ws = true -> forall j, (0 <= j < Z.of_nat (length ws))%Z ->
  good_step ((2 * (c + j) - 1) * r) (IZR (at_index (prev :: ws) j)) (IZR (at_index ws j)).
Proof.
  induction ws as [|w ws IH]; intros c prev H j Hj; cbn [cells_peaked length] in *; [lia|].
  destruct (step_ok rises falls ((2 * c - 1) * r) prev w) eqn:E; [|discriminate]. rewrite !at_cons. destruct (Z.eqb_spec j 0) as [->|Hne].
  - rewrite Z.add_0_r. apply step_good; auto.
  - specialize (IH (c + 1)%Z w H (j - 1)%Z ltac:(lia)). replace (c + 1 + (j - 1))%Z with (c + j)%Z in IH by lia. rewrite at_cons in IH. exact IH.
Qed.
(* cells of 2r half steps: only between cells is there a step *)
Lemma spread_peaked W r : (0 < r)%Z -> (forall c, good_step ((2 * c - 1) * r) (W (c - 1)%Z) (W c)) ->
  forall h, good_step h (W ((h - 1 + r) / (2 * r))%Z / IZR (2 * r)) (W ((h + r) / (2 * r))%Z / IZR (2 * r)).
Proof.
  intros Hr H h. assert (Hp : 0 < / IZR (2 * r)) by (apply Rinv_0_lt_compat, IZR_lt; lia).
  unfold Rdiv. rewrite !(Rmult_comm _ (/ _)). apply good_scaled; [lra|].
  pose proof (Z.div_mod (h + r) (2 * r) ltac:(lia)) as D. pose proof (Z.mod_pos_bound (h + r) (2 * r) ltac:(lia)) as M.
  set (c := ((h + r) / (2 * r))%Z) in *. destruct (Z.eq_dec ((h + r) mod (2 * r)) 0) as [E|E].
  - replace ((h - 1 + r) / (2 * r))%Z with (c - 1)%Z by (apply (Z.div_unique _ _ _ (2 * r - 1)); lia).
    specialize (H c). replace ((2 * c - 1) * r)%Z with h in H by lia. exact H.
  - replace ((h - 1 + r) / (2 * r))%Z with c by (apply (Z.div_unique _ _ _ ((h + r) mod (2 * r) - 1)); lia). apply good_same.
Qed.
Lemma plain_peaked r first ws : cells_peaked rises falls r first 0 (ws ++ [0%Z]) = true ->
  forall c, good_step ((2 * c - 1) * r) (plain_weight first ws (c - 1)) (plain_weight first ws c).
Proof.
  intros H c. pose proof (cells_peaked_ok r _ _ _ H (c - first)%Z) as K. rewrite app_length in K. cbn [length] in K. unfold plain_weight.
  destruct (Z_lt_ge_dec (c - first) 0); [rewrite !at_out by lia; apply good_same|].
  destruct (Z_lt_ge_dec (Z.of_nat (length ws)) (c - first)); [rewrite !at_out by lia; apply good_same|]. specialize (K ltac:(lia)).
  assert (Z0 : forall k, at_index [0%Z] k = 0%Z) by (intros k; rewrite at_cons; destruct (k =? 0)%Z; auto; apply at_nil).
  assert (E : forall k, at_index (ws ++ [0%Z]) k = at_index ws k).
  { intros k. destruct (Z_lt_ge_dec k 0); [rewrite !at_out by lia; reflexivity|]. rewrite at_app by lia. destruct (Z.ltb_spec k (Z.of_nat (length ws))); auto.
    rewrite Z0, at_out by lia. reflexivity. }
  rewrite at_cons, !E in K. replace (first + (c - first))%Z with c in K by lia. destruct (Z.eqb_spec (c - first) 0) as [E0|E0].
  - rewrite (at_out ws (c - 1 - first)) by lia. exact K.
  - replace (c - first - 1)%Z with (c - 1 - first)%Z in K by lia. exact K.
Qed.
Lemma tail_peaked r first n a b ws : tail_ok n ws a b = true -> (0 < r)%Z -> let len := Z.of_nat (length ws) in
  (falls <= (2 * (first + len) + 1) * r)%Z -> (rises < (2 * (first + len) + 1) * r)%Z -> ((2 * first - 3) * r <= rises)%Z -> ((2 * first - 3) * r < falls)%Z ->
  match extended ws (Z.to_nat n) a b with [] => false | w :: t => cells_peaked rises falls r (first - 2 * n + 1) w t end = true ->
  let W := tailed_weight first ws n (ratio (a, b)) in forall c, good_step ((2 * c - 1) * r) (W (c - 1)%Z) (W c).
Proof.
  intros Hok Hr len Hf1 Hf2 Hr1 Hr2 H W. destruct (tail_facts n a b ws Hok) as (Hn & Hab & _). fold len in Hn.
  destruct (extended ws (Z.to_nat n) a b) as [|w t] eqn:E; [discriminate|].
  assert (Hl : Z.of_nat (length (w :: t)) = (len + 4 * n)%Z).
  { rewrite <- E. unfold extended. rewrite !app_length, !map_length, skipn_length, firstn_length. unfold len. lia. }
  cbn [length] in Hl. assert (Hb : 0 < IZR b * IZR b) by (apply Rmult_lt_0_compat; apply IZR_lt; lia).
  assert (In : forall c, (first - 2 * n + 1 <= c < first + len + 2 * n)%Z -> good_step ((2 * c - 1) * r) (W (c - 1)%Z) (W c)).
  { intros c Hc. pose proof (cells_peaked_ok r t _ _ H (c - (first - 2 * n + 1))%Z ltac:(lia)) as K.
    replace (first - 2 * n + 1 + (c - (first - 2 * n + 1)))%Z with c in K by lia.
    assert (At : forall d, (first - 2 * n <= d < first + len + 2 * n)%Z -> IZR (at_index (w :: t) (d - first + 2 * n)) = IZR b * IZR b * W d).
    { intros d Hd. rewrite <- E. rewrite (extended_at first n a b ws Hok) by (fold len; lia). fold W. replace (first + (d - first))%Z with d by lia. reflexivity. }
    pose proof (At (c - 1)%Z ltac:(lia)) as A1. pose proof (At c ltac:(lia)) as A2. rewrite at_cons in A2.
    destruct (Z.eqb_spec (c - first + 2 * n) 0); [lia|].
    replace (c - first + 2 * n - 1)%Z with (c - (first - 2 * n + 1))%Z in A2 by lia.
    replace (c - 1 - first + 2 * n)%Z with (c - (first - 2 * n + 1))%Z in A1 by lia. rewrite A1, A2 in K. clear - K Hb. destruct K as [K1 K2].
    split; intros Q; [specialize (K1 Q)|specialize (K2 Q)]; apply Rmult_le_reg_l with (IZR b * IZR b); auto. }
  assert (Hrho : 0 <= ratio (a, b)) by (pose proof (rho_unit n a b ws Hok); lra).
  assert (Mr : forall c, (first + len + 1 <= c)%Z -> ((2 * (first + len) + 1) * r <= (2 * c - 1) * r)%Z) by (intros; apply Z.mul_le_mono_nonneg_r; lia).
  assert (Ml : forall c, (c <= first - 1)%Z -> ((2 * c - 1) * r <= (2 * first - 3) * r)%Z) by (intros; apply Z.mul_le_mono_nonneg_r; lia).
  assert (Right : forall K c, (first + len + 1 <= c <= first + len + n + Z.of_nat K)%Z -> W c <= W (c - 1)%Z).
  { induction K as [|K IH]; intros c Hc; [apply (proj1 (In c ltac:(lia))); specialize (Mr c ltac:(lia)); lia|]. destruct (Z_le_gt_dec c (first + len + n)); [apply IH; lia|].
    unfold W. rewrite (tailed_right first n a b ws Hok c), (tailed_right first n a b ws Hok (c - 1)) by (fold len; lia). fold W.
    apply Rmult_le_compat_l; auto. replace (c - 1 - n)%Z with (c - n - 1)%Z by lia. apply IH. lia. }
  assert (Left : forall K c, (first - n - Z.of_nat K <= c <= first - 1)%Z -> W (c - 1)%Z <= W c).
  { induction K as [|K IH]; intros c Hc; [apply (proj2 (In c ltac:(lia))); specialize (Ml c ltac:(lia)); lia|]. destruct (Z_le_gt_dec (first - n) c); [apply IH; lia|].
    unfold W. rewrite (tailed_left first n a b ws Hok c), (tailed_left first n a b ws Hok (c - 1)) by lia. fold W.
    apply Rmult_le_compat_l; auto. replace (c - 1 + n)%Z with (c + n - 1)%Z by lia. apply IH. lia. }
  intros c. destruct (Z_le_gt_dec (first + len + 1) c) as [C1|C1]; [|destruct (Z_le_gt_dec c (first - 1)) as [C2|C2]; [|apply In; lia]].
  - specialize (Mr c C1). split; intros Q; [|lia]. apply (Right (Z.to_nat (c - first - len)) c). lia.
  - specialize (Ml c C2). split; intros Q; [lia|]. apply (Left (Z.to_nat (first - c)) c). lia.
Qed.
(* a mesh *)
Lemma mesh_peaked_ok marks : forall ds prev, rising marks ds -> mesh_peaked rises falls prev marks ds = true -> forall h, (hd 0%Z marks <= h)%Z ->
  good_step h (IZR (if (h =? hd 0%Z marks)%Z then prev else dz marks ds (h - 1))) (IZR (dz marks ds h)).
Proof.
  induction marks as [|a [|b ms] IH]; intros ds prev Hri H h Hh; [destruct ds; contradiction|destruct ds; [|contradiction]|].
  - cbn [mesh_peaked hd dz] in *. destruct (Z.eqb_spec h a) as [->|]; [apply step_good; auto | apply good_same].
  - destruct ds as [|d ds]; [contradiction|]. destruct Hri as (R1 & R2 & R3).
    change (mesh_peaked rises falls prev (a :: b :: ms) (d :: ds)) with (if step_ok rises falls a prev d then mesh_peaked rises falls d (b :: ms) ds else false) in H.
    destruct (step_ok rises falls a prev d) eqn:E; [|discriminate]. specialize (IH ds d R3 H). cbn [hd] in *.
    assert (D : forall k, dz (a :: b :: ms) (d :: ds) k = ((if ((a <=? k) && (k <? b))%Z then d else 0) + dz (b :: ms) ds k)%Z) by reflexivity.
    rewrite !D. destruct (Z_lt_ge_dec h b) as [L|L].
    + rewrite (dz_before (b :: ms) ds h), (dz_before (b :: ms) ds (h - 1)) by (auto; cbn [hd]; lia). rewrite !Z.add_0_r.
      replace (a <=? h)%Z with true by (symmetry; rewrite Z.leb_le; lia). replace (h <? b)%Z with true by (symmetry; rewrite Z.ltb_lt; lia).
      destruct (Z.eqb_spec h a) as [->|]; [apply step_good; auto|].
      replace (a <=? h - 1)%Z with true by (symmetry; rewrite Z.leb_le; lia). replace (h - 1 <? b)%Z with true by (symmetry; rewrite Z.ltb_lt; lia). apply good_same.
    + specialize (IH h ltac:(lia)). replace (h <? b)%Z with false by (symmetry; rewrite Z.ltb_ge; lia). rewrite andb_false_r, Z.add_0_l.
      destruct (Z.eqb_spec h a); [lia|]. revert IH. destruct (Z.eqb_spec h b) as [Eb|]; intros IH; [subst h|].
      * rewrite (dz_before (b :: ms) ds (b - 1)) by (auto; cbn [hd]; lia). replace (a <=? b - 1)%Z with true by (symmetry; rewrite Z.leb_le; lia).
        replace (b - 1 <? b)%Z with true by (symmetry; rewrite Z.ltb_lt; lia). cbn [andb]. rewrite Z.add_0_r. exact IH.
      * replace (h - 1 <? b)%Z with false by (symmetry; rewrite Z.ltb_ge; lia). rewrite andb_false_r, Z.add_0_l. exact IH.
Qed.
End Steps.

Open Scope R_scope.
Section Noise.
Variable f : file.
Hypothesis Hr : (0 < grid f)%Z.
Notation q := (half_step (noise f) (grid f)).
(* what the check of a file has seen of its cells *)
Hypothesis Hcells : match noise f with
  | Lattice _ _ => True
  | Tailed _ ws n (a, b) => tail_ok n ws a b = true
  | Mesh edges ws => let marks := map (mark (grid f)) edges in (0 < common marks 1)%Z /\ mesh_ok (common marks 1) marks ws = true end.

Theorem noise_peaked_ok rises falls : noise_peaked f rises falls = true -> forall h, good_step rises falls h (q (h - 1)%Z) (q h).
Proof.
  unfold noise_peaked. destruct (noise f) as [first ws|first ws n [a b]|edges ws]; cbn [half_step]; intros H h.
  - apply (spread_peaked rises falls (plain_weight first ws)); auto. apply plain_peaked; auto.
  - rewrite !andb_true_iff, !Z.leb_le, !Z.ltb_lt in H. destruct H as [[[[H1 H2] H3] H4] H5].
    apply (spread_peaked rises falls (tailed_weight first ws n (ratio (a, b)))); auto. apply tail_peaked; auto.
  - destruct Hcells as [HL Hm]. set (marks := map (mark (grid f)) edges) in *. set (L := common marks 1) in *. apply IZR_lt in HL as RL.
    pose proof (Mesh.rises L HL marks ws Hm) as Hri. rewrite !(ok_density marks ws L HL Hm). unfold Rdiv. rewrite !(Rmult_comm _ (/ _)).
    apply good_scaled; [left; apply Rinv_0_lt_compat; auto|]. destruct (Z_lt_ge_dec h (hd 0%Z marks)).
    + rewrite !dz_before by (auto; lia). apply good_same.
    + pose proof (mesh_peaked_ok rises falls marks _ 0 Hri H h ltac:(lia)) as K. destruct (Z.eqb_spec h (hd 0%Z marks)) as [E|]; auto.
      rewrite (dz_before marks _ (h - 1)) by (auto; lia). exact K.
Qed.
End Noise.
