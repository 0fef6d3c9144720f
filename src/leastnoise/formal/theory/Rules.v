(* How often an output of the noise of a file rules a neighbour out: noise at i, moved by s, is where
   the noise never is.  That happens only near the ends of stretches without a hole. *)
Require Import Reals ZArith List Bool Lra Lia FunctionalExtensionality.
Require Import Formal.Statements Formal.Laws Formal.Masses Formal.Lists Formal.Mesh Formal.Release Formal.Losses Formal.Demands.
Import ListNotations.
Open Scope Z_scope.

(* ---- what is computed ---- *)
(* Noise goes on without a hole from the first mark to the number returned.  Of the weights those are
   kept from which K half steps to the right are not all within the stretch. *)
Fixpoint right_kept (K : Z) (marks ws : list Z) : Z * list Z := match marks, ws with
  | a :: ((b :: _) as rest), w :: ws' => let '(E, ks) := right_kept K rest ws' in
      (if 0 <? w then E else a, (if (0 <? w) && (b + K <=? E) then 0 else w) :: ks)
  | [a], _ => (a, [])
  | _, _ => (hd 0 marks, []) end.
(* the same to the left; the stretch before the first mark begins at E *)
Fixpoint left_kept (K E : Z) (marks ws : list Z) : list Z := match marks, ws with
  | a :: ((b :: _) as rest), w :: ws' =>
      (if (0 <? w) && (E <=? a - K) then 0 else w) :: left_kept K (if 0 <? w then E else b) rest ws'
  | _, _ => [] end.
(* half steps lo, ..., hi are all within cells that hold something *)
Fixpoint filled (lo hi : Z) (marks ws : list Z) : bool := match marks, ws with
  | a :: ((b :: _) as rest), w :: ws' => ((b <=? lo) || (hi <? a) || (0 <? w)) && filled lo hi rest ws'
  | _, _ => true end.
Definition covers (lo hi : Z) (marks ws : list Z) : bool := (hd 0 marks <=? lo) && (hi <? last marks 0) && filled lo hi marks ws.
(* a lattice is a mesh, too *)
Fixpoint lattice_marks (first r : Z) (ws : list Z) : list Z := (2 * first - 1) * r :: match ws with [] => [] | _ :: t => lattice_marks (first + 1) r t end.
Definition as_mesh (f : file) : option (Z * list Z * list Z) := let r := grid f in match noise f with
  | Lattice first ws => Some (2 * r, lattice_marks first r ws, ws)
  | Tailed _ _ _ _ => None
  | Mesh edges ws => let marks := map (mark r) edges in Some (common marks 1, marks, ws) end.
(* K half steps are the sensitivity or more *)
Definition seldom_ok (f : file) (K : Z) (q : Z * Z) : bool := match as_mesh f with
  | None => false
  | Some (L, marks, ws) =>
      let right := total (snd (right_kept K marks ws)) 0 + if covers 0 (K - 1) marks ws then 0 else atom f in
      let left := total (left_kept K (hd 0 marks) marks ws) 0 + if covers (- K) (-1) marks ws then 0 else atom f in
      (0 <? L) && (0 <=? K) && sound q && mesh_ok L marks ws && (right * snd q <=? fst q * denominator f) && (left * snd q <=? fst q * denominator f)
  end.

Open Scope R_scope.
Lemma mesh_step a b ms w ws h : mesh_weight (a :: b :: ms) (w :: ws) h = if ((a <=? h) && (h <? b))%Z then IZR w / IZR (b - a) else mesh_weight (b :: ms) ws h.
Proof. reflexivity. Qed.
Lemma ok_step L a b ms w ws : mesh_ok L (a :: b :: ms) (w :: ws) = true -> (a < b)%Z /\ (0 <= w)%Z /\ (L mod (b - a) = 0)%Z /\ mesh_ok L (b :: ms) ws = true.
Proof.
  change (mesh_ok L (a :: b :: ms) (w :: ws)) with (if ((a <? b) && (0 <=? w) && (L mod (b - a) =? 0))%Z then mesh_ok L (b :: ms) ws else false).
  destruct ((a <? b) && (0 <=? w) && (L mod (b - a) =? 0))%Z%bool eqn:E; [|discriminate]. rewrite !andb_true_iff, Z.ltb_lt, Z.leb_le, Z.eqb_eq in E. tauto.
