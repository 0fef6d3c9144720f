(* The check of a file, and the theorem: what it accepts is true. *)
Require Import Reals ZArith QArith Qreals List Bool Lra Lia FunctionalExtensionality.
Require Import Formal.Statements Formal.Laws Formal.Exp Formal.Masses Formal.Lists Formal.Cells Formal.Lattice
  Formal.Tail Formal.Mesh Formal.Lower Formal.Pieces Formal.Costs Formal.Losses Formal.Release Formal.Shape Formal.Peaks Formal.Means Formal.Rules
  Formal.Moves Formal.Demands.
Import ListNotations.
Open Scope Z_scope.

(* ---- the check ---- *)
(* Multipliers are hints: no claim mentions them.  Each shift says at which point, a budget, it uses
   privacy, and whether its mirror image counts, too.  m_duals are those of the constraints. *)
Record multipliers := Multipliers { m_step : Z * Z; m_scale : Z; m_reach : Z;
  m_points : list ((Z * Z) * (Z * Z)); m_shifts : list (Z * bool * entry); m_duals : list dual }.

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
(* beyond the listed cells of a tail the cost is one quadratic on each side, and rises *)
Definition right_quad (f : file) (k : costs) := cell_quad (outer (turns k) (base k)) (grid f).
Definition left_quad (f : file) (k : costs) := cell_quad (base k) (grid f).
Definition tail_simple (f : file) (k : costs) : bool := match noise f with
  | Tailed first ws _ _ => let r := grid f in let m := (r - 1) / 2 in
      settled (turns k) ((first + Z.of_nat (length ws)) * r - m) && not_begun (turns k) ((first - 1) * r + m)
      && (0 <=? qa (right_quad f k)) && (0 <=? qb (right_quad f k)) && (0 <=? qa (left_quad f k)) && (qb (left_quad f k) <=? 0)
  | _ => true
  end.
(* Huber's loss is nowhere above half the square, which is as good where a tail begins within its width *)
Definition widen (p : piece Z) : piece Z := match p with Bowl a _ => Square a | _ => p end.
Definition upper_pieces (f : file) (costs_of : list (piece Z) -> costs) (ps : list (piece Z)) : list (piece Z) :=
  if tail_simple f (costs_of ps) then ps else map widen ps.
(* six times the sum of weight times cost, as a fraction *)
Definition cells_cost (f : file) (k : costs) : Z * Z :=
  let r := grid f in match noise f with
  | Lattice first ws => (zdot (cell_cost k r) ws first 0, 2 * r)
  | Tailed first ws n (a, b) => let right := right_quad f k in let left := left_quad f k in
      (tail_cost first n ws a b (cell_cost k r) (qa right) (qb right) (qc right) (qa left) (- qb left) (qc left),
       (b - a) * (b - a) * (b - a) * (2 * r))
  | Mesh edges ws => let L := unit_of r edges in let marks := marks_of r edges in
      (mesh_total (fun a b d => d * (running_half k b - running_half k a)) marks (densities L marks ws), L)
  end.
(* costs are in units of 1/pd *)
Definition cost_ok (f : file) (k : costs) (pd : Z) (bound : Z * Z) : bool :=
  let '(num, den) := cells_cost f k in
  tail_simple f k && (0 <? snd bound) && (0 <? pd) &&
  ((num + atom f * (6 * at_point k 0) * den) * snd bound <=? fst bound * pd * 6 * denominator f * den).
(* a release costs at most `bound` *)
Definition upper_ok (f : file) (the_loss : loss) (bound : Z * Z) : bool :=
  let l := pieces the_loss in
  let u := match the_kind f with Integer => (1, 1) | Additive => (fst (step f), snd (step f) * grid f) end in
  let s := scaled_to l u in
  scaled_ok l u s &&
  match the_kind f with
  | Integer => let costs_of := whole_costs (per s) in cost_ok f (costs_of (upper_pieces f costs_of (parts s))) (divisor s) bound
  | Additive => let costs_of := release_costs (per s) in cost_ok f (costs_of (upper_pieces f costs_of (parts s))) (4 * divisor s) bound
  end.

(* Constraints: where the noise is, its shape, its mean, a second loss. *)
Definition grid_length (f : file) : Z * Z := match the_kind f with Integer => (1, 1) | Additive => (fst (step f), snd (step f) * grid f) end.
Definition demand_ok (f : file) (d : demand) : bool := let g := grid_length f in match d with
  | Support low high => sound_end low && sound_end high &&
      noise_inside f (option_map (fun q => divide_up q g) low) (option_map (fun q => divide_down q g) high)
  | MaxError t => let most := match the_kind f with Integer => divide_down t g | Additive => divide_down t g - 1 end in
      sound t && noise_inside f (Some (- most)) (Some most)
  | Symmetric => noise_even f
  | Unimodal a => sound a && ((atom f =? 0) || (fst a =? 0)) &&
      match the_kind f with
      | Integer => noise_peaked f (2 * divide_down a g) (2 * divide_up a g)
      | Additive => let half := (fst g, 2 * snd g) in noise_peaked f (divide_up a half - 1) (divide_down a half + 1)
      end
  | Unbiased => noise_centred f
  | LossAtMost l bound => loss_ok l && upper_ok f l bound
  | Distinguishing q => sound (sensitivity f) && seldom_ok f (2 * divide_up (sensitivity f) g) q
  end.
Definition largest (is : list Z) : option Z := match is with [] => None | i :: rest => Some (fold_left Z.max rest i) end.
Definition least (is : list Z) : option Z := match is with [] => None | i :: rest => Some (fold_left Z.min rest i) end.
(* the steps that noise between the ends is rounded to, and the whole numbers between them *)
Definition step_ends (f : file) (b : Z * Z) : option Z * option Z :=
  (largest (map (fun q => divide_down q b) (flat_map lows (constraints f))), least (map (fun q => divide_up q b) (flat_map highs (constraints f)))).
Definition whole_ends (f : file) : option Z * option Z :=
  (largest (map (fun q => divide_up q (1, 1)) (flat_map lows (constraints f))), least (map (fun q => divide_down q (1, 1)) (flat_map highs (constraints f)))).

(* A point is one at which all noise must be private: some budget of the file asks as much. *)
Definition at_most (p q : Z * Z) : bool := fst p * snd q <=? fst q * snd p.
Definition asked (f : file) (point : (Z * Z) * (Z * Z)) : bool :=
  existsb (fun b => at_most (fst b) (fst point) && at_most (snd b) (snd point)) (budgets f).
Definition common_delta (m : multipliers) : Z := fold_left (fun acc p => Z.lcm acc (snd (snd p))) (m_points m) 1.
Definition price_of (dd : Z) (point : (Z * Z) * (Z * Z)) : Z * Z :=
  (snd (enclosure (fst point)), fst (snd point) * (dd / snd (snd point))).
Definition point_ok (f : file) (dd : Z) (point : (Z * Z) * (Z * Z)) : bool :=
  enclosure_ok (fst point) && (0 <? snd (snd point)) && (dd mod snd (snd point) =? 0) && asked f point.
Definition points_ok (f : file) (m : multipliers) : bool :=
  forallb (point_ok f (common_delta m)) (m_points m)
  && forallb (fun e => let '(p, _, _) := e in (Z.to_nat p <? length (m_points m))%nat) (m_shifts m).
Definition lower_of (m : multipliers) (n : Z) (extra : list (Z * Z)) (bound : Z * Z) (kn : Z -> Z) (kd : Z) (ends : option Z * option Z) : lower_data :=
  let dd := common_delta m in let prices := map (price_of dd) (m_points m) in {|
  Lower.scale := m_scale m; Lower.reach := m_reach m; Lower.n := n;
  Lower.entries := expand (fun p => nth (Z.to_nat p) prices (0, 0)) (m_shifts m); Lower.extra := extra;
  Lower.kn := kn; Lower.kd := kd; Lower.bottom := 2 ^ kept;
  Lower.ln := fst bound; Lower.ld := snd bound; Lower.dd := dd;
  Lower.lo := fst ends; Lower.hi := snd ends |}.
(* What constraints add: their losses, a slope, values at cells; and what they spend. *)
Definition duals_of (f : file) (m : multipliers) : list (demand * dual) := combine (constraints f) (m_duals m).
Definition loss_with (f : file) (ps : list (demand * dual)) : loss := the_loss f ++ flat_map adds_loss ps.
Definition bound_with (f : file) (scale : Z) (ps : list (demand * dual)) : Z * Z :=
  plus (lower f) (plus (sum_of (spends_cells scale) ps) (sum_of spends_loss ps)).
Definition pieces_with (l : loss) (slope : Z * Z) : list (piece Q) := pieces l ++ if fst slope =? 0 then [] else [Line (q_of slope) 0%Q].
(* with a slope the loss must outweigh it beyond the edge, unless no noise is there *)
Definition open_sides_ok (slope : Z * Z) (ps : list (piece Z)) (G edge : Z) (ends : option Z * option Z) : bool :=
  ((fst slope =? 0) || steep_right ps (edge * G) || match snd ends with Some h => h <=? edge | None => false end) &&
  ((fst slope =? 0) || steep_left ps (- edge * G) || match fst ends with Some l => - edge <=? l | None => false end).
(* a bound cl, cr beyond the edge; within it k, at the edge no more than the bound *)
Definition beyond (edge cl cr : Z) (k : Z -> Z) (i : Z) : Z := if edge <? i then cr else if i <? - edge then cl else k i.
Definition lowered (edge cl cr : Z) (k : Z -> Z) (i : Z) : Z :=
  let v := k i in let v := if edge <=? i then Z.min v cr else v in if i <=? - edge then Z.min v cl else v.
(* steps of the certificate: b; n of them are within the sensitivity *)
Definition certified_steps (f : file) (m : multipliers) : bool :=
  let b := m_step m in let ds := match the_kind f with Integer => [] | Additive => duals_of f m end in
  let ends := match the_kind f with Integer => (None, None) | Additive => step_ends f b end in
  let slope := sum_of adds_slope ds in let ps := pieces_with (loss_with f ds) slope in let s := scaled_to ps b in
  let n := fst (sensitivity f) * snd b / (snd (sensitivity f) * fst b) in
  let edge := m_reach m + n in let G := per s in
  let cl := 4 * (G * G) * far_left (parts s) (- edge * G) in let cr := 4 * (G * G) * far_right (parts s) (edge * G) in
  scaled_ok ps b s && points_ok f m && forallb dual_ok ds && open_sides_ok slope (parts s) G edge ends &&
  lower_ok (lower_of m n (flat_map (adds_cells f false b edge) ds) (bound_with f (m_scale m) ds)
    (beyond edge cl cr (lowered edge cl cr (floor_at G (parts s)))) (4 * (G * G) * divisor s) ends).
(* whole noise, b = 1: the loss itself *)
Definition certified_points (f : file) (m : multipliers) : bool :=
  let ds := duals_of f m in
  let slope := sum_of adds_slope ds in let ps := pieces_with (loss_with f ds) slope in let s := scaled_to ps (1, 1) in
  let n := fst (sensitivity f) in let edge := m_reach m + n in let G := per s in
  let cl := far_left (parts s) (- edge * G) in let cr := far_right (parts s) (edge * G) in
  scaled_ok ps (1, 1) s && points_ok f m && forallb dual_ok ds && open_sides_ok slope (parts s) G edge (whole_ends f) &&
  lower_ok (lower_of m n (flat_map (adds_cells f true (1, 1) edge) ds) (bound_with f (m_scale m) ds)
    (beyond edge cl cr (fun i => zvalues (parts s) (i * G))) (divisor s) (whole_ends f)).

Definition check (f : file) (m : multipliers) : bool :=
  let b := m_step m in let needless := fst (lower f) <=? 0 in
  if loss_ok (the_loss f) && positive (sensitivity f) && positive (step f) && positive b && (0 <? snd (lower f)) && noise_ok f then
  if forallb (demand_ok f) (constraints f) then if forallb (private_ok f) (budgets f) then
  if upper_ok f (the_loss f) (upper f) then
  match the_kind f with
  | Integer =>
      if (snd (sensitivity f) =? 1) && (snd (step f) =? 1) && (fst (step f) =? grid f) && (snd b =? 1) then
      if needless then true else if fst b =? 1 then certified_points f m else certified_steps f m
      else false
  | Additive => if needless then true else certified_steps f m
  end
  else false else false else false else false.

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

Lemma cells_cost_ok c : never_negative c -> tail_simple f c = true -> (0 < snd (cells_cost f c))%Z /\
  forall lo n, wsum lo n (fun h => q h * (6 * IZR (at_point c ((h + 1) / 2)))) <=
    IZR (fst (cells_cost f c)) / IZR (snd (cells_cost f c)).
Proof.
  intros Hc Hsimple. destruct basics as (_ & _ & Hg). unfold cells_cost. unfold noise_ok in Hok. rewrite !andb_true_iff in Hok. destruct Hok as [_ H].
  assert (HP : forall i, 0 <= 6 * IZR (at_point c i)).
  { intros. pose proof (Hc i) as K. apply IZR_le in K. lra. }
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
  unfold tail_simple in Hsimple. unfold right_quad, left_quad in *.
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
    intros lo m. apply (Hscale (tailed_weight first ws n (ratio (a, b)))); auto using tailed_nonneg.
    rewrite !andb_true_iff, !Z.leb_le in Hsimple. destruct Hsimple as [[[[[S1 S2] A1] A2] A3] A4].
    replace ((grid f - 1) / 2)%Z with k in S1, S2 by (rewrite Hr; replace (2 * k + 1 - 1)%Z with (k * 2)%Z by lia; rewrite Z.div_mul; lia).
    unfold settled in S1. unfold not_begun in S2. rewrite forallb_forall in S1, S2.
    apply (tailed_loss first n a b ws Ht (cell_cost c (grid f)) (qa (cell_quad (outer (turns c) (base c)) (grid f)))
      (qb (cell_quad (outer (turns c) (base c)) (grid f))) (qc (cell_quad (outer (turns c) (base c)) (grid f)))
      (qa (cell_quad (base c) (grid f))) (- qb (cell_quad (base c) (grid f))) (qc (cell_quad (base c) (grid f)))); auto; try lia.
    + intros z. apply cell_cost_nonneg; auto. lia.
    + intros z Hz. rewrite Hr. rewrite (cell_cost_quad c (outer (turns c) (base c)) k z Hk); [reflexivity|].
      intros j Hj. apply at_settled. unfold settled. rewrite forallb_forall. intros t Ht'. specialize (S1 t Ht').
      rewrite Z.leb_le in *. nia.
    + intros z Hz. rewrite Hr. rewrite (cell_cost_quad c (base c) k (- z) Hk); [unfold at_quad; ring|].
      intros j Hj. apply at_not_begun. unfold not_begun. rewrite forallb_forall. intros t Ht'. specialize (S2 t Ht').
      rewrite Z.ltb_lt in *. nia.
  - rewrite !andb_true_iff, Z.ltb_lt in H. destruct H as [[[_ HL] Hm] _]. split; auto. intros lo n.
    pose proof (mesh_loss (marks_of (grid f) edges) ws _ HL Hm (fun i => 6 * at_point c i)%Z (running_half c)
      ltac:(intros i; pose proof (Hc i); lia) (running_half_step c) lo n) as K.
    eapply Rle_trans; [|exact K]. right. apply wsum_ext. intros i _. rewrite mult_IZR. reflexivity.
