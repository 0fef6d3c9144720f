(* Noise with free edges: its sum, its cost, and its hockey sticks at all shifts.  A hockey stick is
   the mass less an overlap, which is a sum of ramps in the shift; a sweep over their kinks bounds
   it everywhere. *)
Require Import Reals ZArith List Bool Lra Lia Permutation Mergesort Orders.
Require Import Formal.Statements Formal.Masses Formal.Lists.
Import ListNotations.
Open Scope Z_scope.

(* ---- what is computed: marks are half grid steps, densities in units of 1/L ---- *)
Fixpoint common (marks : list Z) (acc : Z) : Z := match marks with
  | a :: ((b :: _) as rest) => common rest (Z.lcm acc (b - a)) | _ => acc end.
Fixpoint densities (L : Z) (marks ws : list Z) : list Z := match marks, ws with
  | a :: ((b :: _) as rest), w :: ws' => w * (L / (b - a)) :: densities L rest ws' | _, _ => [] end.
Fixpoint mesh_ok (L : Z) (marks ws : list Z) : bool := match marks, ws with
  | [_], [] => true
  | a :: ((b :: _) as rest), w :: ws' => if (a <? b) && (0 <=? w) && (L mod (b - a) =? 0) then mesh_ok L rest ws' else false
  | _, _ => false end.
(* sum over cells of C(left end, right end, density) *)
Fixpoint mesh_total (C : Z -> Z -> Z -> Z) (marks ds : list Z) : Z := match marks, ds with
  | a :: ((b :: _) as rest), d :: ds' => C a b d + mesh_total C rest ds' | _, _ => 0 end.

(* changes of a list of densities at its marks *)
Fixpoint bends (marks ds : list Z) (prev : Z) : list (Z * Z) := match marks, ds with
  | y :: ms, d :: ds' => (y, d - prev) :: bends ms ds' d
  | y :: _, [] => [(y, - prev)]
  | [], _ => [] end.
Definition moved (sign off : Z) (c : Z * Z) : Z * Z := (fst c - off, sign * snd c).
(* the kinks of the overlap of all cells with the whole mesh, moved *)
Fixpoint kinks (bottom : Z) (marks0 M0 marks ds : list Z) : list (Z * Z) := match marks, ds with
  | a :: ((b :: _) as rest), d :: ds' =>
      let row := bends marks0 (map (Z.min (bottom * d)) M0) 0 in
      map (moved 1 b) row ++ map (moved (-1) a) row ++ kinks bottom marks0 M0 rest ds'
  | _, _ => [] end.

Module KinkOrder <: TotalLeBool.
  Definition t := (Z * Z)%type.
  Definition leb (x y : t) := fst x <=? fst y.
  Theorem leb_total : forall x y, leb x y = true \/ leb y x = true.
  Proof. intros. unfold leb. rewrite !Z.leb_le. lia. Qed.
End KinkOrder.
Module KinkSort := Sort KinkOrder.

(* value and slope at -reach of the kinks before it; the kinks between -reach and reach *)
Fixpoint classify (reach : Z) (ks : list (Z * Z)) (value slope : Z) (inner : list (Z * Z)) : Z * Z * list (Z * Z) :=
  match ks with
  | [] => (value, slope, inner)
  | (t, c) :: r =>
      if c =? 0 then classify reach r value slope inner
      else if t <=? - reach then classify reach r (value + c * (- reach - t)) (slope + c) inner
      else if reach <=? t then classify reach r value slope inner
      else classify reach r value slope ((t, c) :: inner) end.
Fixpoint sweep (reach need : Z) (ks : list (Z * Z)) (value slope last : Z) : bool :=
  if need <=? value then match ks with
  | [] => need <=? value + slope * (reach - last)
  | (t, c) :: r => if last <=? t then sweep reach need r (value + slope * (t - last)) (slope + c) t else false
  end else false.
Definition mesh_private (reach L : Z) (marks ds : list Z) (top bottom limit : Z) : bool :=
  let need := mesh_total (fun a b d => (b - a) * (bottom * d)) marks ds - limit in
  let '(value, slope, inner) := classify reach (kinks bottom marks (map (Z.mul top) ds) marks ds) 0 0 [] in
  (0 <=? reach) && sweep reach need (KinkSort.sort inner) value slope (- reach).

(* ---- what it proves ---- *)
Definition ramp (x : Z) := Z.max 0 x.
Fixpoint ramps (ks : list (Z * Z)) (x : Z) : Z := match ks with
  | [] => 0 | (t, c) :: r => c * ramp (x - t) + ramps r x end.