Qed.
Lemma density_positive w a b : (a < b)%Z -> (0 < w)%Z -> 0 < IZR w / IZR (b - a).
Proof. intros H1 H2. apply Rmult_lt_0_compat; [apply IZR_lt; auto | apply Rinv_0_lt_compat, IZR_lt; lia]. Qed.

Lemma right_kept_ok L K marks : (0 <= K)%Z -> forall ws, mesh_ok L marks ws = true ->
  let '(E, ks) := right_kept K marks ws in mesh_ok L marks ks = true /\ (forall h, (hd 0%Z marks <= h < E)%Z -> 0 < mesh_weight marks ws h) /\
  forall h, (hd 0%Z marks <= h)%Z -> mesh_weight marks ks h = mesh_weight marks ws h \/ forall t, (0 <= t <= K)%Z -> 0 < mesh_weight marks ws (h + t).
Proof.
  intros HK. induction marks as [|a [|b ms] IH]; intros ws H; [destruct ws; discriminate|destruct ws; [|discriminate]|].
  - cbn [right_kept hd]. split; [reflexivity|]. split; [intros; lia|]. intros h _. left. reflexivity.
  - destruct ws as [|w ws]; [discriminate|]. destruct (ok_step _ _ _ _ _ _ H) as (H1 & H2 & H3 & H4). specialize (IH ws H4).
    change (right_kept K (a :: b :: ms) (w :: ws)) with (let '(E, ks) := right_kept K (b :: ms) ws in
      (if (0 <? w)%Z then E else a, (if ((0 <? w) && (b + K <=? E))%Z then 0%Z else w) :: ks)).
    destruct (right_kept K (b :: ms) ws) as [E ks]. destruct IH as (I1 & I2 & I3). cbn [hd] in *.
    assert (P : (0 < w)%Z -> forall h, (a <= h < E)%Z -> 0 < mesh_weight (a :: b :: ms) (w :: ws) h).
    { intros Hw h Hh. rewrite mesh_step. destruct (Z.leb_spec a h), (Z.ltb_spec h b); cbn [andb]; try lia; [apply density_positive; auto | apply I2; lia]. }
    split; [|split].
    + change (mesh_ok L (a :: b :: ms) ((if ((0 <? w) && (b + K <=? E))%Z then 0%Z else w) :: ks)) with
        (if ((a <? b) && (0 <=? (if ((0 <? w) && (b + K <=? E))%Z then 0%Z else w)) && (L mod (b - a) =? 0))%Z then mesh_ok L (b :: ms) ks else false).
      destruct (Z.ltb_spec a b); [|lia]. destruct (Z.leb_spec 0 (if ((0 <? w) && (b + K <=? E))%Z then 0%Z else w)) as [|Q]; [|destruct (_ && _)%bool; lia].
      rewrite (proj2 (Z.eqb_eq _ _) H3). cbn [andb]. exact I1.
    + intros h Hh. destruct (Z.ltb_spec 0 w); [apply P; auto | lia].
    + intros h Hh. rewrite !mesh_step. destruct (Z.leb_spec a h); [|lia]. destruct (Z.ltb_spec h b); cbn [andb].
      * destruct (Z.ltb_spec 0 w); cbn [andb]; [|left; reflexivity]. destruct (Z.leb_spec (b + K) E); [|left; reflexivity]. right. intros t Ht. apply P; auto. lia.
      * destruct (I3 h ltac:(lia)) as [I|I]; [left; exact I|right]. intros t Ht. rewrite mesh_step. destruct (Z.ltb_spec (h + t) b); [lia|]. rewrite andb_false_r. apply I; auto.