Qed.

Lemma noise_loss c pd bound : never_negative c -> cost_ok f c pd bound = true ->
  forall lo n, wsum lo n (fun i => IZR (at_point c i) / IZR pd * mass f i) <= ratio bound.
Proof.
  intros Hc H lo n. unfold cost_ok in H. destruct (cells_cost f c) as [num e] eqn:E.
  rewrite !andb_true_iff, !Z.ltb_lt, !Z.leb_le in H. destruct H as [[[Hsimple Hu] Hpd] H].
  destruct (cells_cost_ok c Hc Hsimple) as [Hpos Hcost]. rewrite E in Hpos, Hcost. cbn [fst snd] in *.
  destruct basics as (Hden & Hat & _).
  assert (HP : forall i, 0 <= 6 * IZR (at_point c i)).
  { intros. pose proof (Hc i) as K. apply IZR_le in K. lra. }
  pose proof (halves_loss q den at0 Hden Hat (fun i => 6 * IZR (at_point c i)) _ HP Hcost lo n) as K.
  assert (Hu' := IZR_lt _ _ Hu). assert (Hpd' := IZR_lt _ _ Hpd). assert (Hpos' := IZR_lt _ _ Hpos).
  cbv beta in K.
  rewrite (wsum_ext n lo _ (fun i => (/ IZR pd / 6) * (6 * IZR (at_point c i) * halves q den at0 i))).
  2:{ intros i _. rewrite mass_halves. field. lra. }
  rewrite wsum_scale. unfold ratio. apply IZR_le in H. repeat rewrite ?mult_IZR, ?plus_IZR in H.
  assert (Hf : 0 <= / IZR pd / 6) by (assert (0 < / IZR pd) by (apply Rinv_0_lt_compat; auto); lra).
  apply Rmult_le_compat_l with (r := / IZR pd / 6) in K; auto.
  eapply Rle_trans; [exact K|].
  apply Rmult_le_reg_r with (IZR (snd bound) * IZR pd * 6 * den * IZR e); [repeat apply Rmult_lt_0_compat; auto; lra|].
  replace (IZR (fst bound) / IZR (snd bound) * (IZR (snd bound) * IZR pd * 6 * den * IZR e)) with
    (IZR (fst bound) * IZR pd * 6 * den * IZR e) by (field; lra).
  eapply Rle_trans; [|exact H]. right. field. lra.
Qed.

(* what stands for the loss in the upper bound is nowhere below it *)
Lemma upper_pieces_above costs_of ps : forallb signs_ok ps = true ->
  forallb signs_ok (upper_pieces f costs_of ps) = true /\ forall x, values IZR ps x <= values IZR (upper_pieces f costs_of ps) x.
Proof.
  intros H. unfold upper_pieces. destruct (tail_simple f (costs_of ps)); [split; [auto|intros; lra]|].
  induction ps as [|p ps IH]; [split; [auto|intros; simpl; lra]|]. cbn [forallb map] in *. rewrite andb_true_iff in H. destruct H as [H1 H2].
  destruct (IH H2) as [I1 I2]. rewrite I1, andb_true_r. split.
  - destruct p; cbn [widen signs_ok] in *; auto. rewrite andb_true_iff in H1. apply H1.
  - intros x. cbn [values]. specialize (I2 x). apply Rplus_le_compat; auto. destruct p; cbn [widen value]; try lra.
    cbn [signs_ok] in H1. rewrite andb_true_iff, !Z.leb_le in H1. apply Rmult_le_compat_l; [apply IZR_le, H1 | apply bowl_square].
Qed.
End Noise.

(* ---- the upper bound ---- *)
Lemma scaled_divide x d y : 0 < d -> x / d = y -> x = y * d.
Proof. intros Hd <-. field. lra. Qed.
Lemma upper_integer f l bound : noise_ok f = true -> loss_ok l = true -> the_kind f = Integer -> upper_ok f l bound = true ->
  exists P, (forall lo n, wsum lo n (fun i => P i * mass f i) <= ratio bound) /\ forall i, cost l (IZR i) <= P i.
Proof.
  intros Hn Hl Hk. unfold upper_ok. rewrite Hk. set (s := scaled_to (pieces l) (1, 1)%Z). rewrite andb_true_iff. intros [Hs Hc].
  destruct (loss_scaled _ (1, 1)%Z Hl eq_refl ltac:(unfold ratio; simpl; lra) Hs) as (HG & HD & Hsign & Hval & Hpos). fold s in HG, HD, Hsign, Hval, Hpos.
  set (costs_of := whole_costs (per s)) in *.
  destruct (upper_pieces_above f costs_of (parts s) Hsign) as [Hs' Habove].
  set (ps := upper_pieces f costs_of (parts s)) in *.
  assert (Hnn : never_negative (costs_of ps)).
  { intros j. unfold costs_of. rewrite at_whole by auto. apply le_IZR. rewrite zvalues_values. eapply Rle_trans; [apply Hpos | apply Habove]. }
  exists (fun i => IZR (at_point (costs_of ps) i) / IZR (divisor s)). split; [apply (noise_loss f Hn _ _ _ Hnn Hc)|].
  intros i. specialize (Hval (IZR i)). replace (IZR i * ratio (1, 1)%Z) with (IZR i) in Hval by (unfold ratio; simpl; field).
  rewrite <- Hval. unfold costs_of. rewrite at_whole, zvalues_values, mult_IZR by auto. apply IZR_lt in HD.
  apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; auto | apply Habove].
Qed.
Lemma upper_additive f l bound : noise_ok f = true -> loss_ok l = true -> positive (step f) = true -> the_kind f = Additive -> upper_ok f l bound = true ->
  let g := ratio (step f) / IZR (grid f) in
  exists P, (forall lo n, wsum lo n (fun i => P i * mass f i) <= ratio bound) /\
    forall j u, 0 <= u < 1 -> (1 - u) * cost l ((IZR j - u) * g) + u * cost l ((IZR j + 1 - u) * g) <= P j.
Proof.
  intros Hn Hl Hp Hk HU g. unfold upper_ok in HU. rewrite Hk in HU. set (w := (fst (step f), snd (step f) * grid f)%Z) in *. set (s := scaled_to (pieces l) w) in *.
  rewrite andb_true_iff in HU. destruct HU as [Hs Hc]. destruct (basics f Hn) as (_ & _ & Hgrid).
  unfold positive in Hp. rewrite andb_true_iff, !Z.ltb_lt in Hp. destruct Hp as [Hp1 Hp2].
  assert (Hw : sound w = true) by (unfold sound, w; cbn [snd]; rewrite Z.ltb_lt; apply Z.mul_pos_pos; auto).
  apply IZR_lt in Hgrid as Rg, Hp1 as R1, Hp2 as R2.
  assert (Hwg : ratio w = g) by (unfold g, ratio, w; cbn [fst snd]; rewrite mult_IZR; field; lra).
  assert (Hg0 : 0 < g) by (unfold g, ratio; repeat apply Rmult_lt_0_compat; auto; apply Rinv_0_lt_compat; auto).
  destruct (loss_scaled _ w Hl Hw ltac:(rewrite Hwg; auto) Hs) as (HG & HD & Hsign & Hval & Hpos). fold s in HG, HD, Hsign, Hval, Hpos. rewrite Hwg in Hval.
  set (costs_of := release_costs (per s)) in *.
  destruct (upper_pieces_above f costs_of (parts s) Hsign) as [Hs' Habove].
  set (ps := upper_pieces f costs_of (parts s)) in *. apply IZR_lt in HD as RD.
  assert (Hrel : forall j u, 0 <= u <= 1 -> (1 - u) * values IZR ps ((IZR j - u) * IZR (per s)) + u * values IZR ps ((IZR j + 1 - u) * IZR (per s)) <= IZR (at_point (costs_of ps) j) / 4).
  { intros j u Hu. unfold costs_of. rewrite at_release by auto. apply releases_above; auto. }
  assert (Hnn : never_negative (costs_of ps)).
  { intros j. apply le_IZR. specialize (Hrel j 0 ltac:(lra)).
    pose proof (Rle_trans _ _ _ (Hpos ((IZR j - 0) * IZR (per s))) (Habove _)). lra. }
  exists (fun i => IZR (at_point (costs_of ps) i) / IZR (4 * divisor s)). split; [apply (noise_loss f Hn _ _ _ Hnn Hc)|].
  intros j u Hu. rewrite <- !Hval. rewrite mult_IZR. specialize (Hrel j u ltac:(lra)).
  pose proof (Habove ((IZR j - u) * IZR (per s))) as B1. pose proof (Habove ((IZR j + 1 - u) * IZR (per s))) as B2.
  apply Rmult_le_compat_l with (r := 1 - u) in B1; [|lra]. apply Rmult_le_compat_l with (r := u) in B2; [|lra].
  apply Rmult_le_reg_r with (IZR (divisor s)); auto.
  eapply Rle_trans; [|eapply Rle_trans; [exact (Rle_trans _ _ _ (Rplus_le_compat _ _ _ _ B1 B2) Hrel)|]]; right; field; lra.
Qed.

(* ---- the lower bound ---- *)
Lemma expanded price es c : In c (expand price es) -> exists p m e, In (p, m, e) es /\ (c_exp c, c_delta c) = price p.
Proof.
  induction es as [|[[p m] e] es IH]; cbn [expand]; [contradiction|]. destruct (price p) as [a d] eqn:E.
  destruct m; cbn [In]; intros H; repeat (destruct H as [<-|H]); try (destruct (IH H) as (p' & m' & e' & K1 & K2); exists p', m', e'; auto);
    repeat eexists; cbn [c_exp c_delta]; eauto.
Qed.
Lemma at_most_ratio p q : (0 < snd p)%Z -> (0 < snd q)%Z -> at_most p q = true -> ratio p <= ratio q.
Proof.
  unfold at_most. rewrite Z.leb_le. intros Hp Hq H. apply IZR_lt in Hp, Hq. apply IZR_le in H. rewrite !mult_IZR in H. unfold ratio.
  apply Rmult_le_reg_r with (IZR (snd p) * IZR (snd q)); [apply Rmult_lt_0_compat; auto|].
  replace (IZR (fst p) / IZR (snd p) * (IZR (snd p) * IZR (snd q))) with (IZR (fst p) * IZR (snd q)) by (field; lra).
  replace (IZR (fst q) / IZR (snd q) * (IZR (snd p) * IZR (snd q))) with (IZR (fst q) * IZR (snd p)) by (field; lra). exact H.
Qed.
Lemma enclosure_sound_denominator q : enclosure_ok q = true -> (0 < snd q)%Z.
Proof. unfold enclosure_ok, exp_ok. rewrite !andb_true_iff, !Z.ltb_lt. tauto. Qed.
(* noise that is private at every budget is private at every point *)
Lemma points_granted f m n extra bound kn kd ends (P : R -> R -> Prop) : points_ok f m = true -> (forall b, In b (budgets f) -> private_ok f b = true) ->
  (forall eps delta eps' delta', eps <= eps' -> delta <= delta' -> P eps delta -> P eps' delta') ->
  (forall b, In b (budgets f) -> P (ratio (fst b)) (ratio (snd b))) -> (0 < common_delta m)%Z -> granted (lower_of m n extra bound kn kd ends) P.
Proof.
  unfold points_ok. rewrite andb_true_iff, !forallb_forall. intros [Hpoints Hin] Hbudgets Hmono HP Hdd c Hc.
  cbn [entries lower_of] in Hc. destruct (expanded _ _ _ Hc) as (p & mi & e & He & Hprice). clear Hc.
  specialize (Hin _ He). cbv beta iota in Hin. rewrite Nat.ltb_lt in Hin.
  rewrite (nth_indep _ (0, 0)%Z (price_of (common_delta m) ((0, 0), (0, 0))%Z)) in Hprice by (rewrite map_length; auto).
  rewrite map_nth in Hprice. set (point := nth (Z.to_nat p) (m_points m) ((0, 0), (0, 0))%Z) in *.
  specialize (Hpoints point (nth_In _ _ Hin)). unfold point_ok in Hpoints. rewrite !andb_true_iff, Z.ltb_lt, Z.eqb_eq in Hpoints.
  destruct Hpoints as [[[H1 H2] H3] H4]. unfold asked in H4. rewrite existsb_exists in H4. destruct H4 as (b & Hb & H4).
  rewrite andb_true_iff in H4. destruct H4 as [H4 H5]. unfold price_of in Hprice. inversion Hprice as [[He1 He2]].
  cbn [bottom dd lower_of]. exists (ratio (fst point)). split.
  - specialize (Hbudgets b Hb). unfold private_ok in Hbudgets. rewrite !andb_true_iff, Z.ltb_lt in Hbudgets.
    destruct Hbudgets as [[[B1 _] B2] _]. apply (Hmono (ratio (fst b)) (ratio (snd b))); auto.
    + apply at_most_ratio; auto using enclosure_sound_denominator.
    + rewrite He2. rewrite mult_IZR. pose proof (Z.div_mod (common_delta m) (snd (snd point)) ltac:(lia)) as D. rewrite H3, Z.add_0_r in D.
      apply IZR_lt in H2 as R2. apply IZR_lt in Hdd as RD. set (t := (common_delta m / snd (snd point))%Z) in *.
      apply (f_equal IZR) in D. rewrite mult_IZR in D. assert (Ht : IZR t <> 0) by (intros Z0; rewrite Z0 in D; lra).
      eapply Rle_trans; [apply (at_most_ratio _ _ B2 H2 H5)|]. right. unfold ratio. rewrite D. field. split; [auto|lra].
  - rewrite He1. apply (enclosure_sound (fst point) H1).
Qed.
Lemma lower_positive x : lower_ok x = true -> (0 < dd x)%Z.
Proof.
  destruct x. unfold lower_ok. destruct (_ && _)%bool eqn:E; [|discriminate]. rewrite !andb_true_iff, !Z.ltb_lt in E. intros _. apply E.
Qed.
Lemma beyond_flat edge cl cr k : (0 <= edge)%Z -> flat edge (beyond edge cl cr k).
Proof.
  intros He i Hi. unfold beyond. destruct (Z.leb_spec 0 i).
  - destruct (Z.ltb_spec edge i), (Z.ltb_spec edge (edge + 1)); try lia.
  - destruct (Z.ltb_spec edge i); [lia|]. destruct (Z.ltb_spec i (- edge)); [|lia].
    destruct (Z.ltb_spec edge (- edge - 1)); [lia|]. destruct (Z.ltb_spec (- edge - 1) (- edge)); lia.
Qed.
(* the values of the check, joined by lines, are nowhere above the loss where C counts *)
Lemma lowered_below edge cl cr k (h : R -> R) (C : Z -> Prop) : (0 <= edge)%Z ->
  (forall i u, 0 <= u <= 1 -> (1 - u) * IZR (k i) + u * IZR (k (i + 1)%Z) <= h (IZR i + u)) ->
  (forall x, IZR edge <= x -> IZR cr <= h x) \/ (forall j, C j -> j <= edge)%Z -> (forall x, x <= - IZR edge -> IZR cl <= h x) \/ (forall j, C j -> - edge <= j)%Z ->
  forall i u, 0 <= u < 1 -> C i -> u = 0 \/ C (i + 1)%Z ->
  (1 - u) * IZR (beyond edge cl cr (lowered edge cl cr k) i) + u * IZR (beyond edge cl cr (lowered edge cl cr k) (i + 1)) <= h (IZR i + u).
Proof.
  intros He Hk Hr Hl i u Hu C1 C2. set (v := beyond edge cl cr (lowered edge cl cr k)).
  assert (A : forall j, (edge <= j)%Z -> (v j <= cr)%Z).
  { intros j Hj. unfold v, beyond, lowered. destruct (Z.ltb_spec edge j); [lia|]. destruct (Z.ltb_spec j (- edge)); [lia|].
    destruct (Z.leb_spec edge j); [|lia]. destruct (Z.leb_spec j (- edge)); lia. }
  assert (B : forall j, (j <= - edge)%Z -> (v j <= cl)%Z).
  { intros j Hj. unfold v, beyond, lowered. destruct (Z.ltb_spec edge j); [lia|]. destruct (Z.ltb_spec j (- edge)); [lia|].
    destruct (Z.leb_spec j (- edge)); lia. }
  assert (V : forall j, (- edge <= j <= edge)%Z -> (v j <= k j)%Z).
  { intros j Hj. unfold v, beyond, lowered. destruct (Z.ltb_spec edge j); [lia|]. destruct (Z.ltb_spec j (- edge)); [lia|].
    destruct (Z.leb_spec edge j), (Z.leb_spec j (- edge)); lia. }
  assert (M : forall a b x y, (a <= x)%Z -> (b <= y)%Z -> (1 - u) * IZR a + u * IZR b <= (1 - u) * IZR x + u * IZR y).
  { intros a b x y Ha Hb. apply IZR_le in Ha, Hb. apply Rplus_le_compat; apply Rmult_le_compat_l; lra. }
  (* at a single point within *)
  assert (P : u = 0 -> (- edge <= i <= edge)%Z -> (1 - u) * IZR (v i) + u * IZR (v (i + 1)%Z) <= h (IZR i + u)).
  { intros -> Hi. specialize (Hk i 0 ltac:(lra)). specialize (V i Hi). apply IZR_le in V. lra. }
  destruct (Z_le_gt_dec edge i) as [H1|H1]; [|destruct (Z_le_gt_dec (i + 1) (- edge)) as [H2|H2]].
  - destruct Hr as [Hr|Hr].
    + eapply Rle_trans; [apply (M _ _ cr cr); apply A; lia|]. apply IZR_le in H1. specialize (Hr (IZR i + u) ltac:(lra)). lra.
    + destruct C2 as [E|C2]; [apply P; auto; specialize (Hr i C1); lia|]. specialize (Hr _ C2). lia.
  - destruct Hl as [Hl|Hl].
    + eapply Rle_trans; [apply (M _ _ cl cl); apply B; lia|]. apply IZR_le in H2. rewrite plus_IZR, opp_IZR in H2. specialize (Hl (IZR i + u) ltac:(lra)). lra.
    + specialize (Hl i C1). lia.
  - eapply Rle_trans; [apply (M _ _ (k i) (k (i + 1)%Z)); apply V; lia|]. apply Hk. lra.
Qed.
Lemma pieces_with_value l slope x : loss_ok l = true -> sound slope = true -> values Q2R (pieces_with l slope) x = cost l x + ratio slope * x.
Proof.
  intros Hl Hs. unfold pieces_with. rewrite values_app, pieces_value by auto. f_equal. destruct (Z.eqb_spec (fst slope) 0) as [E|E].
  - unfold ratio. rewrite E. cbn [values]. unfold Rdiv. ring.
  - cbn [values value]. rewrite q_of_ratio by auto. replace (Q2R 0) with 0 by (unfold Q2R; simpl; field). ring.
Qed.
Lemma open_sides slope ps G edge lo hi : open_sides_ok slope ps G edge (lo, hi) = true -> forallb signs_ok ps = true -> (0 < G)%Z ->
  (fst slope = 0%Z -> forall z, 0 <= values IZR ps z) ->
  ((forall y, IZR (edge * G) <= y -> IZR (far_right ps (edge * G)) <= values IZR ps y) \/ (forall j, upto hi j = j -> j <= edge)%Z) /\
  ((forall y, y <= IZR (- edge * G) -> IZR (far_left ps (- edge * G)) <= values IZR ps y) \/ (forall j, from lo j = j -> - edge <= j)%Z).
Proof.
  unfold open_sides_ok. cbn [fst snd]. rewrite andb_true_iff, !orb_true_iff. intros [[[A|A]|A] [[B|B]|B]] Hs HG H0; split;
    try (left; intros y Hy; apply far_right_below; auto; left; apply H0; rewrite Z.eqb_eq in *; assumption);
    try (left; intros y Hy; apply far_left_below; auto; left; apply H0; rewrite Z.eqb_eq in *; assumption);
    try (left; intros y Hy; apply far_right_below; auto; fail); try (left; intros y Hy; apply far_left_below; auto; fail);
    try (right; intros j Hj; destruct hi; [|discriminate]; rewrite Z.leb_le in A; cbn [upto] in Hj; lia);
    try (right; intros j Hj; destruct lo; [|discriminate]; rewrite Z.leb_le in B; cbn [from] in Hj; lia).
Qed.
Lemma steps_below l slope b lo hi : loss_ok l = true -> sound slope = true -> positive b = true -> let s := scaled_to (pieces_with l slope) b in
  scaled_ok (pieces_with l slope) b s = true -> forall edge, (0 <= edge)%Z -> let G := per s in open_sides_ok slope (parts s) G edge (lo, hi) = true ->
  let cl := (4 * (G * G) * far_left (parts s) (- edge * G))%Z in let cr := (4 * (G * G) * far_right (parts s) (edge * G))%Z in
  let kn := beyond edge cl cr (lowered edge cl cr (floor_at G (parts s))) in let C := fun j => from lo j = j /\ upto hi j = j in
  forall i u, 0 <= u < 1 -> C i -> u = 0 \/ C (i + 1)%Z ->
  (1 - u) * (IZR (kn i) / IZR (4 * (G * G) * divisor s)) + u * (IZR (kn (i + 1)%Z) / IZR (4 * (G * G) * divisor s)) <= cost l ((IZR i + u) * ratio b) + ratio slope * ((IZR i + u) * ratio b).
Proof.
  intros Hl Hslope Hb s Hs edge He G Hopen cl cr kn C i u Hu C1 C2. unfold positive in Hb. rewrite andb_true_iff, !Z.ltb_lt in Hb. destruct Hb as [Hb1 Hb2].
  assert (Hsb : sound b = true) by (unfold sound; rewrite Z.ltb_lt; auto). apply IZR_lt in Hb1, Hb2.
  assert (Hr : 0 < ratio b) by (apply Rmult_lt_0_compat; auto; apply Rinv_0_lt_compat; auto).
  destruct (scaled_values _ b Hsb Hr Hs) as (HG & HD & Hsign & Hval). fold s in HG, HD, Hsign, Hval. fold G in HG, Hval.
  apply IZR_lt in HG as RG, HD as RD. rewrite <- (pieces_with_value l slope), <- Hval by auto.
  destruct (open_sides slope (parts s) G edge lo hi Hopen Hsign HG) as [Or Ol].
  { intros E z. specialize (Hval (z / IZR G)). replace (z / IZR G * IZR G) with z in Hval by (field; lra). rewrite pieces_with_value in Hval by auto.
    pose proof (cost_nonneg l (z / IZR G * ratio b) Hl). replace (ratio slope) with 0 in Hval by (unfold ratio; rewrite E; unfold Rdiv; ring).
    apply Rmult_le_reg_r with (/ IZR (divisor s)); [apply Rinv_0_lt_compat; auto|]. unfold Rdiv in Hval. lra. }
  pose proof (lowered_below edge cl cr (floor_at G (parts s)) (fun x => 4 * (IZR G * IZR G) * values IZR (parts s) (x * IZR G)) C He) as K.
  assert (H4 : 0 <= 4 * (IZR G * IZR G)) by (repeat apply Rmult_le_pos; lra).
  specialize (K ltac:(intros; apply floors_below; auto)).
  assert (Kr : (forall x, IZR edge <= x -> IZR cr <= 4 * (IZR G * IZR G) * values IZR (parts s) (x * IZR G)) \/ (forall j, C j -> j <= edge)%Z).
  { destruct Or as [Or|Or]; [left|right; intros j [_ Hj]; auto]. intros x Hx. unfold cr. rewrite !mult_IZR. apply Rmult_le_compat_l; auto. apply Or.
    rewrite mult_IZR. apply Rmult_le_compat_r; lra. }
  assert (Kl : (forall x, x <= - IZR edge -> IZR cl <= 4 * (IZR G * IZR G) * values IZR (parts s) (x * IZR G)) \/ (forall j, C j -> - edge <= j)%Z).
  { destruct Ol as [Ol|Ol]; [left|right; intros j [Hj _]; auto]. intros x Hx. unfold cl. rewrite !mult_IZR. apply Rmult_le_compat_l; auto. apply Ol.
    rewrite mult_IZR, opp_IZR. apply Rmult_le_compat_r; lra. }
  specialize (K Kr Kl i u Hu C1 C2). cbv beta in K. fold kn in K. rewrite !mult_IZR.
  apply Rmult_le_reg_r with (4 * (IZR G * IZR G) * IZR (divisor s)); [repeat apply Rmult_lt_0_compat; lra|].
  eapply Rle_trans; [|eapply Rle_trans; [exact K|]]; right; field; lra.
Qed.
Lemma points_below l slope lo hi : loss_ok l = true -> sound slope = true -> let s := scaled_to (pieces_with l slope) (1, 1)%Z in
  scaled_ok (pieces_with l slope) (1, 1)%Z s = true -> forall edge, let G := per s in open_sides_ok slope (parts s) G edge (lo, hi) = true ->
  let cl := far_left (parts s) (- edge * G) in let cr := far_right (parts s) (edge * G) in
  forall i, from lo i = i /\ upto hi i = i ->
  IZR (beyond edge cl cr (fun i => zvalues (parts s) (i * G)) i) / IZR (divisor s) <= cost l (IZR i) + ratio slope * IZR i.
Proof.
  intros Hl Hslope s Hs edge G Hopen cl cr i [C1 C2].
  assert (One : ratio (1, 1)%Z = 1) by (unfold ratio; simpl; field).
  destruct (scaled_values _ (1, 1)%Z eq_refl ltac:(rewrite One; lra) Hs) as (HG & HD & Hsign & Hval). fold s in HG, HD, Hsign, Hval. fold G in HG, Hval.
  apply IZR_lt in HG as RG, HD as RD. assert (Hv : forall x, values IZR (parts s) (x * IZR G) / IZR (divisor s) = cost l x + ratio slope * x).
  { intros x. rewrite Hval, One, Rmult_1_r. apply pieces_with_value; auto. }
  destruct (open_sides slope (parts s) G edge lo hi Hopen Hsign HG) as [Or Ol].
  { intros E z. specialize (Hv (z / IZR G)). replace (z / IZR G * IZR G) with z in Hv by (field; lra).
    pose proof (cost_nonneg l (z / IZR G) Hl). replace (ratio slope) with 0 in Hv by (unfold ratio; rewrite E; unfold Rdiv; ring).
    apply Rmult_le_reg_r with (/ IZR (divisor s)); [apply Rinv_0_lt_compat; auto|]. unfold Rdiv in Hv. lra. }
  rewrite <- Hv. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; auto|]. unfold beyond, cl, cr.
  destruct (Z.ltb_spec edge i) as [H|H]; [|destruct (Z.ltb_spec i (- edge)) as [K|K]].
  - destruct Or as [Or|Or]; [|specialize (Or i C2); lia]. apply Or. rewrite <- mult_IZR. apply IZR_le. nia.
  - destruct Ol as [Ol|Ol]; [|specialize (Ol i C1); lia]. apply Ol. rewrite <- mult_IZR. apply IZR_le. nia.
  - rewrite zvalues_values, mult_IZR. lra.
Qed.
(* a slope times noise cut off far out has a mean as near to 0 as one likes, if the mean is 0 *)
Lemma slope_mean T S add basic (Y : law T S add basic) place slope : (forall h, continuity h -> bounded (fun x => h (place x)) -> good T S add basic Y (fun x => h (place x))) ->
  slope = 0 \/ centred place Y -> forall e, 0 < e -> exists M, forall N, M <= N -> 0 <= N ->
  good T S add basic Y (fun x => slope * cut_off N (place x)) /\ ex Y (fun x => slope * cut_off N (place x)) <= e.
Proof.
  intros Hc H e He.
  assert (Hg : forall N, 0 <= N -> good T S add basic Y (fun x => cut_off N (place x))).
  { intros N HN. apply Hc; [apply cut_continuous|]. exists N. intros x. apply cut_bounded; auto. }
  destruct H as [->|H].
  - exists 0. intros N HN _. split; [apply good_scale; auto|]. rewrite (ex_times _ _ _ _ Y) by auto. rewrite Rmult_0_l. lra.
  - pose proof (Rabs_pos slope). destruct (H (e / (Rabs slope + 1))) as (M & HM); [apply Rmult_lt_0_compat; auto; apply Rinv_0_lt_compat; lra|].
    exists M. intros N HN HN0. split; [apply good_scale; auto|]. rewrite (ex_times _ _ _ _ Y) by auto. specialize (HM N HN). set (v := ex Y (fun x => cut_off N (place x))) in *.
    apply Rle_trans with (Rabs slope * Rabs v); [rewrite <- Rabs_mult; apply Rle_abs|].
    apply Rle_trans with (Rabs slope * (e / (Rabs slope + 1))); [apply Rmult_le_compat_l; auto|].
    apply Rmult_le_reg_r with (Rabs slope + 1); [lra|]. replace (Rabs slope * (e / (Rabs slope + 1)) * (Rabs slope + 1)) with (Rabs slope * e) by (field; lra). lra.
Qed.
Lemma reach_positive x : lower_ok x = true -> (0 <= reach x)%Z /\ (0 <= n x)%Z.
Proof.
  destruct x. unfold lower_ok. destruct (_ && _)%bool eqn:E; [|discriminate]. rewrite !andb_true_iff, !Z.ltb_lt, !Z.leb_le in E. intros _. cbn [Lower.reach Lower.n]. tauto.
Qed.

(* ---- constraints ---- *)
Lemma within_bounds lo hi i : within lo hi i i = true -> match lo with Some l => (l <= i)%Z | None => True end /\ match hi with Some h => (i <= h)%Z | None => True end.
Proof. unfold within. rewrite andb_true_iff. destruct lo, hi; rewrite ?Z.leb_le; tauto. Qed.
Lemma noise_even_mass f : noise_ok f = true -> noise_even f = true -> forall i, mass f (- i) = mass f i.
Proof.
  intros Hn H. destruct (basics f Hn) as (_ & _ & Hg). apply mass_even. intros h. unfold noise_ok in Hn. rewrite !andb_true_iff in Hn. destruct Hn as [_ Hn].
  unfold noise_even in H. destruct (noise f) as [first ws|first ws n [a b]|edges ws]; cbn [half_step].
  - rewrite even_cell by auto. rewrite plain_even by auto. reflexivity.
  - rewrite andb_true_iff, Z.eqb_eq in H. destruct H as [H1 H2]. apply same_eq in H2. rewrite !andb_true_iff in Hn. destruct Hn as [[[[Ht _] _] _] _].
    rewrite even_cell by auto. rewrite (tailed_even first n a b ws Ht H1 H2 (Z.to_nat (Z.abs ((h + grid f) / (2 * grid f))))) by lia. reflexivity.
  - rewrite andb_true_iff in H. destruct H as [H1 H2]. apply same_eq in H1, H2. rewrite !andb_true_iff in Hn. destruct Hn as [[[_ _] Hm] _].
    fold (marks_of (grid f) edges) in *. rewrite !(mesh_weight_sum _ _ _ _ Hm). rewrite <- (mesh_sum_mirror _ ws h) by (apply (mesh_lengths _ _ _ Hm)).
    rewrite H1, H2. reflexivity.
Qed.
Lemma grid_length_facts f : noise_ok f = true -> positive (step f) = true -> let g := grid_length f in
  0 < ratio g /\ (0 < fst g)%Z /\ (0 < snd g)%Z /\ ratio g = match the_kind f with Integer => 1 | Additive => ratio (step f) / IZR (grid f) end.
Proof.
  intros Hn Hp. destruct (basics f Hn) as (_ & _ & Hg). unfold positive in Hp. rewrite andb_true_iff, !Z.ltb_lt in Hp. destruct Hp as [P1 P2].
  unfold grid_length. destruct (the_kind f); cbv zeta; unfold ratio; cbn [fst snd].
  - repeat split; try lia; lra || field.
  - apply IZR_lt in P1 as R1, P2 as R2, Hg as R3. rewrite mult_IZR. repeat split; auto; try (apply Z.mul_pos_pos; auto).
    + apply Rmult_lt_0_compat; auto. apply Rinv_0_lt_compat. apply Rmult_lt_0_compat; auto.
    + field. lra.
Qed.
Lemma period_seen f : noise_ok f = true -> period_ok f.
Proof.
  unfold noise_ok, period_ok. rewrite !andb_true_iff. intros [_ H]. destruct (noise f) as [first ws|first ws n [a b]|edges ws]; auto.
  rewrite !andb_true_iff in H. destruct (tail_facts n a b ws) as (Hn & _); [apply H|]. exact Hn.
Qed.
Lemma support_holds f low high : noise_ok f = true -> positive (step f) = true -> demand_ok f (Support low high) = true ->
  forall i, mass f i <> 0 -> allowed (Support low high) (IZR i * ratio (grid_length f)).
Proof.
  intros Hn Hp H i Hi. destruct (basics f Hn) as (_ & _ & Hg). destruct (grid_length_facts f Hn Hp) as (G0 & G1 & G2 & _).
  cbn [demand_ok] in H. rewrite !andb_true_iff in H. destruct H as [[S1 S2] H]. destruct (within_bounds _ _ _ (mass_inside f _ _ i Hg (period_seen f Hn) H Hi)) as [B1 B2].
  cbn [allowed]. split.
  - destruct low as [q|]; auto. cbn [option_map sound_end] in *. destruct (divide_exact q (grid_length f) S1 G0 G1 G2) as (_ & D & _).
    eapply Rle_trans; [exact D|]. apply Rmult_le_compat_r; [lra|]. apply IZR_le; auto.
  - destruct high as [q|]; auto. cbn [option_map sound_end] in *. destruct (divide_exact q (grid_length f) S2 G0 G1 G2) as (D & _).
    eapply Rle_trans; [|exact D]. apply Rmult_le_compat_r; [lra|]. apply IZR_le; auto.
Qed.
Lemma max_error_holds f t : noise_ok f = true -> positive (step f) = true -> demand_ok f (MaxError t) = true ->
  forall i, mass f i <> 0 -> Rabs (IZR i) * ratio (grid_length f) + match the_kind f with Integer => 0 | Additive => ratio (grid_length f) end <= ratio t.
Proof.
  intros Hn Hp H i Hi. destruct (basics f Hn) as (_ & _ & Hg). destruct (grid_length_facts f Hn Hp) as (G0 & G1 & G2 & _).
  cbn [demand_ok] in H. rewrite andb_true_iff in H. destruct H as [S1 H]. destruct (within_bounds _ _ _ (mass_inside f _ _ i Hg (period_seen f Hn) H Hi)) as [B1 B2].
  destruct (divide_exact t (grid_length f) S1 G0 G1 G2) as (D & _). eapply Rle_trans; [|exact D]. rewrite <- abs_IZR.
  assert (Hm : (Z.abs i <= match the_kind f with Integer => divide_down t (grid_length f) | Additive => divide_down t (grid_length f) - 1 end)%Z) by lia.
  apply IZR_le in Hm. apply Rmult_le_compat_r with (r := ratio (grid_length f)) in Hm; [|lra]. destruct (the_kind f); [|rewrite minus_IZR in Hm]; lra.
Qed.
(* a function that vanishes where the noise is has mean 0 *)
Lemma mean_vanishes f (X : zlaw) A : noise_ok f = true -> has_masses X (mass f) -> (forall j, A j = 0 \/ A j = 1) -> (forall j, mass f j <> 0 -> A j = 0) -> mean X A = 0.
Proof.
  intros Hn HX H01 H. assert (Hb : bounded A).
  { exists 1. intros j. destruct (H01 j) as [-> | ->]; rewrite Rabs_right; lra. }
  apply Rle_antisym.
  - apply (masses_loss X (mass f) HX (noise_distribution f Hn) A); auto; [|intros; lra]. intros lo n. rewrite (wsum_zero n lo); [lra|].
    intros i _. destruct (Req_dec (mass f i) 0) as [E|E]; [rewrite E; ring | rewrite (H i E); ring].
  - apply (ex_nonneg Z Z Z.add (fun _ => True) X A); [split; auto; apply meas_basic; exact I|]. intros j. destruct (H01 j) as [-> | ->]; lra.
Qed.
(* what the check has seen of the cells *)
Lemma cells_seen f : noise_ok f = true -> match noise f with
  | Lattice _ _ => True
  | Tailed _ ws n (a, b) => tail_ok n ws a b = true
  | Mesh edges ws => let marks := map (mark (grid f)) edges in (0 < common marks 1)%Z /\ mesh_ok (common marks 1) marks ws = true end.
Proof.
  unfold noise_ok. rewrite !andb_true_iff. intros [_ H]. destruct (noise f) as [first ws|first ws n [a b]|edges ws]; auto.
  - rewrite !andb_true_iff in H. apply H.
  - rewrite !andb_true_iff, Z.ltb_lt in H. destruct H as [[[_ H1] H2] _]. split; auto.
Qed.
Lemma whole_peaked f a : noise_ok f = true -> positive (step f) = true -> the_kind f = Integer -> demand_ok f (Unimodal a) = true -> whole_obeys f (Unimodal a).
Proof.
  intros Hn Hp Hk H. destruct (grid_length_facts f Hn Hp) as (G0 & G1 & G2 & G). rewrite Hk in G. destruct (basics f Hn) as (Hden & Hat & Hg).
  cbn [demand_ok] in H. rewrite Hk, !andb_true_iff, orb_true_iff, !Z.eqb_eq in H. destruct H as [[Sa Ha] H]. pose proof (noise_peaked_ok f Hg (cells_seen f Hn) _ _ H) as K.
  destruct (divide_exact a (grid_length f) Sa G0 G1 G2) as (_ & _ & D3 & D4). rewrite G in D3, D4. cbn [whole_obeys]. intros i. unfold mass.
  assert (Hi : 0 < / IZR (denominator f)) by (apply Rinv_0_lt_compat; auto).
  assert (Za : ratio a = 0 \/ IZR (atom f) = 0) by (destruct Ha as [-> | E]; [right; auto|left; unfold ratio; rewrite E; unfold Rdiv; ring]).
  replace (2 * (i + 1) - 1)%Z with (2 * i + 1)%Z by lia. replace (2 * (i + 1))%Z with (2 * i + 2)%Z by lia.
  pose proof (K (2 * i)%Z) as [A1 B1]. pose proof (K (2 * i + 1)%Z) as [A2 B2]. pose proof (K (2 * i + 2)%Z) as [A3 B3].
  replace (2 * i + 1 - 1)%Z with (2 * i)%Z in * by lia. replace (2 * i + 2 - 1)%Z with (2 * i + 1)%Z in * by lia.
  split; intros Hle; apply Rmult_le_compat_r; try lra.
  - specialize (D4 i ltac:(lra)). specialize (A1 ltac:(lia)). specialize (A2 ltac:(lia)). specialize (A3 ltac:(lia)).
    destruct Za as [Z0|Z0]; [rewrite Z0 in Hle; apply le_IZR in Hle|]; destruct (Z.eqb_spec (i + 1) 0), (Z.eqb_spec i 0); try lia; lra.
  - specialize (D3 (i + 1)%Z ltac:(lra)). specialize (B1 ltac:(lia)). specialize (B2 ltac:(lia)). specialize (B3 ltac:(lia)).
    destruct Za as [Z0|Z0]; [rewrite Z0 in Hle; apply le_IZR in Hle|]; destruct (Z.eqb_spec (i + 1) 0), (Z.eqb_spec i 0); try lia; lra.
Qed.
Lemma real_peaked f a : noise_ok f = true -> positive (step f) = true -> the_kind f = Additive -> demand_ok f (Unimodal a) = true -> real_obeys f (Unimodal a).
Proof.
  intros Hn Hp Hk H. destruct (grid_length_facts f Hn Hp) as (G0 & G1 & G2 & G). rewrite Hk in G. destruct (basics f Hn) as (_ & _ & Hg).
  cbn [demand_ok] in H. rewrite Hk, !andb_true_iff, orb_true_iff, !Z.eqb_eq in H. destruct H as [[Sa Ha] H]. pose proof (noise_peaked_ok f Hg (cells_seen f Hn) _ _ H) as K.
  set (half := (fst (grid_length f), 2 * snd (grid_length f))%Z) in *. unfold real_obeys. rewrite <- G.
  assert (Eh : ratio half = ratio (grid_length f) / 2).
  { unfold half, ratio. cbn [fst snd]. rewrite mult_IZR. field. apply IZR_lt in G2. lra. }
  assert (Ph : 0 < ratio half) by lra. destruct (divide_exact a half Sa Ph G1 ltac:(unfold half; cbn [snd]; lia)) as (D1 & D2 & _). rewrite Eh in *.
  split; [destruct Ha as [-> | E]; [left; auto|right; unfold ratio; rewrite E; unfold Rdiv; ring]|]. intros h. destruct (K h) as [A B]. split; intros Hlt; [apply A|apply B].
  - assert (divide_down a half < h)%Z; [|lia]. apply lt_IZR. apply Rmult_lt_reg_r with (ratio (grid_length f) / 2); lra.
  - assert (h < divide_up a half)%Z; [|lia]. apply lt_IZR. apply Rmult_lt_reg_r with (ratio (grid_length f) / 2); lra.
Qed.
Lemma means_hold f : noise_ok f = true -> demand_ok f Unbiased = true -> forall X : zlaw, has_masses X (mass f) -> centred IZR X.
Proof.
  intros Hn H. destruct (basics f Hn) as (Hden & _ & Hg).
  apply (noise_centred_ok f Hg (noise_distribution f Hn) Hden (cells_seen f Hn) H). intros E. apply noise_even_mass; auto.
Qed.
Lemma whole_loss f l bound : noise_ok f = true -> the_kind f = Integer -> loss_ok l = true -> upper_ok f l bound = true ->
  forall X : zlaw, has_masses X (mass f) -> loss_at_most X (fun i => cost l (IZR i)) (ratio bound).
Proof.
  intros Hn Hk Hl HU X HX. destruct (upper_integer f l bound Hn Hl Hk HU) as (P & HP1 & HP2).
  intros g _ Hgb Hgc. apply (masses_loss X (mass f) HX (noise_distribution f Hn) P); auto. intros i. eapply Rle_trans; [apply Hgc | apply HP2].
Qed.
Lemma real_loss f l bound : noise_ok f = true -> positive (step f) = true -> the_kind f = Additive -> loss_ok l = true -> upper_ok f l bound = true ->
  forall X : zlaw, has_masses X (mass f) -> forall v c, bounded c -> (forall x, c x <= cost l (x - v)) -> released X (ratio (step f) / IZR (grid f)) v c <= ratio bound.
Proof.
  intros Hn Hp Hk Hl HU X HX v c Hb Hc. destruct (upper_additive f l bound Hn Hl Hp Hk HU) as (P & HP1 & HP2).
  destruct (grid_length_facts f Hn Hp) as (G0 & _ & _ & G). rewrite Hk in G. rewrite G in G0.
  apply (released_loss X _ G0 (cost l) P); auto. intros h Hh Hle. apply (masses_loss X (mass f) HX (noise_distribution f Hn) P); auto.
Qed.
(* so many grid steps are the sensitivity or more *)
Lemma reach_sensitivity f : noise_ok f = true -> positive (step f) = true -> sound (sensitivity f) = true ->
  ratio (sensitivity f) <= IZR (divide_up (sensitivity f) (grid_length f)) * ratio (grid_length f).
Proof. intros Hn Hp Hs. destruct (grid_length_facts f Hn Hp) as (G0 & G1 & G2 & _). apply (divide_exact _ _ Hs G0 G1 G2). Qed.
Lemma whole_demands f d : noise_ok f = true -> positive (step f) = true -> the_kind f = Integer -> demand_ok f d = true -> whole_obeys f d.
Proof.
  intros Hn Hp Hk H. destruct (grid_length_facts f Hn Hp) as (_ & _ & _ & G). rewrite Hk in G. destruct d as [low high|t| |a| |l bound|q].
  - cbn [whole_obeys]. intros i Hi. pose proof (support_holds f low high Hn Hp H i Hi) as K. rewrite G, Rmult_1_r in K. exact K.
  - cbn [whole_obeys]. intros i Hi. pose proof (max_error_holds f t Hn Hp H i Hi) as K. rewrite Hk, G in K. cbn [allowed]. lra.
  - intros i. apply noise_even_mass; auto.
  - apply whole_peaked; auto.
  - exact (means_hold f Hn H).
  - cbn [demand_ok] in H. rewrite andb_true_iff in H. destruct H as [H1 H2]. exact (whole_loss f l bound Hn Hk H1 H2).
  - cbn [demand_ok] in H. rewrite andb_true_iff in H. destruct H as [Hs H]. destruct (basics f Hn) as (B1 & B2 & B3).
    pose proof (reach_sensitivity f Hn Hp Hs) as K. rewrite G, Rmult_1_r in K. intros X HX A s [_ H01] Hsh HA.
    apply (seldom_masses f B3 B1 B2 (noise_distribution f Hn) _ q H X A s HX H01).
    + assert (Z.abs s <= divide_up (sensitivity f) (grid_length f))%Z; [|lia]. apply le_IZR. lra.
    + intros i Hi. destruct (Req_dec (mass f (i + s)) 0); auto. exfalso. apply Hi. apply HA; auto.
Qed.
Lemma real_demands f d : noise_ok f = true -> positive (step f) = true -> the_kind f = Additive -> demand_ok f d = true -> real_obeys f d.
Proof.
  intros Hn Hp Hk H. destruct (grid_length_facts f Hn Hp) as (G0 & _ & _ & G). rewrite Hk in G. destruct d as [low high|t| |a| |l bound|q].
  - unfold real_obeys; rewrite <- ?G. apply support_holds; auto.
  - unfold real_obeys; rewrite <- ?G. intros X HX v A H01 HA. pose proof (max_error_holds f t Hn Hp H) as K. rewrite Hk in K. set (g := ratio (grid_length f)) in *.
    unfold released. pose proof (split_at (v / g)) as Ex. pose proof (frac_bounds (v / g)) as Bu.
    set (k := Int_part (v / g)) in *. set (u := frac_part (v / g)) in *.
    assert (Hv : v = (IZR k + u) * g) by (rewrite <- Ex; field; lra).
    assert (Hz : forall w, (w = 0 \/ w = 1)%Z -> mean X (fun j => A (IZR (k + w + j) * g)) = 0).
    { intros w Hw. apply (mean_vanishes f); auto. intros j Hj. apply HA. specialize (K j Hj).
      replace (IZR (k + w + j) * g - v) with ((IZR j + (IZR w - u)) * g) by (rewrite Hv, !plus_IZR; ring).
      rewrite Rabs_mult, (Rabs_right g) by lra. eapply Rle_trans; [|exact K].
      pose proof (Rabs_triang (IZR j) (IZR w - u)) as T.
      assert (Rabs (IZR w - u) <= 1) by (destruct Hw as [-> | ->]; unfold Rabs; destruct Rcase_abs; lra).
      replace (Rabs (IZR j) * g + g) with ((Rabs (IZR j) + 1) * g) by ring. apply Rmult_le_compat_r; lra. }
    pose proof (Hz 0%Z ltac:(auto)) as Z0. pose proof (Hz 1%Z ltac:(auto)) as Z1. rewrite Z1.
    replace (k + 0)%Z with k in Z0 by lia. rewrite Z0. ring.
  - intros i. apply noise_even_mass; auto.
  - apply real_peaked; auto.
  - exact (means_hold f Hn H).
  - cbn [demand_ok] in H. rewrite andb_true_iff in H. destruct H as [H1 H2]. exact (real_loss f l bound Hn Hp Hk H1 H2).
  - cbn [demand_ok] in H. rewrite andb_true_iff in H. destruct H as [Hs H]. destruct (basics f Hn) as (B1 & B2 & B3).
    pose proof (reach_sensitivity f Hn Hp Hs) as K. unfold real_obeys; rewrite <- ?G. intros X HX v v' A Hv H01 HA.
    apply (seldom_released f B3 B1 B2 (noise_distribution f Hn) _ q H X _ (divide_up (sensitivity f) (grid_length f)) v v' A HX G0); auto; [lia|lra].
Qed.

(* ---- rivals: where they are not ---- *)
Lemma largest_at is i : (forall j, In j is -> (j <= i)%Z) -> from (largest is) i = i.
Proof.
  destruct is as [|a is]; [reflexivity|]. cbn [largest from]. intros H. assert (fold_left Z.max is a <= i)%Z; [|lia].
  assert (Ha : (a <= i)%Z) by (apply H; left; auto). assert (His : forall j, In j is -> (j <= i)%Z) by (intros; apply H; right; auto).
  clear H. revert a Ha. induction is as [|b is IH]; intros a Ha; simpl; auto. apply IH; [intros; apply His; right; auto|].
  pose proof (His b (or_introl eq_refl)). lia.
Qed.
Lemma least_at is i : (forall j, In j is -> (i <= j)%Z) -> upto (least is) i = i.
Proof.
  destruct is as [|a is]; [reflexivity|]. cbn [least upto]. intros H. assert (i <= fold_left Z.min is a)%Z; [|lia].
  assert (Ha : (i <= a)%Z) by (apply H; left; auto). assert (His : forall j, In j is -> (i <= j)%Z) by (intros; apply H; right; auto).
  clear H. revert a Ha. induction is as [|b is IH]; intros a Ha; simpl; auto. apply IH; [intros; apply His; right; auto|].
  pose proof (His b (or_introl eq_refl)). lia.
Qed.
Definition out_low (q : Z * Z) (x : R) : R := 1 + -1 * (if Rle_dec (ratio q) x then 1 else 0).
Definition out_high (q : Z * Z) (x : R) : R := 1 + -1 * (if Rle_dec (- ratio q) (-1 * x) then 1 else 0).
Definition outs (f : file) : list (R -> R) := map out_low (flat_map lows (constraints f)) ++ map out_high (flat_map highs (constraints f)).
Lemma out_01 A f : In A (outs f) -> forall x, A x = 0 \/ A x = 1.
Proof.
  unfold outs. rewrite in_app_iff, !in_map_iff. intros [(q & <- & _)|(q & <- & _)] x; [unfold out_low|unfold out_high]; destruct Rle_dec; [left|right|left|right]; ring.
Qed.
Lemma out_demand A f : In A (outs f) -> exists d, In d (constraints f) /\ (demand_sound d = true -> forall x, allowed d x -> A x = 0).
Proof.
  unfold outs. rewrite in_app_iff, !in_map_iff. intros [(q & <- & Hq)|(q & <- & Hq)]; rewrite in_flat_map in Hq; destruct Hq as (d & Hd & Hq);
    exists d; split; auto; intros Hs x Hx; destruct (allowed_ends d x Hs Hx) as [A1 A2]; [unfold out_low|unfold out_high]; destruct Rle_dec as [K|K]; try ring.
  - exfalso. apply K. apply A1; auto.
  - exfalso. apply K. specialize (A2 q Hq). lra.
Qed.
Lemma outs_bound f x : (forall A, In A (outs f) -> A x = 0) ->
  (forall q, In q (flat_map lows (constraints f)) -> ratio q <= x) /\ (forall q, In q (flat_map highs (constraints f)) -> x <= ratio q).
Proof.
  intros H. split; intros q Hq.
  - specialize (H (out_low q)). unfold outs in H. rewrite in_app_iff, !in_map_iff in H. specialize (H ltac:(left; eauto)).
    unfold out_low in H. destruct Rle_dec; lra.
  - specialize (H (out_high q)). unfold outs in H. rewrite in_app_iff, !in_map_iff in H. specialize (H ltac:(right; eauto)).
    unfold out_high in H. destruct Rle_dec; lra.
Qed.
Lemma demands_sound f d : demand_ok f d = true -> demand_sound d = true.
Proof. destruct d; cbn [demand_ok demand_sound]; rewrite ?andb_true_iff; tauto. Qed.
Lemma real_never f Y : (forall d, In d (constraints f) -> demand_sound d = true) -> real_rival f Y -> Forall (never R R Rplus continuity Y) (outs f).
Proof.
  intros Hs [_ H]. rewrite Forall_forall. intros A HA.
  assert (Hm : meas Y A).
  { unfold outs in HA. rewrite in_app_iff, !in_map_iff in HA.
    assert (Hid : meas Y (fun x => x)) by (apply meas_basic; apply (derivable_continuous id), derivable_id).
    destruct HA as [(q & <- & _)|(q & <- & _)]; (apply meas_add; [apply meas_const|]; apply meas_scale).
    - apply (meas_level Y (fun x => x)); auto.
    - apply (meas_level Y (fun x => -1 * x)). apply meas_scale; auto. }
  assert (He : event Y A) by (split; auto; apply (out_01 A f HA)). split; auto.
  destruct (out_demand A f HA) as (d & Hd & K). destruct (H d Hd) as [Hst _]. apply Hst; auto.
Qed.
Lemma whole_never f Y : (forall d, In d (constraints f) -> demand_sound d = true) -> whole_rival f Y ->
  Forall (never Z Z Z.add (fun _ => True) Y) (map (fun A i => A (IZR i)) (outs f)).
Proof.
  intros Hs [_ H]. rewrite Forall_forall. intros A' HA'. rewrite in_map_iff in HA'. destruct HA' as (A & <- & HA).
  assert (He : event Y (fun i => A (IZR i))) by (split; [apply meas_basic; exact I | intros i; apply (out_01 A f HA)]). split; auto.
  destruct (out_demand A f HA) as (d & Hd & K). destruct (H d Hd) as [Hst _]. apply Hst; auto.
Qed.
Lemma whole_counts f m n extra bound kn kd : (forall d, In d (constraints f) -> demand_sound d = true) ->
  forall i, (forall A, In A (map (fun A i => A (IZR i)) (outs f)) -> A i = 0) -> counts (lower_of m n extra bound kn kd (whole_ends f)) i.
Proof.
  intros Hs i H. destruct (outs_bound f (IZR i)) as [B1 B2].
  { intros A HA. apply (H (fun i => A (IZR i))). apply (in_map (fun A i => A (IZR i))). exact HA. }
  assert (One : ratio (1, 1)%Z = 1) by (unfold ratio; simpl; field).
  unfold counts. cbn [lo hi lower_of whole_ends fst snd]. split; [apply largest_at | apply least_at]; intros j Hj; rewrite in_map_iff in Hj; destruct Hj as (q & <- & Hq);
    destruct (divide_exact q (1, 1)%Z (ends_sound f q Hs ltac:(auto)) ltac:(rewrite One; lra) eq_refl eq_refl) as (_ & _ & D3 & D4); rewrite One in *.
  - apply D4. rewrite Rmult_1_r. auto.
  - apply D3. rewrite Rmult_1_r. auto.
Qed.
Lemma real_between f m n extra bound kn kd b : (forall d, In d (constraints f) -> demand_sound d = true) -> (0 < fst b)%Z -> (0 < snd b)%Z -> 0 < ratio b ->
  between (lower_of m n extra bound kn kd (step_ends f b)) (ratio b) (outs f).
Proof.
  intros Hs Hb1 Hb2 Hb i u Hu H. destruct (outs_bound f _ H) as [B1 B2].
  assert (L : forall j, (i <= j <= i + 1)%Z -> from (fst (step_ends f b)) j = j).
  { intros j Hj. apply largest_at. intros k Hk. rewrite in_map_iff in Hk. destruct Hk as (q & <- & Hq).
    destruct (divide_exact q b (ends_sound f q Hs ltac:(auto)) Hb Hb1 Hb2) as (D1 & _). specialize (B1 q Hq).
    assert (IZR (divide_down q b) <= IZR i + u) by (apply Rmult_le_reg_r with (ratio b); auto; lra).
    assert (divide_down q b < i + 1)%Z; [|lia]. apply lt_IZR. rewrite plus_IZR. lra. }
  assert (U : forall j, j = i \/ (j = (i + 1)%Z /\ 0 < u) -> upto (snd (step_ends f b)) j = j).
  { intros j Hj. apply least_at. intros k Hk. rewrite in_map_iff in Hk. destruct Hk as (q & <- & Hq).
    destruct (divide_exact q b (ends_sound f q Hs ltac:(auto)) Hb Hb1 Hb2) as (_ & D2 & _). specialize (B2 q Hq).
    assert (K : IZR i + u <= IZR (divide_up q b)) by (apply Rmult_le_reg_r with (ratio b); auto; lra).
    destruct Hj as [->|[-> Hu0]].
    - apply le_IZR. lra.
    - assert (i < divide_up q b)%Z; [|lia]. apply lt_IZR. lra. }
  unfold counts. cbn [lo hi lower_of]. split; [split; [apply L; lia | apply U; auto]|].
  destruct (Req_dec u 0) as [E|E]; [left; auto|right]. split; [apply L; lia | apply U; right; split; auto; lra].
Qed.

(* ---- the lower bound, with what constraints add ---- *)
Lemma bound_with_ratio f scale ds : (0 < scale)%Z -> forallb dual_ok ds = true -> (0 < snd (lower f))%Z ->
  ratio (bound_with f scale ds) = ratio (lower f) + (ratio (sum_of (spends_cells scale) ds) + ratio (sum_of spends_loss ds)).
Proof.
  intros Hs Hd Hl. destruct (sum_of_ratio (spends_cells scale) ds) as [S1 _]; [intros p Hp; apply (duals_sound scale ds Hs Hd p Hp)|].
  destruct (sum_of_ratio spends_loss ds) as [S2 _]; [intros p Hp; apply (duals_sound scale ds Hs Hd p Hp)|]. destruct (plus_ratio _ _ S1 S2) as [E S3].
  unfold bound_with. destruct (plus_ratio (lower f) _ ltac:(unfold sound; rewrite Z.ltb_lt; exact Hl) S3) as [-> _]. rewrite E. reflexivity.
Qed.
Lemma duals_in f m p : In p (duals_of f m) -> In (fst p) (constraints f).
Proof. destruct p as [d k]. apply in_combine_l. Qed.
Lemma scale_positive x : lower_ok x = true -> (0 < scale x)%Z /\ (0 < kd x)%Z.
Proof.
  destruct x. unfold lower_ok. destruct (_ && _)%bool eqn:E; [|discriminate]. rewrite !andb_true_iff, !Z.ltb_lt in E. intros _. cbn [Lower.scale Lower.kd]. tauto.
Qed.
(* far enough out for a slope *)
Lemma far_enough slope M T : exists N, M <= N /\ 0 <= N /\ (slope = 0 \/ T <= Rabs slope * N).
Proof.
  exists (Rmax M (Rmax 0 (T / Rabs slope))). pose proof (Rmax_l M (Rmax 0 (T / Rabs slope))). pose proof (Rmax_r M (Rmax 0 (T / Rabs slope))).
  pose proof (Rmax_l 0 (T / Rabs slope)). pose proof (Rmax_r 0 (T / Rabs slope)). repeat split; try lra.
  destruct (Req_dec slope 0) as [E|E]; [left; auto|right]. pose proof (Rabs_pos_lt slope E). set (N := Rmax M _) in *.
  apply Rle_trans with (Rabs slope * (T / Rabs slope)); [right; field; lra | apply Rmult_le_compat_l; lra].
Qed.
Lemma flat_top x edge : flat edge (kn x) -> (0 < kd x)%Z -> exists T, forall i, IZR (kn x i) / IZR (kd x) <= T.
Proof.
  intros Hf Hk. destruct (flat_bounded _ _ Hf) as (M & HM). exists (IZR M / IZR (kd x)). intros i. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, IZR_lt; auto | apply IZR_le; auto].
Qed.

Section Rivals.
Variables (f : file) (m : multipliers).
Hypothesis Hl : loss_ok (the_loss f) = true.
Hypothesis Hsens : positive (sensitivity f) = true.
Hypothesis Hm : positive (m_step m) = true.
Hypothesis Hlow : (0 < snd (lower f))%Z.
Hypothesis Hds : forall d, In d (constraints f) -> demand_sound d = true.
Hypothesis Hbudgets : forall b, In b (budgets f) -> private_ok f b = true.
Let HD : sound (sensitivity f) = true /\ 0 <= ratio (sensitivity f).
Proof.
  unfold positive in Hsens. rewrite andb_true_iff, !Z.ltb_lt in Hsens. destruct Hsens as [A B]. split; [unfold sound; rewrite Z.ltb_lt; auto|].
  apply IZR_lt in A, B. unfold ratio. apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat; auto].
Qed.
Lemma additive_bound (Y : rlaw) B : the_kind f = Additive -> certified_steps f m = true -> real_rival f Y ->
  IZR (fst (sensitivity f) * snd (m_step m) / (snd (sensitivity f) * fst (m_step m))) * ratio (m_step m) <= ratio (sensitivity f) ->
  loss_at_most Y (cost (the_loss f)) B -> ratio (lower f) <= B.
Proof.
  intros Hkind H HYd Hnn HB. destruct HD as [HD1 HD2]. pose proof HYd as [HY HYc]. unfold certified_steps in H. rewrite Hkind in H. cbv zeta in H.
  set (ds := duals_of f m) in *. set (slope := sum_of adds_slope ds) in *. set (l := loss_with f ds) in *. set (b := m_step m) in *.
  set (n := (fst (sensitivity f) * snd b / (snd (sensitivity f) * fst b))%Z) in *. set (edge := (m_reach m + n)%Z) in *.
  set (s := scaled_to (pieces_with l slope) b) in *. rewrite !andb_true_iff in H. destruct H as [[[[F1 F2] Fd] Fo] F3].
  pose proof Hm as Hm'. unfold positive in Hm'. rewrite andb_true_iff, !Z.ltb_lt in Hm'. destruct Hm' as [Hb1 Hb2].
  assert (Hb : 0 < ratio b) by (apply IZR_lt in Hb1 as R1, Hb2 as R2; unfold ratio; apply Rmult_lt_0_compat; auto; apply Rinv_0_lt_compat; auto).
  destruct (scale_positive _ F3) as [Hscale Hkd]. cbn [Lower.scale lower_of] in Hscale.
  destruct (reach_positive _ F3) as [F4 F5]. cbn [Lower.reach Lower.n lower_of] in F4, F5. assert (He : (0 <= edge)%Z) by (unfold edge; lia).
  destruct (sum_of_ratio adds_slope ds) as [Sslope _]; [intros p Hp; apply (duals_sound 1 ds eq_refl Fd p Hp)|]. fold slope in Sslope.
  destruct (losses_add R R Rplus continuity Y (fun x => x) ds (the_loss f) B) as [Hl' HB']; auto.
  { intros k M Hk. apply meas_basic. apply (least_continuous (cost k)), cost_continuous; auto. }
  { intros k bound d Hin. apply in_combine_l in Hin. destruct (HYc _ Hin) as [_ K]. exact K. }
  change (the_loss f ++ flat_map adds_loss ds) with l in Hl', HB'. assert (Hc0 : forall x, 0 <= cost l x) by (intros; apply cost_nonneg; auto).
  assert (Hcent : ratio slope = 0 \/ centred (fun x => x) Y).
  { apply (slope_centred R R Rplus continuity Y (fun x => x) ds Fd). intros d Hin. apply in_combine_l in Hin. destruct (HYc _ Hin) as [_ K]. exact K. }
  apply le_epsilon. intros e Hepos.
  destruct (slope_mean R R Rplus continuity Y (fun x => x) (ratio slope) ltac:(intros h Hh Hbd; split; auto; apply meas_basic; auto) Hcent e Hepos) as (M & HM).
  match type of F3 with lower_ok ?d = true => set (x := d) in * end.
  assert (Hflat : flat (reach x + Lower.n x) (kn x)) by (apply (beyond_flat edge); auto).
  destruct (flat_top x _ Hflat Hkd) as (T & HT). destruct (far_enough (ratio slope) M T) as (N & N1 & N2 & N3). destruct (HM N N1 N2) as [Gline Eline].
  assert (K : IZR (ln x) / IZR (ld x) - (ratio (sum_of (spends_cells (m_scale m)) ds) + e) <= B + ratio (sum_of spends_loss ds)).
  { apply (real_lower x (cost l) (ratio (sensitivity f)) (ratio b) Hflat F3) with (L := Y) (outs := outs f) (line := fun y => ratio slope * cut_off N y); auto.
    - apply (points_granted f); auto; [|apply (lower_positive _ F3)]. intros eps delta eps' delta' He' Hd'. apply private_more; auto.
    - apply real_never; auto.
    - apply real_between; auto.
    - intros i u Hu C1 C2. pose proof (steps_below l slope b (fst (step_ends f b)) (snd (step_ends f b)) Hl' Sslope Hm F1 edge He Fo i u Hu C1 C2) as J.
      apply (cut_below _ _ _ T N); auto. pose proof (HT i) as T1. pose proof (HT (i + 1)%Z) as T2.
      apply Rmult_le_compat_l with (r := 1 - u) in T1; [|lra]. apply Rmult_le_compat_l with (r := u) in T2; [|lra]. lra.
    - rewrite (ex_plus _ _ _ _ Y (fun y => / IZR (scale x) * rlook (extra x) (y / ratio b))); [|apply good_scale, rlook_good|auto].
      apply Rplus_le_compat; auto. apply (real_cells f b (m_scale m) edge Hb1 Hb2 Hb Hscale HD1 HD2 Hds Y HYd ds Fd). intros p. apply duals_in. }
  change (IZR (ln x) / IZR (ld x)) with (ratio (bound_with f (m_scale m) ds)) in K. rewrite bound_with_ratio in K by auto. lra.
Qed.
Lemma whole_bound (Y : zlaw) B : the_kind f = Integer -> snd (sensitivity f) = 1%Z -> certified_points f m = true -> whole_rival f Y ->
  loss_at_most Y (fun i => cost (the_loss f) (IZR i)) B -> ratio (lower f) <= B.
Proof.
  intros Hkind Hone H HYd HB. destruct HD as [HD1 HD2]. pose proof HYd as [HY HYc]. unfold certified_points in H. cbv zeta in H.
  set (ds := duals_of f m) in *. set (slope := sum_of adds_slope ds) in *. set (l := loss_with f ds) in *.
  set (n := fst (sensitivity f)) in *. set (edge := (m_reach m + n)%Z) in *.
  set (s := scaled_to (pieces_with l slope) (1, 1)%Z) in *. rewrite !andb_true_iff in H. destruct H as [[[[F1 F2] Fd] Fo] F3].
  assert (EDn : ratio (sensitivity f) = IZR n) by (unfold ratio; rewrite Hone; unfold n; field).
  destruct (scale_positive _ F3) as [Hscale Hkd]. cbn [Lower.scale lower_of] in Hscale.
  destruct (reach_positive _ F3) as [F4 F5]. cbn [Lower.reach Lower.n lower_of] in F4, F5. assert (He : (0 <= edge)%Z) by (unfold edge; lia).
  destruct (sum_of_ratio adds_slope ds) as [Sslope _]; [intros p Hp; apply (duals_sound 1 ds eq_refl Fd p Hp)|]. fold slope in Sslope.
  destruct (losses_add Z Z Z.add (fun _ => True) Y IZR ds (the_loss f) B) as [Hl' HB']; auto.
  { intros k M Hk. apply meas_basic. exact I. }
  { intros k bound d Hin. apply in_combine_l in Hin. destruct (HYc _ Hin) as [_ K]. exact K. }
  change (the_loss f ++ flat_map adds_loss ds) with l in Hl', HB'. assert (Hc0 : forall x, 0 <= cost l x) by (intros; apply cost_nonneg; auto).
  assert (Hcent : ratio slope = 0 \/ centred IZR Y).
  { apply (slope_centred Z Z Z.add (fun _ => True) Y IZR ds Fd). intros d Hin. apply in_combine_l in Hin. destruct (HYc _ Hin) as [_ K]. exact K. }
  apply le_epsilon. intros e Hepos.
  destruct (slope_mean Z Z Z.add (fun _ => True) Y IZR (ratio slope) ltac:(intros h Hh Hbd; split; auto; apply meas_basic; exact I) Hcent e Hepos) as (M & HM).
  match type of F3 with lower_ok ?d = true => set (x := d) in * end.
  assert (Hflat : flat (reach x + Lower.n x) (kn x)) by (apply (beyond_flat edge); auto).
  destruct (flat_top x _ Hflat Hkd) as (T & HT). destruct (far_enough (ratio slope) M T) as (N & N1 & N2 & N3). destruct (HM N N1 N2) as [Gline Eline].
  assert (K : IZR (ln x) / IZR (ld x) - (ratio (sum_of (spends_cells (m_scale m)) ds) + e) <= B + ratio (sum_of spends_loss ds)).
  { apply (integer_lower x (cost l) n Hflat F3) with (L := Y) (outs := map (fun A i => A (IZR i)) (outs f)) (line := fun i => ratio slope * cut_off N (IZR i)); auto.
    - cbn [Lower.n lower_of x]. unfold x. cbn [Lower.n lower_of]. lia.
    - apply (points_granted f); auto; [| |apply (lower_positive _ F3)].
      + intros eps delta eps' delta' He' Hd'. apply private_more; auto.
      + intros b Hb A s' HA Hs'. apply (HY b Hb); auto. rewrite EDn. apply IZR_le; auto.
    - apply whole_never; auto.
    - apply whole_counts; auto.
    - intros i C1. pose proof (points_below l slope (fst (whole_ends f)) (snd (whole_ends f)) Hl' Sslope F1 edge Fo i C1) as J.
      apply (cut_below _ _ _ T N); auto.
    - rewrite (ex_plus Z Z Z.add (fun _ => True) Y (fun i => / IZR (scale x) * IZR (look (extra x) i))); [|apply good_scale; split; [apply meas_basic; exact I | apply look_bounded]|auto].
      apply Rplus_le_compat; auto. apply (whole_cells f (1, 1)%Z (m_scale m) edge eq_refl eq_refl ltac:(unfold ratio; simpl; lra) Hscale HD1 HD2 Hds Y HYd eq_refl ds Hone Fd). intros p. apply duals_in. }
  change (IZR (ln x) / IZR (ld x)) with (ratio (bound_with f (m_scale m) ds)) in K. rewrite bound_with_ratio in K by auto. lra.
Qed.
(* whole noise by larger steps, without constraints *)
Lemma runs_bound (Y : zlaw) B : the_kind f = Integer -> snd (sensitivity f) = 1%Z -> snd (m_step m) = 1%Z -> certified_steps f m = true -> whole_rival f Y ->
  IZR (fst (sensitivity f) * snd (m_step m) / (snd (sensitivity f) * fst (m_step m))) * ratio (m_step m) <= ratio (sensitivity f) ->
  loss_at_most Y (fun i => cost (the_loss f) (IZR i)) B -> ratio (lower f) <= B.
Proof.
  intros Hkind Hone Hb Hcert [HY _] Hnn HB. unfold certified_steps in Hcert. rewrite Hkind in Hcert. cbv zeta in Hcert. cbn [flat_map loss_with sum_of fold_right] in Hcert.
  unfold loss_with in Hcert. cbn [flat_map] in Hcert. rewrite app_nil_r in Hcert. set (slope := (0, 1)%Z) in *. set (b := m_step m) in *.
  set (n := (fst (sensitivity f) * snd b / (snd (sensitivity f) * fst b))%Z) in *. set (edge := (m_reach m + n)%Z) in *.
  set (s := scaled_to (pieces_with (the_loss f) slope) b) in *. rewrite !andb_true_iff in Hcert. destruct Hcert as [[[[F1 F2] _] Fo] F3].
  destruct (reach_positive _ F3) as [F4 F5]. cbn [Lower.reach Lower.n lower_of] in F4, F5. assert (He : (0 <= edge)%Z) by (unfold edge; lia).
  destruct (scale_positive _ F3) as [Hscale _]. cbn [Lower.scale lower_of] in Hscale.
  pose proof Hm as Hm'. unfold positive in Hm'. rewrite andb_true_iff, !Z.ltb_lt in Hm'. destruct Hm' as [Hb1 _]. fold b in Hb1.
  assert (Hr : ratio b = IZR (fst b)) by (unfold ratio; rewrite Hb; field).
  assert (EDn : ratio (sensitivity f) = IZR (fst (sensitivity f))) by (unfold ratio; rewrite Hone; field).
  assert (Hc0 : forall x, 0 <= cost (the_loss f) x) by (intros; apply cost_nonneg; auto).
  match type of F3 with lower_ok ?d = true => set (x := d) in * end.
  assert (Hflat : flat (reach x + Lower.n x) (kn x)) by (apply (beyond_flat edge); auto).
  pose proof (bound_with_ratio f (m_scale m) [] Hscale eq_refl Hlow) as E. cbn [sum_of fold_right] in E. rewrite zero_ratio in E.
  replace (ratio (lower f)) with (IZR (ln x) / IZR (ld x)) by (change (IZR (ln x) / IZR (ld x)) with (ratio (bound_with f (m_scale m) [])); lra).
  apply (whole_step_lower x (cost (the_loss f)) (fst (sensitivity f)) (fst b) Hflat F3) with (Y := Y); auto.
  - intros i u Hu C1 C2. rewrite <- Hr. pose proof (steps_below (the_loss f) slope b None None Hl eq_refl Hm F1 edge He Fo i u Hu C1 C2) as J. fold s in J.
    unfold slope in J. rewrite zero_ratio, Rmult_0_l, Rplus_0_r in J. exact J.
  - unfold x. cbn [Lower.n lower_of]. apply le_IZR. rewrite mult_IZR, <- Hr, <- EDn. exact Hnn.
  - apply (points_granted f); auto; [| |apply (lower_positive _ F3)].
    + intros eps delta eps' delta' He' Hd'. apply private_more; auto.
    + intros b' Hb' A s' HA Hs'. apply (HY b' Hb'); auto. rewrite EDn. apply IZR_le; auto.
Qed.
End Rivals.

(* ---- the theorem ---- *)
Theorem check_sound f m : check f m = true -> claims f.
Proof.
  unfold check, claims.
  destruct (loss_ok (the_loss f) && positive (sensitivity f) && positive (step f) && positive (m_step m) && (0 <? snd (lower f))%Z && noise_ok f)%bool eqn:E1; [|discriminate].
  destruct (forallb (demand_ok f) (constraints f)) eqn:E0; [|discriminate].
  destruct (forallb (private_ok f) (budgets f)) eqn:E2; [|discriminate]. destruct (upper_ok f (the_loss f) (upper f)) eqn:EU; [|discriminate].
  rewrite !andb_true_iff in E1. destruct E1 as [[[[[Hl Hs] Hb] Hm] Hlow] Hn]. pose proof Hs as Hs'. pose proof Hb as Hb'. pose proof Hm as Hm'.
  unfold positive in Hs, Hb, Hm. rewrite !andb_true_iff, !Z.ltb_lt in *.
  destruct Hs as [Hs1 Hs2], Hb as [Hb1 Hb2], Hm as [Hm1 Hm2]. rewrite forallb_forall in E0, E2.
  assert (Hds : forall d, In d (constraints f) -> demand_sound d = true) by (intros d Hd; apply (demands_sound f), E0; auto).
  assert (Hc0 : forall x, 0 <= cost (the_loss f) x) by (intros; apply cost_nonneg; auto).
  destruct (basics f Hn) as (_ & _ & Hg).
  assert (Rs1 := IZR_lt _ _ Hs1). assert (Rs2 := IZR_lt _ _ Hs2). assert (Rb1 := IZR_lt _ _ Hb1). assert (Rb2 := IZR_lt _ _ Hb2).
  assert (Rm1 := IZR_lt _ _ Hm1). assert (Rm2 := IZR_lt _ _ Hm2). assert (Rg := IZR_lt _ _ Hg). assert (Rl := IZR_lt _ _ Hlow).
  (* a bound that is not positive holds for every loss *)
  assert (Hneedless : (fst (lower f) <=? 0)%Z = true -> forall B, 0 <= B -> ratio (lower f) <= B).
  { rewrite Z.leb_le. intros H B HB. apply (IZR_le _ 0) in H. apply Rle_trans with 0; auto. unfold ratio.
    apply Rmult_le_reg_r with (IZR (snd (lower f))); auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
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
  (* so many steps of the certificate are within the sensitivity *)
  set (nn := (fst (sensitivity f) * snd (m_step m) / (snd (sensitivity f) * fst (m_step m)))%Z).
  assert (Hnn : IZR nn * ratio (m_step m) <= ratio (sensitivity f)).
  { unfold ratio, nn.
    pose proof (div_low (fst (sensitivity f) * snd (m_step m)) (snd (sensitivity f) * fst (m_step m)) ltac:(nia)) as K.
    rewrite !mult_IZR in K.
    apply Rmult_le_compat_r with (r := IZR (fst (m_step m)) / IZR (snd (m_step m))) in K.
    { eapply Rle_trans; [apply K|]. right. field. lra. }
    { left. apply Rmult_lt_0_compat; auto. apply Rinv_0_lt_compat; auto. } }
  destruct (the_kind f) eqn:Hkind.
  - (* integer *)
    destruct ((snd (sensitivity f) =? 1) && (snd (step f) =? 1) && (fst (step f) =? grid f) && (snd (m_step m) =? 1))%Z eqn:E3; [|discriminate].
    rewrite !andb_true_iff, !Z.eqb_eq in E3. destruct E3 as [[[D1 T1] T2] B1]. intros E5.
    assert (HD : ratio (sensitivity f) = IZR (fst (sensitivity f))) by (unfold ratio; rewrite D1; field).
    unfold claims_integer. split; [|split; [|split]].
    + apply noise_distribution; auto.
    + intros X HX. split.
      * intros b Hb A s [_ HA] Hs. destruct (noise_private f Hn b (E2 b Hb)) as [_ K]. apply (K X HX A s HA).
        apply le_IZR. eapply Rle_trans; [exact Hs|]. eapply Rle_trans; [exact Hk|].
        rewrite mult_IZR. unfold ratio. rewrite T1, T2. right. field.
      * exact (whole_loss f _ _ Hn Hkind Hl EU X HX).
    + intros d Hd. apply whole_demands; auto.
    + intros Y HYd B HB. pose proof HYd as [HY _]. destruct (fst (lower f) <=? 0)%Z eqn:E6.
      { apply Hneedless; auto. apply (loss_nonneg _ _ _ _ Y (fun i => cost (the_loss f) (IZR i))); auto. }
      destruct (Z.eqb_spec (fst (m_step m)) 1) as [Hb|Hb].
      * apply (whole_bound f m) with (Y := Y); auto.
      * apply (runs_bound f m) with (Y := Y); auto.
  - (* additive *)
    intros E5. set (g := ratio (step f) / IZR (grid f)) in *.
    assert (Hg0 : 0 < g) by (unfold g, ratio; repeat apply Rmult_lt_0_compat; auto; apply Rinv_0_lt_compat; auto).
    unfold claims_additive. fold g. split; [|split; [|split]].
    + apply noise_distribution; auto.
    + intros X HX. split.
      * intros b Hb v v' A Hv HA. destruct (noise_private f Hn b (E2 b Hb)) as [_ K].
        apply (released_private X g Hg0 (most_steps f * grid f)); auto.
        eapply Rle_trans; [exact Hv|]. eapply Rle_trans; [exact Hk|]. right. unfold g. rewrite mult_IZR. field. lra.
      * exact (real_loss f _ _ Hn Hb' Hkind Hl EU X HX).
    + intros d Hd. apply real_demands; auto.
    + intros Y HYd B HB. pose proof HYd as [HY _]. destruct (fst (lower f) <=? 0)%Z eqn:E6.
      { apply Hneedless; auto. apply (loss_nonneg _ _ _ _ Y (cost (the_loss f))); auto. }
      apply (additive_bound f m) with (Y := Y); auto.
Qed.