Lemma ramps_app u v x : ramps (u ++ v) x = ramps u x + ramps v x.
Proof. induction u as [|[t c] u IH]; simpl; [lia|]. rewrite IH. lia. Qed.
Lemma ramps_permutation u v x : Permutation u v -> ramps u x = ramps v x.
Proof. induction 1; simpl; try destruct x0; try destruct y; lia. Qed.
Lemma ramps_moved sign off ks x : ramps (map (moved sign off) ks) x = sign * ramps ks (x + off).
Proof.
  induction ks as [|[t c] ks IH]; simpl; [lia|]. rewrite IH. replace (x - (t - off)) with (x + off - t) by lia. lia.
Qed.
Lemma classify_sum reach ks x : - reach <= x <= reach -> forall value slope inner,
  let '(v, k, i) := classify reach ks value slope inner in
  value + slope * (x + reach) + ramps inner x + ramps ks x = v + k * (x + reach) + ramps i x.
Proof.
  intros Hx. induction ks as [|[t c] ks IH]; intros value slope inner; simpl; [lia|].
  destruct (Z.eqb_spec c 0) as [->|]; [specialize (IH value slope inner); destruct (classify _ _ _ _ _) as [[? ?] ?]; lia|].
  destruct (Z.leb_spec t (- reach)).
  - specialize (IH (value + c * (- reach - t)) (slope + c) inner). destruct (classify _ _ _ _ _) as [[? ?] ?].
    unfold ramp. rewrite Z.max_r by lia. lia.
  - destruct (Z.leb_spec reach t).
    + specialize (IH value slope inner). destruct (classify _ _ _ _ _) as [[? ?] ?]. unfold ramp. rewrite Z.max_l by lia. lia.
    + specialize (IH value slope ((t, c) :: inner)). destruct (classify _ _ _ _ _) as [[? ?] ?]. simpl in IH. lia.
Qed.
Lemma line_between a b v k x need : a <= x <= b -> need <= v -> need <= v + k * (b - a) -> need <= v + k * (x - a).
Proof. intros. destruct (Z_le_gt_dec 0 k); nia. Qed.
Lemma sweep_sound reach need ks : forall value slope last, sweep reach need ks value slope last = true ->
  Forall (fun k => last <= fst k) ks /\
  forall x, last <= x <= reach -> need <= value + slope * (x - last) + ramps ks x.