Qed.
Lemma left_kept_ok L K (Q : Z -> R) marks : (0 <= K)%Z -> forall ws E, mesh_ok L marks ws = true -> (E <= hd 0 marks)%Z ->
  (forall h, (E <= h < hd 0 marks)%Z -> 0 < Q h) -> (forall h, (hd 0%Z marks <= h)%Z -> Q h = mesh_weight marks ws h) ->
  let ks := left_kept K E marks ws in mesh_ok L marks ks = true /\
  forall h, (hd 0%Z marks <= h)%Z -> mesh_weight marks ks h = mesh_weight marks ws h \/ forall t, (0 <= t <= K)%Z -> 0 < Q (h - t)%Z.
Proof.
  intros HK. induction marks as [|a [|b ms] IH]; intros ws E H HE HQ Hag; [destruct ws; discriminate|destruct ws; [|discriminate]|].
  - split; [reflexivity|]. intros h _. left. reflexivity.
  - destruct ws as [|w ws]; [discriminate|]. destruct (ok_step _ _ _ _ _ _ H) as (H1 & H2 & H3 & H4). cbn [hd] in *.
    change (left_kept K E (a :: b :: ms) (w :: ws)) with ((if ((0 <? w) && (E <=? a - K))%Z then 0%Z else w) :: left_kept K (if (0 <? w)%Z then E else b) (b :: ms) ws).
    assert (Hin : (0 < w)%Z -> forall h, (a <= h < b)%Z -> 0 < Q h).
    { intros Hw h Hh. rewrite Hag, mesh_step by lia. destruct (Z.leb_spec a h), (Z.ltb_spec h b); try lia. apply density_positive; auto. }
    destruct (IH ws (if (0 <? w)%Z then E else b) H4) as [I1 I3].
    + destruct (0 <? w)%Z; lia.
    + intros h Hh. destruct (Z.ltb_spec 0 w); [|lia]. destruct (Z_lt_ge_dec h a); [apply HQ; lia | apply Hin; auto; lia].
    + intros h Hh. rewrite Hag, mesh_step by lia. destruct (Z.ltb_spec h b); [lia|]. rewrite andb_false_r. reflexivity.
    + set (ks := left_kept K (if (0 <? w)%Z then E else b) (b :: ms) ws) in *. split.
      * change (mesh_ok L (a :: b :: ms) ((if ((0 <? w) && (E <=? a - K))%Z then 0%Z else w) :: ks)) with
          (if ((a <? b) && (0 <=? (if ((0 <? w) && (E <=? a - K))%Z then 0%Z else w)) && (L mod (b - a) =? 0))%Z then mesh_ok L (b :: ms) ks else false).
        destruct (Z.ltb_spec a b); [|lia]. destruct (Z.leb_spec 0 (if ((0 <? w) && (E <=? a - K))%Z then 0%Z else w)) as [|C]; [|destruct (_ && _)%bool; lia].
        rewrite (proj2 (Z.eqb_eq _ _) H3). cbn [andb]. exact I1.
      * intros h Hh. rewrite !mesh_step. destruct (Z.leb_spec a h); [|lia]. destruct (Z.ltb_spec h b); cbn [andb].
        -- destruct (Z.ltb_spec 0 w); cbn [andb]; [|left; reflexivity]. destruct (Z.leb_spec E (a - K)); [|left; reflexivity]. right. intros t Ht.
           destruct (Z_lt_ge_dec (h - t) a); [apply HQ; lia | apply Hin; auto; lia].
        -- apply I3. lia.
