(* The check of a file, and the theorem: what it accepts is true. *)
Require Import Reals ZArith List Bool Lra Lia.
Require Import Formal.Statements Formal.Laws Formal.Exp Formal.Masses Formal.Lists Formal.Cells Formal.Lattice
  Formal.Tail Formal.Mesh Formal.Lower Formal.Losses Formal.Release.
Import ListNotations.
Open Scope Z_scope.

(* ---- the check ---- *)
(* Multipliers are hints: no claim mentions them. *)
Record multipliers := Multipliers { m_step : Z * Z; m_scale : Z; m_reach : Z; m_shifts : list (bool * entry) }.

Definition positive (q : Z * Z) := (0 <? fst q) && (0 <? snd q).
Definition edge_ok (r : Z) (e : Z * Z) := (0 <? snd e) && ((2 * r * fst e) mod snd e =? 0).
Definition marks_of (r : Z) (edges : list (Z * Z)) := map (mark r) edges.
Definition unit_of (r : Z) (edges : list (Z * Z)) := common (marks_of r edges) 1.

(* weights are not negative; with the atom and all continued periods they sum to the denominator *)
Definition noise_ok (f : file) : bool :=
  (0 <? denominator f) && (0 <=? atom f) && (0 <? grid f) &&
  match noise f with
  | Lattice _ ws => nonneg ws && (total ws 0 =? denominator f - atom f)
  | Tailed first ws n (a, b) => tail_ok n ws a b && (first <=? 0) && (1 <=? first + Z.of_nat (length ws)) && Z.odd (grid f)
      && (tail_total (Z.to_nat n) ws a b =? (denominator f - atom f) * (b - a))
  | Mesh edges ws => let r := grid f in let L := unit_of r edges in
      forallb (edge_ok r) edges && (0 <? L) && mesh_ok L (marks_of r edges) ws
      && (mesh_mass (marks_of r edges) ws L =? L * (denominator f - atom f))
  end.
(* how many steps make the sensitivity, rounded up; cells are compared at so many shifts *)
Definition most_steps (f : file) : Z := - (- (fst (sensitivity f) * snd (step f)) / (snd (sensitivity f) * fst (step f))).
Definition private_ok (f : file) (b : (Z * Z) * (Z * Z)) : bool :=
  let lo := fst (enclosure (fst b)) in let U := 2 ^ kept in let k := most_steps f in
  let limit := room_for (denominator f) (atom f) (fst (snd b)) (snd (snd b)) U in
  enclosure_ok (fst b) && (0 <=? lo) && (0 <? snd (snd b)) &&
  match noise f with
  | Lattice _ ws => lattice_private k ws lo U (limit 1)
  | Tailed _ ws n (a, b) => tail_private k n ws a b lo U (limit (b * b * (b - a)))
  | Mesh edges ws => let r := grid f in let L := unit_of r edges in let marks := marks_of r edges in
      mesh_private (2 * r * k) L marks (densities L marks ws) lo U (limit L)
  end.
(* six times the sum of weight times cost, as a fraction *)
Definition cells_cost (f : file) (q : quadratic) : Z * Z :=
  let r := grid f in match noise f with
  | Lattice first ws => (zdot (cell_cost q r) ws first 0, 2 * r)
  | Tailed first ws n (a, b) => (tail_cost first n ws a b (cell_cost q r) (12 * qa q * (r * r * r)) (12 * ql q * (r * r))
      (12 * qr q * (r * r)) (qa q * (r * (r * r - 1)) + 12 * qc q * r), (b - a) * (b - a) * (b - a) * (2 * r))
  | Mesh edges ws => let L := unit_of r edges in let marks := marks_of r edges in
      (mesh_total (fun a b d => d * (running_half q b - running_half q a)) marks (densities L marks ws), L)
  end.
Definition cost_ok (f : file) (q : quadratic) (pn pd : Z) : bool :=
  let '(num, den) := cells_cost f q in
  (0 <? snd (upper f)) && (0 <? pd) && (0 <=? pn) &&
  ((num + atom f * (6 * q0 q) * den) * pn * snd (upper f) <=? fst (upper f) * pd * 6 * denominator f * den).