Proof.
  induction ks as [|[t c] ks IH]; intros value slope last H; simpl in H; destruct (Z.leb_spec need value); try discriminate.
  - split; auto. rewrite Z.leb_le in H. intros x Hx. simpl. rewrite Z.add_0_r. eapply line_between; eauto.
  - destruct (Z.leb_spec last t); [|discriminate]. destruct (IH _ _ _ H) as [F K]. split.
    + constructor; auto. eapply Forall_impl; [|apply F]. simpl. intros. lia.
    + intros x Hx. simpl. unfold ramp at 1. destruct (Z_le_gt_dec t x).
      * specialize (K x ltac:(lia)). rewrite Z.max_r by lia. lia.
      * assert (R0 : ramps ks x = 0).
        { clear - F g. induction F as [|[t' c'] ks F0 _ IH]; auto. cbn [fst] in F0. cbn [ramps]. rewrite IH. unfold ramp. rewrite Z.max_l by lia. lia. }
        rewrite R0, Z.max_l by lia.
        assert (Hv : need <= value + slope * (t - last)).
        { destruct ks as [|[t' c'] ks']; simpl in H; destruct (Z.leb_spec need (value + slope * (t - last))); auto; discriminate. }
        pose proof (line_between last t value slope x need ltac:(lia) H0 Hv). lia.
Qed.

(* the density and its running sum *)
Fixpoint dz (marks ds : list Z) (h : Z) : Z := match marks, ds with
  | a :: ((b :: _) as rest), d :: ds' => (if (a <=? h) && (h <? b) then d else 0) + dz rest ds' h | _, _ => 0 end.
Fixpoint run (marks ds : list Z) (u : Z) : Z := match marks, ds with
  | a :: ((b :: _) as rest), d :: ds' => d * (ramp (u - a) - ramp (u - b)) + run rest ds' u | _, _ => 0 end.
Fixpoint rising (marks : list Z) (ds : list Z) : Prop := match marks, ds with
  | [_], [] => True
  | a :: ((b :: _) as rest), d :: ds' => a < b /\ 0 <= d /\ rising rest ds' | _, _ => False end.

Lemma run_step marks : forall ds u, rising marks ds -> run marks ds (u + 1) - run marks ds u = dz marks ds u.
Proof.
  induction marks as [|a [|b ms] IH]; intros ds u H; [destruct ds; reflexivity..|].
  destruct ds as [|d ds]; [reflexivity|]. destruct H as (H1 & H2 & H3). specialize (IH ds u H3).
  change (dz (a :: b :: ms) (d :: ds) u) with ((if (a <=? u) && (u <? b) then d else 0) + dz (b :: ms) ds u).
  change (run (a :: b :: ms) (d :: ds)) with (fun u => d * (ramp (u - a) - ramp (u - b)) + run (b :: ms) ds u). cbv beta.
  rewrite <- IH. unfold ramp. destruct (Z.leb_spec a u), (Z.ltb_spec u b); simpl; nia.
Qed.
Lemma bends_ramps marks : forall ds prev x, rising marks ds ->
  ramps (bends marks ds prev) x = run marks ds x - prev * ramp (x - hd 0%Z marks).
Proof.
  induction marks as [|a [|b ms] IH]; intros ds prev x H; [destruct ds; contradiction|destruct ds; [|contradiction]|].
  - simpl. lia.
  - destruct ds as [|d ds]; [contradiction|]. destruct H as (H1 & H2 & H3).
    change (bends (a :: b :: ms) (d :: ds) prev) with ((a, d - prev) :: bends (b :: ms) ds d).
    cbn [ramps]. rewrite IH by auto.
    change (run (a :: b :: ms) (d :: ds) x) with (d * (ramp (x - a) - ramp (x - b)) + run (b :: ms) ds x). simpl hd. lia.
Qed.
Lemma dz_before marks : forall ds h, rising marks ds -> h < hd 0%Z marks -> dz marks ds h = 0.
Proof.
  induction marks as [|a [|b ms] IH]; intros ds h H Hh; [destruct ds; reflexivity..|].
  destruct ds as [|d ds]; [reflexivity|]. destruct H as (H1 & H2 & H3). simpl hd in Hh.
  change (dz (a :: b :: ms) (d :: ds) h) with ((if (a <=? h) && (h <? b) then d else 0) + dz (b :: ms) ds h).
  rewrite IH by (auto; simpl; lia). destruct (Z.leb_spec a h); simpl; lia.
Qed.
Lemma dz_nonneg marks : forall ds h, rising marks ds -> 0 <= dz marks ds h.
Proof.
  induction marks as [|a [|b ms] IH]; intros ds h H; [destruct ds; simpl; lia..|].
  destruct ds as [|d ds]; [simpl; lia|]. destruct H as (H1 & H2 & H3). specialize (IH ds h H3).
  change (dz (a :: b :: ms) (d :: ds) h) with ((if (a <=? h) && (h <? b) then d else 0) + dz (b :: ms) ds h).
  destruct (_ && _); lia.
Qed.
Lemma rising_map f marks : (forall d, 0 <= d -> 0 <= f d) -> forall ds, rising marks ds -> rising marks (map f ds).
Proof.
  intros Hf. induction marks as [|a [|b ms] IH]; intros ds H; [destruct ds; contradiction|destruct ds; [exact I|contradiction]|].
  destruct ds as [|d ds]; [contradiction|]. destruct H as (H1 & H2 & H3). simpl map. repeat split; auto.
Qed.
(* one cell at most holds h *)
Lemma dz_map f marks : (forall d, 0 <= d -> 0 <= f d) -> forall ds h, rising marks ds ->
  dz marks (map f ds) h = f (dz marks ds h) \/ dz marks (map f ds) h = 0.
Proof.
  intros Hf. induction marks as [|a [|b ms] IH]; intros ds h H; [right; destruct ds; reflexivity..|].
  destruct ds as [|d ds]; [contradiction|]. destruct H as (H1 & H2 & H3). simpl map.
  change (dz (a :: b :: ms) (d :: ds) h) with ((if (a <=? h) && (h <? b) then d else 0) + dz (b :: ms) ds h).
  change (dz (a :: b :: ms) (f d :: map f ds) h) with ((if (a <=? h) && (h <? b) then f d else 0) + dz (b :: ms) (map f ds) h).
  destruct (Z.ltb_spec h b).
  - rewrite !dz_before by (auto using rising_map; simpl; lia). rewrite !Z.add_0_r.
    rewrite andb_true_r. destruct (a <=? h); auto.
  - rewrite andb_false_r. apply IH; auto.
Qed.
Lemma dz_min P M marks h : 0 <= P -> rising marks M -> dz marks (map (Z.min P) M) h <= Z.min P (dz marks M h).
Proof.
  intros HP H. destruct (dz_map (Z.min P) marks ltac:(lia) M h H) as [-> | ->]; [lia|].
  pose proof (dz_nonneg marks M h H). lia.
Qed.
Lemma dz_scale c marks : forall ds h, dz marks (map (Z.mul c) ds) h = c * dz marks ds h.
Proof.
  induction marks as [|a [|b ms] IH]; intros ds h; [destruct ds; simpl; lia..|].
  destruct ds as [|d ds]; [simpl; lia|]. simpl map.
  change (dz (a :: b :: ms) (d :: ds) h) with ((if (a <=? h) && (h <? b) then d else 0) + dz (b :: ms) ds h).
  change (dz (a :: b :: ms) (c * d :: map (Z.mul c) ds) h) with ((if (a <=? h) && (h <? b) then c * d else 0) + dz (b :: ms) (map (Z.mul c) ds) h).
  rewrite IH. destruct (_ && _); lia.
Qed.

Open Scope R_scope.
(* sums over the mesh, cell by cell; q is its density on and after the first mark *)
Lemma mesh_sum (G : Z -> R) (C : Z -> Z -> Z -> Z) (q : Z -> Z) marks : forall ds, rising marks ds ->
  (forall h, (hd 0%Z marks <= h)%Z -> q h = dz marks ds h) ->
  (forall a b d, (a < b)%Z -> (0 <= d)%Z -> (forall h, (a <= h < b)%Z -> q h = d) -> wsum a (Z.to_nat (b - a)) G <= IZR (C a b d)) ->
  wsum (hd 0%Z marks)%Z (Z.to_nat (last marks 0%Z - hd 0%Z marks)) G <= IZR (mesh_total C marks ds) /\ (hd 0%Z marks <= last marks 0%Z)%Z.
Proof.
  induction marks as [|a [|b ms] IH]; intros ds H Hq HC; [destruct ds; contradiction|destruct ds; [|contradiction]|].
  - simpl. replace (a - a)%Z with 0%Z by lia. simpl. split; [lra|lia].
  - destruct ds as [|d ds]; [contradiction|]. destruct H as (H1 & H2 & H3). destruct (IH ds H3) as [I1 I2]; auto.
    { intros h Hh. rewrite Hq by (simpl in *; lia).
      change (dz (a :: b :: ms) (d :: ds) h) with ((if ((a <=? h) && (h <? b))%Z then d else 0) + dz (b :: ms) ds h)%Z.
      simpl hd in Hh. destruct (Z.ltb_spec h b); [lia|]. rewrite andb_false_r. lia. }
    change (last (a :: b :: ms) 0%Z) with (last (b :: ms) 0%Z). simpl hd in *.
    change (mesh_total C (a :: b :: ms) (d :: ds)) with (C a b d + mesh_total C (b :: ms) ds)%Z.
    split; [|lia]. replace (Z.to_nat (last (b :: ms) 0%Z - a)) with (Z.to_nat (b - a) + Z.to_nat (last (b :: ms) 0%Z - b))%nat by lia.
    rewrite wsum_split, plus_IZR. replace (a + Z.of_nat (Z.to_nat (b - a)))%Z with b by lia.
    apply Rplus_le_compat; auto. apply HC; auto. intros h Hh. rewrite Hq by lia.
    change (dz (a :: b :: ms) (d :: ds) h) with ((if ((a <=? h) && (h <? b))%Z then d else 0) + dz (b :: ms) ds h)%Z.
    rewrite dz_before by (auto; simpl; lia). destruct (Z.leb_spec a h), (Z.ltb_spec h b); simpl; lia.
Qed.
Lemma mesh_total_opp C marks : forall ds, mesh_total (fun a b d => - C a b d)%Z marks ds = (- mesh_total C marks ds)%Z.
Proof.
  induction marks as [|a [|b ms] IH]; intros ds; [destruct ds; reflexivity..|]. destruct ds as [|d ds]; [reflexivity|].
  change (mesh_total C (a :: b :: ms) (d :: ds)) with (C a b d + mesh_total C (b :: ms) ds)%Z.
  change (mesh_total (fun a b d => - C a b d)%Z (a :: b :: ms) (d :: ds)) with (- C a b d + mesh_total (fun a b d => - C a b d)%Z (b :: ms) ds)%Z.
  rewrite IH. lia.
Qed.
Lemma dz_after marks : forall ds h, rising marks ds -> (last marks 0%Z <= h)%Z -> dz marks ds h = 0%Z /\ (hd 0%Z marks <= last marks 0%Z)%Z.
Proof.
  induction marks as [|a [|b ms] IH]; intros ds h H Hh; [destruct ds; contradiction|destruct ds; [|contradiction]|].
  - simpl. split; [reflexivity|lia].
  - destruct ds as [|d ds]; [contradiction|]. destruct H as (H1 & H2 & H3).
    change (last (a :: b :: ms) 0%Z) with (last (b :: ms) 0%Z) in *. destruct (IH ds h H3 Hh) as [I0 I]. simpl hd in *. split; [|lia].
    change (dz (a :: b :: ms) (d :: ds) h) with ((if ((a <=? h) && (h <? b))%Z then d else 0) + dz (b :: ms) ds h)%Z. rewrite I0.
    destruct (Z.leb_spec a h), (Z.ltb_spec h b); simpl; auto; lia.
Qed.

Lemma rises L : (0 < L)%Z -> forall marks ws, mesh_ok L marks ws = true -> rising marks (densities L marks ws).
Proof.
  intros HL. induction marks as [|a [|b ms] IH]; intros v H; [destruct v; discriminate|destruct v; [exact I|discriminate]|].
  destruct v as [|w v]; [discriminate|].
  change (mesh_ok L (a :: b :: ms) (w :: v)) with (if ((a <? b) && (0 <=? w) && (L mod (b - a) =? 0))%Z then mesh_ok L (b :: ms) v else false) in H.
  destruct ((a <? b) && (0 <=? w) && (L mod (b - a) =? 0))%Z eqn:E; [|discriminate].
  rewrite !andb_true_iff, Z.ltb_lt, Z.leb_le in E. destruct E as [[E1 E2] _].
  change (densities L (a :: b :: ms) (w :: v)) with (w * (L / (b - a)) :: densities L (b :: ms) v)%Z.
  repeat split; auto. apply Z.mul_nonneg_nonneg; auto. apply Z.div_pos; lia.
Qed.
Section Mesh.
Variables (marks ws : list Z) (L : Z).
Hypothesis HL : (0 < L)%Z.
Hypothesis Hok : mesh_ok L marks ws = true.
Notation ds := (densities L marks ws).
Notation q := (mesh_weight marks ws).

Lemma ok_rising : rising marks ds.
Proof. apply rises; auto. Qed.
Lemma ok_density h : q h = IZR (dz marks ds h) / IZR L.
Proof.
  apply IZR_lt in HL as HLr.
  revert Hok. generalize ws. induction marks as [|a [|b ms] IH]; intros v H; [destruct v; discriminate|destruct v; [simpl; lra|discriminate]|].
  destruct v as [|w v]; [discriminate|].
  change (mesh_ok L (a :: b :: ms) (w :: v)) with (if ((a <? b) && (0 <=? w) && (L mod (b - a) =? 0))%Z then mesh_ok L (b :: ms) v else false) in H.
  destruct ((a <? b) && (0 <=? w) && (L mod (b - a) =? 0))%Z eqn:E; [|discriminate].
  rewrite !andb_true_iff, Z.ltb_lt, Z.leb_le, Z.eqb_eq in E. destruct E as [[E1 E2] E3].
  change (mesh_weight (a :: b :: ms) (w :: v) h) with (if ((a <=? h) && (h <? b))%Z then IZR w / IZR (b - a) else mesh_weight (b :: ms) v h).
  change (densities L (a :: b :: ms) (w :: v)) with (w * (L / (b - a)) :: densities L (b :: ms) v)%Z.
  change (dz (a :: b :: ms) (w * (L / (b - a)) :: densities L (b :: ms) v)%Z h) with
    ((if ((a <=? h) && (h <? b))%Z then w * (L / (b - a)) else 0) + dz (b :: ms) (densities L (b :: ms) v) h)%Z.
  destruct (Z.ltb_spec h b).
  - assert (D0 : dz (b :: ms) (densities L (b :: ms) v) h = 0%Z).
    { apply dz_before; [apply rises; auto | simpl; lia]. }
    rewrite D0, Z.add_0_r. destruct (Z.leb_spec a h); cbn [andb]; [|rewrite (IH v H), D0; lra].
    assert (Hd : (L = (b - a) * (L / (b - a)))%Z) by (pose proof (Z.div_mod L (b - a) ltac:(lia)); lia).
    assert (0 < IZR (b - a)) by (apply IZR_lt; lia).
    assert (HLd : IZR L = IZR (b - a) * IZR (L / (b - a))) by (rewrite <- mult_IZR, <- Hd; reflexivity).
    assert (IZR (L / (b - a)) <> 0) by (intros K; rewrite K in HLd; lra).
    rewrite mult_IZR, HLd. field. split; lra.
  - rewrite andb_false_r, Z.add_0_l. apply IH; auto.
Qed.
Lemma q_nonneg h : 0 <= q h.
Proof.
  rewrite ok_density. apply Rmult_le_pos; [apply IZR_le, dz_nonneg, ok_rising|].
  left. apply Rinv_0_lt_compat, IZR_lt. exact HL.
Qed.
Lemma q_out h : (h < hd 0%Z marks \/ last marks 0%Z <= h)%Z -> q h = 0.
Proof.
  intros H. rewrite ok_density. assert (D0 : dz marks ds h = 0%Z).
  { destruct H; [apply dz_before; auto using ok_rising | apply dz_after; auto using ok_rising]. }
  rewrite D0. lra.
Qed.

(* windows against the whole mesh *)
Lemma mesh_bound (G : Z -> R) C : (forall h, 0 <= G h) -> (forall h, q h = 0 -> G h = 0) ->
  (forall a b d, (a < b)%Z -> (0 <= d)%Z -> (forall h, (a <= h < b)%Z -> q h = IZR d / IZR L) ->
     wsum a (Z.to_nat (b - a)) G <= IZR (C a b d)) ->
  forall lo n, wsum lo n G <= IZR (mesh_total C marks ds).
Proof.
  intros HG H0 HC lo n. destruct (mesh_sum G C (dz marks ds) marks ds ok_rising ltac:(auto)) as [K1 K2].
  - intros a b d Hab Hd Hq. apply HC; auto. intros h Hh. rewrite ok_density, Hq by auto. reflexivity.
  - eapply Rle_trans; [|exact K1]. apply wsum_hull; auto. intros i Hi. apply H0, q_out. lia.
Qed.

Definition mesh_mass : Z := mesh_total (fun a b d => (b - a) * d)%Z marks ds.
Lemma mesh_whole lo n : wsum lo n q <= IZR mesh_mass / IZR L.
Proof.
  apply IZR_lt in HL as HLr. apply Rmult_le_reg_l with (IZR L); auto.
  replace (IZR L * (IZR mesh_mass / IZR L)) with (IZR mesh_mass) by (field; lra).
  rewrite <- wsum_scale. apply mesh_bound.
  - intros. apply Rmult_le_pos; [lra | apply q_nonneg].
  - intros h ->. lra.
  - intros a b d Hab Hd Hq. rewrite (wsum_ext _ _ _ (fun _ => IZR d)).
    + rewrite wsum_const, INR_IZR_INZ, Z2Nat.id, mult_IZR by lia. lra.
    + intros i Hi. rewrite Hq by lia. field. lra.
Qed.
Lemma mesh_reach e : 0 < e -> exists lo n, IZR mesh_mass / IZR L - e <= wsum lo n q.
Proof.
  intros He. apply IZR_lt in HL as HLr. exists (hd 0%Z marks), (Z.to_nat (last marks 0%Z - hd 0%Z marks)).
  destruct (mesh_sum (fun h => - IZR L * q h) (fun a b d => - ((b - a) * d))%Z (dz marks ds) marks ds ok_rising ltac:(auto)) as [K _].
  - intros a b d Hab Hd Hq. rewrite (wsum_ext _ _ _ (fun _ => - IZR d)).
    + rewrite wsum_const, INR_IZR_INZ, Z2Nat.id, opp_IZR, mult_IZR by lia. lra.
    + intros i Hi. rewrite ok_density, Hq by lia. field. lra.
  - rewrite wsum_scale, (mesh_total_opp (fun a b d => (b - a) * d)%Z), opp_IZR in K. fold mesh_mass in K.
    set (T := wsum _ _ _) in *. apply Rmult_le_reg_l with (IZR L); auto.
    replace (IZR L * (IZR mesh_mass / IZR L - e)) with (IZR mesh_mass - IZR L * e) by (field; lra).
    assert (0 < IZR L * e) by (apply Rmult_lt_0_compat; auto). lra.
Qed.

(* the cost, from a running sum F of the costs of half steps *)
Lemma mesh_loss (P F : Z -> Z) : (forall i, (0 <= P i)%Z) -> (forall h, P ((h + 1) / 2) = F (h + 1) - F h)%Z ->
  forall lo n, wsum lo n (fun h => q h * IZR (P ((h + 1) / 2)%Z)) <=
    IZR (mesh_total (fun a b d => d * (F b - F a))%Z marks ds) / IZR L.
Proof.
  intros HP HF lo n. apply IZR_lt in HL as HLr. apply Rmult_le_reg_l with (IZR L); auto.
  match goal with |- _ <= IZR L * (IZR ?t / IZR L) => replace (IZR L * (IZR t / IZR L)) with (IZR t) by (field; lra) end.
  rewrite <- wsum_scale. apply mesh_bound.
  - intros. apply Rmult_le_pos; [lra|]. apply Rmult_le_pos; [apply q_nonneg | apply IZR_le; auto].
  - intros h ->. lra.
  - intros a b d Hab Hd Hq. rewrite (wsum_ext _ _ _ (fun h => IZR d * (IZR (F (h + 1)%Z) - IZR (F h)))).
    + rewrite wsum_scale, (wsum_telescope _ (fun h => IZR (F h))), mult_IZR, minus_IZR.
      replace (a + Z.of_nat (Z.to_nat (b - a)))%Z with b by lia. lra.
    + intros i Hi. rewrite Hq, HF, minus_IZR by lia. field. lra.
Qed.

Section Private.
Variables (reach top bottom limit : Z) (E : R).
Hypothesis Hp : mesh_private reach L marks ds top bottom limit = true.
Hypothesis Hb : (0 < bottom)%Z.
Hypothesis Ht : (0 <= top)%Z.
Hypothesis HE : IZR top / IZR bottom <= E.
Let M := map (Z.mul top) ds.
Let HM : rising marks M. Proof. apply rising_map; [nia | apply ok_rising]. Qed.

Lemma kinks_sum x ms : forall es, rising ms es ->
  mesh_total (fun a b d => (b - a) * (bottom * d) - (run marks (map (Z.min (bottom * d)) M) (b + x) - run marks (map (Z.min (bottom * d)) M) (a + x)))%Z ms es
  = (mesh_total (fun a b d => (b - a) * (bottom * d)) ms es - ramps (kinks bottom marks M ms es) x)%Z.
Proof.
  induction ms as [|a [|b ms] IH]; intros es H; [destruct es; contradiction|destruct es; [reflexivity|contradiction]|].
  destruct es as [|d es]; [contradiction|]. destruct H as (H1 & H2 & H3).
  change (kinks bottom marks M (a :: b :: ms) (d :: es)) with
    (map (moved 1 b) (bends marks (map (Z.min (bottom * d)) M) 0) ++ map (moved (-1) a) (bends marks (map (Z.min (bottom * d)) M) 0) ++ kinks bottom marks M (b :: ms) es).
  rewrite !ramps_app, !ramps_moved, !bends_ramps by (apply rising_map; [nia | exact HM]).
  match goal with |- mesh_total ?C (a :: b :: ms) (d :: es) = _ =>
    change (mesh_total C (a :: b :: ms) (d :: es)) with (C a b d + mesh_total C (b :: ms) es)%Z end.
  rewrite IH by auto.
  change (mesh_total (fun a b d => (b - a) * (bottom * d))%Z (a :: b :: ms) (d :: es)) with
    ((b - a) * (bottom * d) + mesh_total (fun a b d => (b - a) * (bottom * d))%Z (b :: ms) es)%Z.
  cbv beta. replace (x + b)%Z with (b + x)%Z by lia. replace (x + a)%Z with (a + x)%Z by lia. lia.
Qed.

Lemma mesh_sticks s : (Z.abs s <= reach)%Z -> forall lo n,
  wsum lo n (fun h => Rmax 0 (q h - E * q (h - s)%Z)) <= IZR limit / IZR (bottom * L).
Proof.
  intros Hs lo n. apply IZR_lt in HL as HLr. apply IZR_lt in Hb as Hbr.
  set (x := (- s)%Z).
  assert (Hneed : (mesh_total (fun a b d => (b - a) * (bottom * d)) marks ds - ramps (kinks bottom marks M marks ds) x <= limit)%Z).
  { unfold mesh_private in Hp. fold M in Hp.
    pose proof (classify_sum reach (kinks bottom marks M marks ds) x ltac:(lia) 0%Z 0%Z []) as Hc.
    destruct (classify reach (kinks bottom marks M marks ds) 0 0 []) as [[v k] inner].
    rewrite andb_true_iff in Hp. destruct Hp as [_ Hsw]. destruct (sweep_sound _ _ _ _ _ _ Hsw) as [_ K].
    specialize (K x ltac:(lia)). rewrite <- (ramps_permutation _ _ x (KinkSort.Permuted_sort inner)) in K. simpl in Hc. lia. }
  rewrite mult_IZR. apply Rmult_le_reg_l with (IZR bottom * IZR L); [apply Rmult_lt_0_compat; auto|].
  replace (IZR bottom * IZR L * (IZR limit / (IZR bottom * IZR L))) with (IZR limit) by (field; lra).
  apply IZR_le in Hneed. eapply Rle_trans; [|exact Hneed]. rewrite <- kinks_sum by apply ok_rising.
  rewrite <- wsum_scale. apply mesh_bound.
  - intros. apply Rmult_le_pos; [|apply Rmax_l]. apply Rmult_le_pos; lra.
  - intros h Hh. rewrite Hh. rewrite Rmax_left; [lra|]. pose proof (q_nonneg (h - s)).
    assert (0 <= E * q (h - s)%Z); [|lra]. apply Rmult_le_pos; auto. eapply Rle_trans; [|exact HE].
    apply Rmult_le_pos; [apply IZR_le; auto | left; apply Rinv_0_lt_compat; auto].
  - intros a b d Hab Hd Hq. set (row := map (Z.min (bottom * d)) M).
    assert (Hrow : rising marks row) by (apply rising_map; [nia | exact HM]).
    apply Rle_trans with (wsum a (Z.to_nat (b - a)) (fun h => IZR (bottom * d) + -1 * (IZR (run marks row (h + 1 + x)%Z) - IZR (run marks row (h + x)%Z)))).
    + apply wsum_le. intros h Hh.
      rewrite <- minus_IZR. replace (h + 1 + x)%Z with (h + x + 1)%Z by lia. rewrite run_step by auto.
      pose proof (dz_min (bottom * d) M marks (h + x)%Z ltac:(nia) HM) as Hmin. fold row in Hmin.
      unfold M in Hmin. rewrite dz_scale in Hmin.
      rewrite Hq by lia. rewrite ok_density. replace (h - s)%Z with (h + x)%Z by (unfold x; lia).
      set (u := dz marks ds (h + x)) in *. assert (Hu : (0 <= u)%Z) by (apply dz_nonneg, ok_rising).
      set (z := dz marks row (h + x)) in *.
      assert (Hz1 : (z <= bottom * d)%Z) by lia. assert (Hz2 : (z <= top * u)%Z) by lia.
      apply IZR_le in Hz1, Hz2, Hu. rewrite mult_IZR in Hz1, Hz2.
      rewrite <- RmaxRmult by (apply Rmult_le_pos; lra). rewrite Rmult_0_r, mult_IZR. apply Rmax_lub; [lra|].
      replace (IZR bottom * IZR L * (IZR d / IZR L - E * (IZR u / IZR L))) with (IZR bottom * IZR d - IZR bottom * E * IZR u) by (field; lra).
      assert (IZR top * IZR u <= IZR bottom * E * IZR u); [|lra].
      apply Rmult_le_compat_r; auto. apply Rmult_le_reg_r with (/ IZR bottom); [apply Rinv_0_lt_compat; auto|].
      replace (IZR bottom * E * / IZR bottom) with E by (field; lra). exact HE.
    + rewrite wsum_plus, wsum_scale, wsum_const, INR_IZR_INZ, Z2Nat.id by lia.
      pose proof (wsum_telescope (Z.to_nat (b - a)) (fun u => IZR (run marks row (u + x)%Z)) a) as T. cbv beta in T. rewrite T.
      replace (a + Z.of_nat (Z.to_nat (b - a)))%Z with b by lia.
      rewrite !minus_IZR, !mult_IZR, !minus_IZR. lra.
Qed.
End Private.
End Mesh.