Qed.
Lemma covers_ok L lo hi marks ws : mesh_ok L marks ws = true -> covers lo hi marks ws = true -> forall h, (lo <= h <= hi)%Z -> 0 < mesh_weight marks ws h.
Proof.
  unfold covers. rewrite !andb_true_iff, Z.leb_le, Z.ltb_lt. intros H [[H1 H2] H3] h Hh. assert (H4 : (hd 0%Z marks <= h < last marks 0%Z)%Z) by lia. clear H1 H2.
  revert ws H H3 H4. induction marks as [|a [|b ms] IH]; intros ws H H3 H4; [destruct ws; discriminate|cbn [hd last] in H4; lia|].
  destruct ws as [|w ws]; [discriminate|]. destruct (ok_step _ _ _ _ _ _ H) as (O1 & O2 & O3 & O4). cbn [filled] in H3. rewrite andb_true_iff, !orb_true_iff, Z.leb_le, !Z.ltb_lt in H3. destruct H3 as [F1 F2].
  change (last (a :: b :: ms) 0%Z) with (last (b :: ms) 0%Z) in H4. cbn [hd] in H4. rewrite mesh_step. destruct (Z.leb_spec a h); [|lia]. destruct (Z.ltb_spec h b); cbn [andb].
  - apply density_positive; auto. lia.
  - apply IH; auto. cbn [hd]. lia.
Qed.
Lemma lattice_mesh r ws : (0 < r)%Z -> forall first, (nonneg ws = true -> mesh_ok (2 * r) (lattice_marks first r ws) ws = true) /\
  forall h, mesh_weight (lattice_marks first r ws) ws h = half_step (Lattice first ws) r h.
Proof.
  intros Hr. induction ws as [|w ws IH]; intros first.
  - split; [reflexivity|]. intros h. cbn [half_step lattice_marks mesh_weight]. unfold plain_weight. rewrite at_nil. unfold Rdiv. ring.
  - destruct (IH (first + 1)%Z) as [I1 I2].
    assert (Em : lattice_marks first r (w :: ws) = ((2 * first - 1) * r)%Z :: lattice_marks (first + 1) r ws) by reflexivity.
    assert (En : exists rest, lattice_marks (first + 1) r ws = ((2 * (first + 1) - 1) * r)%Z :: rest) by (destruct ws; eexists; reflexivity).
    destruct En as [rest En]. rewrite Em, En in *. set (a := ((2 * first - 1) * r)%Z). set (b := ((2 * (first + 1) - 1) * r)%Z) in *.
    assert (Hab : (b - a = 2 * r)%Z) by (unfold a, b; ring). split.
    + intros H. cbn [nonneg] in H. destruct (Z.leb_spec 0 w); [|discriminate].
      change (mesh_ok (2 * r) (a :: b :: rest) (w :: ws)) with (if ((a <? b) && (0 <=? w) && ((2 * r) mod (b - a) =? 0))%Z then mesh_ok (2 * r) (b :: rest) ws else false).
      rewrite Hab, Z.mod_same by lia. destruct (Z.ltb_spec a b); [|lia]. destruct (Z.leb_spec 0 w); [|lia]. cbn [andb Z.eqb]. auto.
    + intros h. rewrite mesh_step, Hab, I2. cbn [half_step]. unfold plain_weight. rewrite at_cons.
      pose proof (Z.div_mod (h + r) (2 * r) ltac:(lia)) as D. pose proof (Z.mod_pos_bound (h + r) (2 * r) ltac:(lia)) as M. set (c := ((h + r) / (2 * r))%Z) in *.
      destruct (Z.leb_spec a h), (Z.ltb_spec h b); cbn [andb]; destruct (Z.eqb_spec (c - first) 0); try (exfalso; unfold a, b in *; nia); try reflexivity;
        replace (c - first - 1)%Z with (c - (first + 1))%Z by lia; reflexivity.