Definition lower_of (f : file) (m : multipliers) (n : Z) (kn : Z -> Z) (kd : Z) : lower_data := {|
  Lower.scale := m_scale m; Lower.reach := m_reach m; Lower.n := n; Lower.entries := expand (m_shifts m);
  Lower.kn := kn; Lower.kd := kd; Lower.top := snd (enclosure (epsilon f)); Lower.bottom := 2 ^ kept;
  Lower.ln := fst (lower f); Lower.ld := snd (lower f); Lower.dn := fst (delta f); Lower.dd := snd (delta f) |}.

Definition check (f : file) (m : multipliers) : bool :=
  let l := the_loss f in let b := m_step m in
  if loss_ok l && positive (sensitivity f) && positive (step f) && positive b && noise_ok f then
  if forallb (private_ok f) (budgets f) then
  match the_kind f with
  | Integer =>
      if (snd (sensitivity f) =? 1) && (snd (step f) =? 1) && (fst (step f) =? grid f) && (snd b =? 1) then
      if cost_ok f (whole_cost l) 1 (zden l) then
      if fst b =? 1 then lower_ok (lower_of f m (fst (sensitivity f)) (zcost l) (zden l))
      else lower_ok (lower_of f m (fst (sensitivity f) / fst b) (knum l (fst b)) (kden l 1))
      else false else false
  | Additive =>
      if cost_ok f (release_cost l) (pnum l (fst (step f))) (pden l (snd (step f)) (grid f)) then
      lower_ok (lower_of f m (fst (sensitivity f) * snd b / (snd (sensitivity f) * fst b)) (knum l (fst b)) (kden l (snd b)))
      else false
  end
  else false else false.

(* ---- the noise ---- *)
Open Scope R_scope.
Lemma mass_halves f i : mass f i = halves (half_step (noise f) (grid f)) (IZR (denominator f)) (IZR (atom f)) i.
Proof. reflexivity. Qed.
Lemma odd_half r : Z.odd r = true -> (0 < r)%Z -> exists k, (0 <= k)%Z /\ r = (2 * k + 1)%Z.
Proof. intros H Hr. rewrite Z.odd_spec in H. destruct H as [k ->]. exists k. split; lia. Qed.

Section Noise.
Variable f : file.
Hypothesis Hok : noise_ok f = true.
Notation q := (half_step (noise f) (grid f)).
Notation den := (IZR (denominator f)).
Notation at0 := (IZR (atom f)).

Lemma basics : 0 < den /\ 0 <= at0 /\ (0 < grid f)%Z.
Proof.
  unfold noise_ok in Hok. rewrite !andb_true_iff, !Z.ltb_lt, Z.leb_le in Hok. destruct Hok as [[[A B] C] _].
  repeat split; auto; [apply IZR_lt | apply IZR_le]; auto.
Qed.
Lemma half_nonneg h : 0 <= q h.
Proof.
  destruct basics as (_ & _ & Hg). unfold noise_ok in Hok. rewrite !andb_true_iff in Hok. destruct Hok as [_ H].
  destruct (noise f) as [first ws|first ws n [a b]|edges ws].
  - rewrite andb_true_iff in H. apply (spread_nonneg (plain_weight first ws)); auto. intros c. apply plain_nonneg. apply nonneg_all, H.
  - rewrite !andb_true_iff in H. destruct H as [[[[H _] _] _] _].
    apply (spread_nonneg (tailed_weight first ws n (ratio (a, b)))); auto. intros c. apply tailed_nonneg; auto.
  - rewrite !andb_true_iff, Z.ltb_lt in H. destruct H as [[[_ H1] H2] _]. apply (q_nonneg _ _ _ H1 H2).