Qed.
Lemma kept_sum L marks ks lo n : (0 < L)%Z -> mesh_ok L marks ks = true -> wsum lo n (mesh_weight marks ks) <= IZR (total ks 0).
Proof.
  intros HL H. eapply Rle_trans; [apply (mesh_whole marks ks L HL H)|]. right. apply IZR_lt in HL as RL.
  unfold mesh_mass. assert (E : forall marks ks, mesh_ok L marks ks = true -> IZR (mesh_total (fun a b d => (b - a) * d)%Z marks (densities L marks ks)) = IZR L * IZR (total ks 0)).
  { clear marks ks H. induction marks as [|a [|b ms] IH]; intros ks H; [destruct ks; discriminate|destruct ks; [simpl; ring|discriminate]|]. destruct ks as [|w ks]; [discriminate|].
    destruct (ok_step _ _ _ _ _ _ H) as (O1 & O2 & O3 & O4).
    change (densities L (a :: b :: ms) (w :: ks)) with ((w * (L / (b - a)))%Z :: densities L (b :: ms) ks).
    change (mesh_total (fun a b d => (b - a) * d)%Z (a :: b :: ms) ((w * (L / (b - a)))%Z :: densities L (b :: ms) ks)) with
      ((b - a) * (w * (L / (b - a))) + mesh_total (fun a b d => (b - a) * d)%Z (b :: ms) (densities L (b :: ms) ks))%Z.
    cbn [total]. rewrite total_acc, plus_IZR, (IH ks O4), plus_IZR, Z.add_0_l.
    pose proof (Z.div_mod L (b - a) ltac:(lia)) as D. rewrite O3, Z.add_0_r in D. replace ((b - a) * (w * (L / (b - a))))%Z with (w * L)%Z by (rewrite D at 1; ring).
    rewrite mult_IZR. ring. }
  rewrite E by auto. field. lra.
Qed.

Section Noise.
Variable f : file.
Hypothesis Hr : (0 < grid f)%Z.
Hypothesis Hden : 0 < IZR (denominator f).
Hypothesis Hatom : 0 <= IZR (atom f).
Hypothesis Hp : distribution (mass f).
Notation q := (half_step (noise f) (grid f)).
Variables (K : Z) (most : Z * Z).
Hypothesis Hok : seldom_ok f K most = true.

(* what is kept bounds what may be ruled out *)
Lemma kept_mean (X : zlaw) A kept U a0 : has_masses X (mass f) -> (forall j, A j = 0 \/ A j = 1) -> (forall h, 0 <= kept h) -> 0 <= a0 ->
  (forall h, A ((h + 1) / 2)%Z = 1 -> q h <= kept h) -> (A 0%Z = 1 -> IZR (atom f) <= a0) -> (forall lo n, wsum lo n kept <= U) ->
  (U + a0) / IZR (denominator f) <= ratio most -> mean X A <= ratio most.
Proof.
  intros HX H01 Hk Ha Hq H0 HU Hle. apply (masses_loss X (mass f) HX Hp A); [| |intros; lra].
  2:{ exists 1. intros j. destruct (H01 j) as [-> | ->]; rewrite Rabs_right; lra. }
  intros lo n. eapply Rle_trans; [|exact Hle].
  apply Rle_trans with (wsum lo n (halves kept (IZR (denominator f)) a0)).
  - apply wsum_le. intros i _. unfold mass, halves.
    assert (E1 : ((2 * i - 1 + 1) / 2 = i)%Z) by (replace (2 * i - 1 + 1)%Z with (i * 2)%Z by lia; apply Z.div_mul; lia).
    assert (E2 : ((2 * i + 1) / 2 = i)%Z) by (replace (2 * i + 1)%Z with (1 + i * 2)%Z by lia; rewrite Z.div_add by lia; reflexivity).
    pose proof (Hk (2 * i - 1)%Z). pose proof (Hk (2 * i)%Z). assert (Hi : 0 < / IZR (denominator f)) by (apply Rinv_0_lt_compat; auto).
    destruct (H01 i) as [E|E]; rewrite E.
    + rewrite Rmult_0_l. apply Rmult_le_pos; [destruct (i =? 0)%Z; lra | lra].
    + rewrite Rmult_1_l. apply Rmult_le_compat_r; [lra|]. pose proof (Hq (2 * i - 1)%Z ltac:(rewrite E1; auto)). pose proof (Hq (2 * i)%Z ltac:(rewrite E2; auto)).
      destruct (Z.eqb_spec i 0) as [->|]; [specialize (H0 E)|]; lra.
  - rewrite halves_sum. destruct (atom_window a0 n lo Ha) as [_ W]. specialize (HU (2 * lo - 1)%Z (2 * n)%nat).
    apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; auto | lra].
Qed.
Theorem seldom_masses (X : zlaw) A s : has_masses X (mass f) -> (forall j, A j = 0 \/ A j = 1) -> (2 * Z.abs s <= K)%Z ->
  (forall j, A j <> 0 -> mass f (j + s) = 0) -> mean X A <= ratio most.
Proof.
  intros HX H01 Hs HA. unfold seldom_ok in Hok. destruct (as_mesh f) as [[[L marks] ws]|] eqn:Em; [|discriminate].
  rewrite !andb_true_iff, Z.ltb_lt, !Z.leb_le in Hok. destruct Hok as [[[[[HL HK] Hq] Hm] Hright] Hleft].
  assert (Eq : forall h, q h = mesh_weight marks ws h).
  { intros h. unfold as_mesh in Em. destruct (noise f) as [first v|first v n [a b]|edges v]; [|discriminate|]; inversion Em; subst; [|reflexivity].
    symmetry. apply lattice_mesh; auto. }
  pose proof (sound_pos _ Hq) as Rq.
  assert (Qn : forall h, 0 <= q h) by (intros h; rewrite Eq; apply (q_nonneg marks ws L HL Hm)).
  assert (Hbefore : forall v h, mesh_ok L marks v = true -> (h < hd 0%Z marks)%Z -> mesh_weight marks v h = 0) by (intros v h Hv Hh; apply (q_out marks v L HL Hv); auto).
  (* noise that is there makes its grid point possible *)
  assert (There : forall i h, (h = 2 * i - 1 \/ h = 2 * i)%Z -> 0 < q h -> mass f i <> 0).
  { intros i h Hh Hpos. unfold mass. assert (0 < / IZR (denominator f)) by (apply Rinv_0_lt_compat; auto).
    pose proof (Qn (2 * i - 1)%Z). pose proof (Qn (2 * i)%Z). assert (0 < q (2 * i - 1)%Z + q (2 * i)%Z) by (destruct Hh; subst; lra).
    apply Rgt_not_eq. apply Rmult_lt_0_compat; auto. destruct (i =? 0)%Z; lra. }
  assert (Half : forall h, (2 * ((h + 1) / 2) - 1 = h \/ 2 * ((h + 1) / 2) = h)%Z).
  { intros h. pose proof (Z.div_mod (h + 1) 2 ltac:(lia)). pose proof (Z.mod_pos_bound (h + 1) 2 ltac:(lia)). lia. }
  assert (Atom : mass f 0 = 0 -> IZR (atom f) = 0).
  { intros E. unfold mass in E. cbn [Z.eqb] in E. apply Rmult_integral in E. destruct E as [E|E].
    - pose proof (Qn (2 * 0 - 1)%Z). pose proof (Qn (2 * 0)%Z). lra.
    - apply Rinv_neq_0_compat in E; [contradiction|lra]. }
  assert (Fin : forall ks (c : bool), mesh_ok L marks ks = true ->
    (forall h, A ((h + 1) / 2)%Z = 1 -> q h <= mesh_weight marks ks h) -> (A 0%Z = 1 -> c = true -> IZR (atom f) = 0) ->
    ((total ks 0 + if c then 0 else atom f) * snd most <= fst most * denominator f)%Z -> mean X A <= ratio most).
  { intros ks c Hks HAq HA0 Hsum. apply (kept_mean X A (mesh_weight marks ks) (IZR (total ks 0)) (if c then 0 else IZR (atom f))); auto.
    - apply (q_nonneg marks ks L HL Hks).
    - destruct c; lra.
    - intros E. destruct c; [rewrite HA0 by auto; lra | lra].
    - intros lo n. apply (kept_sum L); auto.
    - apply IZR_le in Hsum. rewrite !mult_IZR, plus_IZR in Hsum. replace (IZR (if c then 0 else atom f)) with (if c then 0 else IZR (atom f)) in Hsum by (destruct c; auto).
      unfold ratio. apply Rmult_le_reg_r with (IZR (denominator f) * IZR (snd most)); [apply Rmult_lt_0_compat; auto|].
      eapply Rle_trans; [|eapply Rle_trans; [exact Hsum|]]; right; field; lra. }
  destruct (Z_le_gt_dec 0 s) as [Sg|Sg].
  - pose proof (right_kept_ok L K marks HK ws Hm) as R. destruct (right_kept K marks ws) as [E ks]. destruct R as (R1 & _ & R3). cbn [snd] in Hright.
    apply (Fin ks (covers 0 (K - 1) marks ws)); auto.
    + intros h Hh. rewrite Eq. destruct (Z_lt_ge_dec h (hd 0%Z marks)); [rewrite !Hbefore by auto; lra|]. destruct (R3 h ltac:(lia)) as [R|R]; [lra|]. exfalso.
      apply (There ((h + 1) / 2 + s)%Z (h + 2 * s)%Z); [destruct (Half h); lia | rewrite Eq; apply R; lia | apply HA; rewrite Hh; lra].
    + intros E0 Hc. destruct (Z.eq_dec s 0) as [->|]; [apply Atom; apply (HA 0%Z); lra|]. exfalso.
      apply (There (0 + s)%Z (2 * s - 1)%Z); [lia | rewrite Eq; apply (covers_ok L 0 (K - 1)); auto; lia | apply HA; lra].
  - destruct (left_kept_ok L K q marks HK ws (hd 0%Z marks) Hm ltac:(lia) ltac:(intros; lia) ltac:(intros; auto)) as [R1 R3]. set (ks := left_kept K (hd 0%Z marks) marks ws) in *.
    apply (Fin ks (covers (- K) (-1) marks ws)); auto.
    + intros h Hh. rewrite Eq. destruct (Z_lt_ge_dec h (hd 0%Z marks)); [rewrite !Hbefore by auto; lra|]. destruct (R3 h ltac:(lia)) as [R|R]; [lra|]. exfalso.
      apply (There ((h + 1) / 2 + s)%Z (h - - (2 * s))%Z); [destruct (Half h); lia | apply R; lia | apply HA; rewrite Hh; lra].
    + intros E0 Hc. exfalso. apply (There (0 + s)%Z (2 * s)%Z); [lia | rewrite Eq; apply (covers_ok L (- K) (-1)); auto; lia | apply HA; lra].