Qed.
Lemma noise_sums : (forall lo n, wsum lo n q <= den - at0) /\ (forall e, 0 < e -> exists lo n, den - at0 - e <= wsum lo n q).
Proof.
  destruct basics as (_ & _ & Hg). unfold noise_ok in Hok. rewrite !andb_true_iff in Hok. destruct Hok as [_ H].
  destruct (noise f) as [first ws|first ws n [a b]|edges ws].
  - rewrite andb_true_iff, Z.eqb_eq in H. destruct H as [H1 H2]. apply nonneg_all in H1.
    assert (E : den - at0 = IZR (total ws 0)) by (rewrite H2, minus_IZR; reflexivity). rewrite E. split.
    + apply (cells_total (plain_weight first ws)); auto using plain_nonneg, plain_total.
    + apply (cells_reach (plain_weight first ws)); auto using plain_reach.
  - rewrite !andb_true_iff, Z.eqb_eq in H. destruct H as [[[[H1 _] _] _] H2].
    assert (Hab : (0 < b - a)%Z) by (destruct (tail_facts n a b ws H1) as (_ & Hab & _); lia). apply IZR_lt in Hab.
    assert (E : den - at0 = whole n a b ws).
    { unfold whole. rewrite H2, mult_IZR, minus_IZR. field. lra. }
    rewrite E. split.
    + apply (cells_total (tailed_weight first ws n (ratio (a, b)))); auto using tailed_nonneg, tailed_total.
    + apply (cells_reach (tailed_weight first ws n (ratio (a, b)))); auto using tailed_reach.
  - rewrite !andb_true_iff, Z.ltb_lt, Z.eqb_eq in H. destruct H as [[[_ H1] H2] H3]. apply IZR_lt in H1 as HL.
    fold (marks_of (grid f) edges) in *. cbn [half_step]. fold (marks_of (grid f) edges).
    assert (E : den - at0 = IZR (mesh_mass (marks_of (grid f) edges) ws (unit_of (grid f) edges)) / IZR (unit_of (grid f) edges)).
    { rewrite H3, mult_IZR, minus_IZR. field. lra. }
    rewrite E. split; [apply mesh_whole; auto | apply mesh_reach; auto].
Qed.
Lemma noise_distribution : distribution (mass f).
Proof.
  destruct basics as (A & B & _). destruct noise_sums as [S1 S2].
  apply (halves_distribution q den at0); auto using half_nonneg.
Qed.

Lemma room_low dn dd more : (0 < dd)%Z -> (0 < more)%Z ->
  IZR (room_for (denominator f) (atom f) dn dd (2 ^ kept) more) / IZR (2 ^ kept * more) <= IZR dn / IZR dd * den - at0.
Proof.
  intros Hd Hm. assert (HU : (0 < 2 ^ kept)%Z) by reflexivity. unfold room_for.
  assert (Hd' := IZR_lt _ _ Hd). assert (Hm' := IZR_lt _ _ Hm). assert (HU' := IZR_lt _ _ HU).
  rewrite mult_IZR. set (U := (2 ^ kept)%Z) in *.
  apply Rmult_le_reg_r with (IZR U * IZR more); [apply Rmult_lt_0_compat; auto|].
  unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by (apply Rmult_integral_contrapositive; split; lra).
  eapply Rle_trans; [apply div_low; auto|]. rewrite !mult_IZR, minus_IZR, !mult_IZR. right. field. lra.
Qed.

Lemma noise_private b : private_ok f b = true -> 0 <= ratio (fst b) /\
  forall X : zlaw, has_masses X (mass f) -> forall A s, (forall j, A j = 0 \/ A j = 1) ->
  (Z.abs s <= most_steps f * grid f)%Z ->
  mean X A <= exp (ratio (fst b)) * mean X (fun j => A (j + s)%Z) + ratio (snd b).
Proof.
  destruct b as [eps [dn dd]]. unfold private_ok. cbn [fst snd].
  rewrite !andb_true_iff, Z.leb_le, Z.ltb_lt. intros [[[H1 Hlo] Hdd] H].
  destruct (enclosure_sound _ H1) as (He & Hl & _). split; auto. intros X HX A s HA Hs.
  set (E := exp (ratio eps)) in *. assert (HE1 : 1 <= E) by (apply exp_ge_1; auto).
  destruct basics as (Hden & Hat & Hg). assert (HU : (0 < 2 ^ kept)%Z) by reflexivity.
  assert (Hsticks : exists room, room <= IZR dn / IZR dd * den - at0 /\
    forall lo n, wsum lo n (fun h => Rmax 0 (q h - E * q (h - 2 * s)%Z)) <= room).
  { pose proof Hok as Hok'. unfold noise_ok in Hok'. rewrite !andb_true_iff in Hok'. destruct Hok' as [_ Hn].
    set (lo := fst (enclosure eps)) in *.
    destruct (noise f) as [first ws|first ws n [a b]|edges ws].
    - rewrite andb_true_iff in Hn. destruct Hn as [Hw _]. apply nonneg_all in Hw.
      destruct (lattice_private_sound first ws Hw _ _ _ _ E H HU Hlo Hl HE1) as [R0 R1].
      eexists. split; [apply (room_low dn dd 1); auto; lia|]. rewrite Z.mul_1_r.
      apply (cells_private (plain_weight first ws) (grid f) Hg E _ (most_steps f) (2 * s)); auto. lia.
    - rewrite !andb_true_iff in Hn. destruct Hn as [[[[Ht _] _] _] _].
      destruct (tail_private_sound first n a b ws Ht _ _ _ _ E H HU Hlo Hl) as [R0 R1].
      destruct (tail_facts n a b ws Ht) as (_ & Hab & _).
      eexists. split; [apply (room_low dn dd (b * b * (b - a))); auto; repeat apply Z.mul_pos_pos; lia|].
      apply (cells_private (tailed_weight first ws n (ratio (a, b))) (grid f) Hg E _ (most_steps f) (2 * s)); auto. lia.
    - rewrite !andb_true_iff, Z.ltb_lt in Hn. destruct Hn as [[[_ HL] Hm] _].
      eexists. split; [apply (room_low dn dd (unit_of (grid f) edges)); auto|]. intros lo0 n.
      apply (mesh_sticks _ ws _ HL Hm _ _ _ _ E H HU Hlo Hl (2 * s)). lia. }
  destruct Hsticks as (room & Hroom & Hst).
  assert (Hd : 0 < IZR dd) by (apply IZR_lt; auto).
  apply (masses_private X (mass f) HX noise_distribution E (IZR dn / IZR dd) s A); [lra| |exact HA].
  intros lo n. eapply Rle_trans; [apply (halves_private q den at0 Hden Hat E room s ltac:(lra) Hst)|].
  apply Rmult_le_reg_r with den; auto. unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.

Lemma cells_cost_ok c : quadratic_ok c -> (0 < snd (cells_cost f c))%Z /\
  forall lo n, wsum lo n (fun h => q h * (6 * IZR (at_point c ((h + 1) / 2)))) <=
    IZR (fst (cells_cost f c)) / IZR (snd (cells_cost f c)).
Proof.
  intros Hc. destruct basics as (_ & _ & Hg). unfold cells_cost. unfold noise_ok in Hok. rewrite !andb_true_iff in Hok. destruct Hok as [_ H].
  assert (HP : forall i, 0 <= 6 * IZR (at_point c i)).
  { intros. pose proof (at_point_nonneg c i Hc) as K. apply IZR_le in K. lra. }
  assert (HF : forall h, 6 * IZR (at_point c ((h + 1) / 2)) = IZR (running_half c (h + 1)) - IZR (running_half c h)).
  { intros h. rewrite <- minus_IZR, <- running_half_step, mult_IZR. reflexivity. }
  assert (Hscale : forall W num e, (0 < e)%Z -> (forall z, 0 <= W z) ->
    (forall lo m, wsum lo m (fun z => W z * IZR (cell_cost c (grid f) z)) <= IZR num / IZR e) ->
    forall lo n, wsum lo n (fun h => spread W (grid f) h * (6 * IZR (at_point c ((h + 1) / 2)))) <= IZR num / IZR (e * (2 * grid f))).
  { intros W num e Hpos HW HB. assert (He := IZR_lt _ _ Hpos).
    assert (Hr2 : 0 < IZR (2 * grid f)) by (apply IZR_lt; lia).
    apply (cells_loss W (grid f) HW Hg (fun i => 6 * IZR (at_point c i)) (fun h => IZR (running_half c h))); auto.
    - intros h. rewrite HF. lra.
    - intros lo m. rewrite (wsum_ext m lo _ (fun z => / IZR (2 * grid f) * (W z * IZR (cell_cost c (grid f) z)))).
      + rewrite wsum_scale. specialize (HB lo m). rewrite (mult_IZR e).
        apply Rmult_le_reg_l with (IZR (2 * grid f)); auto.
        rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l by lra. eapply Rle_trans; [exact HB|]. right. field. lra.
      + intros i _. unfold cell_cost. rewrite minus_IZR. field. lra. }
  destruct (noise f) as [first ws|first ws n [a b]|edges ws]; cbn [fst snd].
  - rewrite andb_true_iff in H. destruct H as [Hw _]. apply nonneg_all in Hw. split; [lia|].
    intros lo n. replace (2 * grid f)%Z with (1 * (2 * grid f))%Z by lia.
    apply (Hscale (plain_weight first ws)); auto using plain_nonneg; [lia|]. intros lo' m.
    eapply Rle_trans; [apply (plain_loss first ws Hw (cell_cost c (grid f)))|right; field].
    intros z. apply cell_cost_nonneg; auto. lia.
  - rewrite !andb_true_iff, !Z.leb_le in H. destruct H as [[[[Ht H1] H2] Ho] _].
    destruct (tail_facts n a b ws Ht) as (_ & Hab & _).
    assert (Hd : (0 < (b - a) * (b - a) * (b - a))%Z) by (repeat apply Z.mul_pos_pos; lia).
    split; [apply Z.mul_pos_pos; lia|]. destruct (odd_half _ Ho Hg) as (k & Hk & Hr).
    intros lo m. apply (Hscale (tailed_weight first ws n (ratio (a, b)))); auto using tailed_nonneg. destruct Hc as (C1 & C2 & C3 & C4 & C5).
    set (r := grid f) in *. assert (Hr2 : (0 <= r * r)%Z) by nia. assert (Hr3 : (0 <= r * r * r)%Z) by nia.
    assert (Hr4 : (0 <= r * (r * r - 1))%Z) by nia.
    assert (A1 : (0 <= 12 * qa c * (r * r * r))%Z) by (apply Z.mul_nonneg_nonneg; lia).
    assert (A2 : (0 <= 12 * ql c * (r * r))%Z) by (apply Z.mul_nonneg_nonneg; lia).
    assert (A3 : (0 <= 12 * qr c * (r * r))%Z) by (apply Z.mul_nonneg_nonneg; lia).
    assert (A4 : (0 <= qa c * (r * (r * r - 1)) + 12 * qc c * r)%Z) by (apply Z.add_nonneg_nonneg; apply Z.mul_nonneg_nonneg; lia).
    apply (tailed_loss first n a b ws Ht (cell_cost c r) _ _ _ _ A1 A2 A3 A4 H1 H2).
    + intros z. apply cell_cost_nonneg; [repeat split; auto | lia].
    + intros z Hz. rewrite Hr. apply (cell_cost_right c k z Hk Hz).
    + intros z Hz. rewrite Hr. apply (cell_cost_left c k z Hk Hz).
  - rewrite !andb_true_iff, Z.ltb_lt in H. destruct H as [[[_ HL] Hm] _]. split; auto. intros lo n.
    pose proof (mesh_loss (marks_of (grid f) edges) ws _ HL Hm (fun i => 6 * at_point c i)%Z (running_half c)
      ltac:(intros i; pose proof (at_point_nonneg c i Hc); lia) (running_half_step c) lo n) as K.
    eapply Rle_trans; [|exact K]. right. apply wsum_ext. intros i _. rewrite mult_IZR. reflexivity.
Qed.

Lemma noise_loss c pn pd : quadratic_ok c -> cost_ok f c pn pd = true ->
  forall lo n, wsum lo n (fun i => IZR (at_point c i) * (IZR pn / IZR pd) * mass f i) <= ratio (upper f).
Proof.
  intros Hc H lo n. destruct (cells_cost_ok c Hc) as [Hpos Hcost]. unfold cost_ok in H.
  destruct (cells_cost f c) as [num e]. cbn [fst snd] in *.
  rewrite !andb_true_iff, !Z.ltb_lt, !Z.leb_le in H. destruct H as [[[Hu Hpd] Hpn] H].
  destruct basics as (Hden & Hat & _).
  assert (HP : forall i, 0 <= 6 * IZR (at_point c i)).
  { intros. pose proof (at_point_nonneg c i Hc) as K. apply IZR_le in K. lra. }
  pose proof (halves_loss q den at0 Hden Hat (fun i => 6 * IZR (at_point c i)) _ HP Hcost lo n) as K.
  assert (Hu' := IZR_lt _ _ Hu). assert (Hpd' := IZR_lt _ _ Hpd). assert (Hpos' := IZR_lt _ _ Hpos). assert (Hpn' := IZR_le _ _ Hpn).
  cbv beta in K. change (at_point c 0) with (q0 c) in K.
  rewrite (wsum_ext n lo _ (fun i => (IZR pn / IZR pd / 6) * (6 * IZR (at_point c i) * halves q den at0 i))).
  2:{ intros i _. rewrite mass_halves. field. lra. }
  rewrite wsum_scale. unfold ratio. apply IZR_le in H. repeat rewrite ?mult_IZR, ?plus_IZR in H.
  assert (Hf : 0 <= IZR pn / IZR pd / 6).
  { apply Rmult_le_pos; [apply Rmult_le_pos; auto; left; apply Rinv_0_lt_compat; auto | lra]. }
  apply Rmult_le_compat_l with (r := IZR pn / IZR pd / 6) in K; auto.
  eapply Rle_trans; [exact K|].
  apply Rmult_le_reg_r with (IZR (snd (upper f)) * IZR pd * 6 * den * IZR e); [repeat apply Rmult_lt_0_compat; auto; lra|].
  replace (IZR (fst (upper f)) / IZR (snd (upper f)) * (IZR (snd (upper f)) * IZR pd * 6 * den * IZR e)) with
    (IZR (fst (upper f)) * IZR pd * 6 * den * IZR e) by (field; lra).
  eapply Rle_trans; [|exact H]. right. field. lra.
Qed.
End Noise.

(* ---- the theorem ---- *)
Theorem check_sound f m : check f m = true -> claims f.
Proof.
  unfold check, claims.
  destruct (loss_ok (the_loss f) && positive (sensitivity f) && positive (step f) && positive (m_step m) && noise_ok f)%bool eqn:E1; [|discriminate].
  destruct (forallb (private_ok f) (budgets f)) eqn:E2; [|discriminate].
  unfold positive in E1. rewrite !andb_true_iff, !Z.ltb_lt in E1.
  destruct E1 as [[[[Hl [Hs1 Hs2]] [Hb1 Hb2]] [Hm1 Hm2]] Hn]. rewrite forallb_forall in E2.
  destruct (basics f Hn) as (_ & _ & Hg). destruct (costs_ok _ Hl) as [Hw Hr].
  assert (Rs1 := IZR_lt _ _ Hs1). assert (Rs2 := IZR_lt _ _ Hs2). assert (Rb1 := IZR_lt _ _ Hb1). assert (Rb2 := IZR_lt _ _ Hb2).
  assert (Rm1 := IZR_lt _ _ Hm1). assert (Rm2 := IZR_lt _ _ Hm2). assert (Rg := IZR_lt _ _ Hg).
  assert (Hfirst : private_ok f (epsilon f, delta f) = true) by (apply E2; left; reflexivity).
  destruct (enclosure_sound (epsilon f)) as (He & _ & Hhi).
  { unfold private_ok in Hfirst. cbn [fst snd] in Hfirst. rewrite !andb_true_iff in Hfirst. apply Hfirst. }
  (* steps reach the sensitivity *)
  assert (Hk : ratio (sensitivity f) <= IZR (most_steps f) * ratio (step f)).
  { unfold most_steps, ratio. set (p := (fst (sensitivity f) * snd (step f))%Z). set (t := (snd (sensitivity f) * fst (step f))%Z).
    assert (Ht : (0 < t)%Z) by (apply Z.mul_pos_pos; auto).
    pose proof (div_low (- p) t Ht) as K. rewrite opp_IZR. rewrite (opp_IZR p) in K.
    assert (Ht' := IZR_lt _ _ Ht). unfold p, t in K, Ht'. rewrite !mult_IZR in K, Ht'. fold p t in K.
    apply Rmult_le_reg_r with (IZR (snd (step f)) / IZR (fst (step f))); [apply Rmult_lt_0_compat; auto; apply Rinv_0_lt_compat; auto|].
    apply Ropp_le_contravar in K.
    replace (- IZR (- p / t) * (IZR (fst (step f)) / IZR (snd (step f))) * (IZR (snd (step f)) / IZR (fst (step f)))) with (- IZR (- p / t)) by (field; lra).
    eapply Rle_trans; [|exact K]. right. unfold t. rewrite mult_IZR. field. lra. }
  destruct (the_kind f).
  - (* integer *)
    destruct ((snd (sensitivity f) =? 1) && (snd (step f) =? 1) && (fst (step f) =? grid f) && (snd (m_step m) =? 1))%Z eqn:E3; [|discriminate].
    rewrite !andb_true_iff, !Z.eqb_eq in E3. destruct E3 as [[[D1 T1] T2] B1].
    destruct (cost_ok f (whole_cost (the_loss f)) 1 (zden (the_loss f))) eqn:E4; [|discriminate]. intros E5.
    assert (HD : ratio (sensitivity f) = IZR (fst (sensitivity f))) by (unfold ratio; rewrite D1; field).
    unfold claims_integer. split; [|split].
    + apply noise_distribution; auto.
    + intros X HX. split.
      * intros b Hb A s [_ HA] Hs. destruct (noise_private f Hn b (E2 b Hb)) as [_ K]. apply (K X HX A s HA).
        apply le_IZR. eapply Rle_trans; [exact Hs|]. eapply Rle_trans; [exact Hk|].
        rewrite mult_IZR. unfold ratio. rewrite T1, T2. right. field.
      * intros g _ Hgb Hgc. apply (masses_loss X (mass f) HX (noise_distribution f Hn)
          (fun i => IZR (at_point (whole_cost (the_loss f)) i) * (1 / IZR (zden (the_loss f))))); auto.
        { apply (noise_loss f Hn _ 1 (zden (the_loss f)) Hw E4). }
        { intros i. eapply Rle_trans; [apply Hgc|]. rewrite <- zcost_cost, whole_cost_at by auto.
          assert (Hz := IZR_lt _ _ (zden_pos _ Hl)). right. field. lra. }
    + intros Y HY B HB. specialize (HY _ (or_introl eq_refl)). cbn [fst snd] in HY.
      assert (HYz : zprivate Y (ratio (epsilon f)) (IZR (fst (delta f)) / IZR (snd (delta f))) (fst (sensitivity f))).
      { intros A s HA Hs. apply HY; auto. rewrite HD. apply IZR_le; auto. }
      destruct (Z.eqb_spec (fst (m_step m)) 1) as [Hb|Hb].
      * apply (integer_lower (lower_of f m (fst (sensitivity f)) (zcost (the_loss f)) (zden (the_loss f))) (the_loss f) (ratio (epsilon f)) (fst (sensitivity f))) with (L := Y); auto.
        { apply zcost_outwards; auto. }
        { intros i. simpl. rewrite zcost_cost by auto. lra. }
        { simpl. lia. }
      * apply (whole_step_lower (lower_of f m (fst (sensitivity f) / fst (m_step m)) (knum (the_loss f) (fst (m_step m))) (kden (the_loss f) 1)) (the_loss f) (ratio (epsilon f)) (fst (sensitivity f)) (fst (m_step m))) with (Y := Y); auto.
        { apply knum_outwards; auto. }
        { intros i u Hu. simpl. pose proof (minorant (the_loss f) (fst (m_step m)) 1 i u Hl Hm1 ltac:(lia) Hu) as K.
          replace (IZR (fst (m_step m)) / 1) with (IZR (fst (m_step m))) in K by field. exact K. }
        { simpl. rewrite Z.mul_comm. apply Z.mul_div_le. auto. }
  - (* additive *)
    destruct (cost_ok f (release_cost (the_loss f)) (pnum (the_loss f) (fst (step f))) (pden (the_loss f) (snd (step f)) (grid f))) eqn:E4; [|discriminate].
    intros E5. set (g := ratio (step f) / IZR (grid f)).
    assert (Hg0 : 0 < g) by (unfold g, ratio; repeat apply Rmult_lt_0_compat; auto; apply Rinv_0_lt_compat; auto).
    unfold claims_additive. fold g. split; [|split].
    + apply noise_distribution; auto.
    + intros X HX. split.
      * intros b Hb v v' A Hv HA. destruct (noise_private f Hn b (E2 b Hb)) as [_ K].
        apply (released_private X g Hg0 (most_steps f * grid f)); auto.
        eapply Rle_trans; [exact Hv|]. eapply Rle_trans; [exact Hk|]. right. unfold g. rewrite mult_IZR. field. lra.
      * intros v k Hkb Hkc.
        set (P := fun i => IZR (at_point (release_cost (the_loss f)) i) * (IZR (pnum (the_loss f) (fst (step f))) / IZR (pden (the_loss f) (snd (step f)) (grid f)))).
        apply (released_loss X g Hg0 (cost (the_loss f)) P); auto.
        { intros h Hh Hle. apply (masses_loss X (mass f) HX (noise_distribution f Hn) P); auto. apply (noise_loss f Hn _ _ _ Hr E4). }
        { intros j u Hu. unfold P. rewrite release_cost_at. apply pcost_ok; auto.
          unfold g, ratio. rewrite mult_IZR. field. lra. }
    + intros Y HY B HB. specialize (HY _ (or_introl eq_refl)). cbn [fst snd] in HY.
      apply (real_lower (lower_of f m (fst (sensitivity f) * snd (m_step m) / (snd (sensitivity f) * fst (m_step m))) (knum (the_loss f) (fst (m_step m))) (kden (the_loss f) (snd (m_step m)))) (the_loss f) (ratio (epsilon f)) (ratio (sensitivity f)) (ratio (m_step m))) with (L := Y); auto.
      * apply knum_outwards; auto.
      * unfold ratio. apply Rmult_lt_0_compat; auto. apply Rinv_0_lt_compat; auto.
      * intros i u Hu. simpl. apply minorant; auto.
      * simpl. unfold ratio.
        pose proof (div_low (fst (sensitivity f) * snd (m_step m)) (snd (sensitivity f) * fst (m_step m)) ltac:(nia)) as K.
        rewrite !mult_IZR in K.
        apply Rmult_le_compat_r with (r := IZR (fst (m_step m)) / IZR (snd (m_step m))) in K.
        { eapply Rle_trans; [apply K|]. right. field. lra. }
        { left. apply Rmult_lt_0_compat; auto. apply Rinv_0_lt_compat; auto. }
Qed.