Qed.
(* a release of v is seldom one that v' never has *)
Theorem seldom_released (X : zlaw) g d v v' A : has_masses X (mass f) -> 0 < g -> (2 * d <= K)%Z -> Rabs (v - v') <= IZR d * g ->
  (forall x, A x = 0 \/ A x = 1) -> (forall x, A x <> 0 -> released X g v' (only x) = 0) -> released X g v A <= ratio most.
Proof.
  intros HX Hg Hd Hv H01 HA. unfold released at 1. set (x := v / g). set (x' := v' / g) in *.
  assert (Hx : - IZR d <= x - x' <= IZR d).
  { assert (Hvv : (x - x') * g = v - v') by (unfold x, x'; field; lra).
    assert (- (IZR d * g) <= (x - x') * g <= IZR d * g) by (rewrite Hvv; unfold Rabs in Hv; destruct Rcase_abs; lra).
    split; apply Rmult_le_reg_r with g; auto; lra. }
  pose proof (split_at x) as Ex. pose proof (split_at x') as Ex'. pose proof (frac_bounds x) as Bu. pose proof (frac_bounds x') as Bu'.
  set (k := Int_part x) in *. set (k' := Int_part x') in *. set (u := frac_part x) in *. set (u' := frac_part x') in *.
  pose proof Hp as (Hp0 & _).
  (* what v' never has *)
  assert (Never : forall i, A (IZR i * g) <> 0 -> mass f (i - k') = 0 /\ (0 < u' -> mass f (i - (k' + 1)) = 0)).
  { intros i Hi. specialize (HA _ Hi). unfold released in HA. fold x' in HA. fold k' u' in HA.
    assert (E : forall c, (fun j => only (IZR i * g) (IZR (c + j) * g)) = point (i - c)).
    { intros c. extensionality j. unfold only, point. destruct (Req_EM_T (IZR i * g) (IZR (c + j) * g)) as [Q|Q], (Z.eqb_spec j (i - c)) as [P|P]; auto; exfalso.
      - apply P. apply Rmult_eq_reg_r in Q; [|lra]. apply eq_IZR in Q. lia.
      - apply Q. do 2 f_equal. lia. }
    rewrite !E, !HX in HA. pose proof (Hp0 (i - k')%Z) as P1. pose proof (Hp0 (i - (k' + 1))%Z) as P2.
    assert (Q1 : 0 <= (1 - u') * mass f (i - k')) by (apply Rmult_le_pos; lra). assert (Q2 : 0 <= u' * mass f (i - (k' + 1))) by (apply Rmult_le_pos; lra).
    split; [|intros Hu]; [assert (Q : (1 - u') * mass f (i - k') = 0) by lra | assert (Q : u' * mass f (i - (k' + 1)) = 0) by lra];
      apply Rmult_integral in Q; destruct Q; auto; lra. }
  assert (Branch : forall c s, (Z.abs s <= d)%Z -> (s = c - k')%Z \/ (s = c - (k' + 1))%Z /\ 0 < u' -> mean X (fun j => A (IZR (c + j) * g)) <= ratio most).
  { intros c s Hs Hc. apply (seldom_masses X _ s HX); auto; [lia|]. intros j Hj. destruct (Never _ Hj) as [N1 N2]. destruct Hc as [-> | [-> Hu]].
    - replace (j + (c - k'))%Z with (c + j - k')%Z by lia. exact N1.
    - replace (j + (c - (k' + 1)))%Z with (c + j - (k' + 1))%Z by lia. auto. }
  assert (Near : forall s y, IZR s = y -> - IZR d - 1 < y < IZR d + 1 -> (Z.abs s <= d)%Z).
  { intros s y <- [L1 L2]. assert (- d - 1 < s)%Z by (apply lt_IZR; rewrite minus_IZR, opp_IZR; lra). assert (s < d + 1)%Z by (apply lt_IZR; rewrite plus_IZR; lra). lia. }
  assert (S0 : (Z.abs (k - k') <= d)%Z) by (apply (Near _ (IZR k - IZR k')); [apply minus_IZR | lra]).
  pose proof (Branch k (k - k')%Z S0 ltac:(auto)) as M0. apply Rmult_le_compat_l with (r := 1 - u) in M0; [|lra].
  destruct (Req_dec u 0) as [Hu|Hu]; [rewrite Hu in *; lra|].
  assert (M1 : mean X (fun j => A (IZR (k + 1 + j) * g)) <= ratio most).
  { destruct (Rle_dec u u') as [Q|Q].
    - apply (Branch (k + 1)%Z (k - k')%Z S0). right. split; [lia|lra].
    - apply (Branch (k + 1)%Z (k + 1 - k')%Z); [|auto]. apply (Near _ (IZR k + 1 - IZR k')); [rewrite minus_IZR, plus_IZR; ring | lra]. }
  apply Rmult_le_compat_l with (r := u) in M1; [|lra]. lra.
Qed.
End Noise.
