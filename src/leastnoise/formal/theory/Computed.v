(* The check of a file, and what it says of the noise: a law, private, of this cost. *)
Require Import Reals ZArith QArith Qreals List Bool Lra Lia FunctionalExtensionality.
Require Import Formal.Statements Formal.Laws Formal.Exp Formal.Masses Formal.Lists Formal.Cells Formal.Lattice
  Formal.Tail Formal.Mesh Formal.Lower Formal.Pieces Formal.Costs Formal.Losses Formal.Release Formal.Shape Formal.Peaks Formal.Means
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
  | Support low high => let fine := match the_kind f with Integer => false | Additive => true end in
      let u := if fine then (fst g, 2 * snd g) else g in sound_end low && sound_end high &&
      noise_inside fine f (option_map (fun q => divide_up q u) low) (option_map (fun q => divide_down q u) high)
  | MaxError t => let most := match the_kind f with Integer => divide_down t g | Additive => divide_down t g - 1 end in
      sound t && noise_inside false f (Some (- most)) (Some most)
  | Symmetric => noise_even f
  | Unimodal a => sound a && ((atom f =? 0) || (fst a =? 0)) &&
      match the_kind f with
      | Integer => noise_peaked f (2 * divide_down a g) (2 * divide_up a g)
      | Additive => let half := (fst g, 2 * snd g) in noise_peaked f (divide_up a half - 1) (divide_down a half + 1)
      end
  | Unbiased => noise_centred f
  | LossAtMost l bound => loss_ok l && upper_ok f l bound
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
Definition bound_with (f : file) (ps : list (demand * dual)) : Z * Z := plus (lower f) (sum_of spends_loss ps).
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
  lower_ok (lower_of m n (flat_map (adds_cells false b) ds) (bound_with f ds)
    (beyond edge cl cr (lowered edge cl cr (floor_at G (parts s)))) (4 * (G * G) * divisor s) ends).
(* whole noise, b = 1: the loss itself *)
Definition certified_points (f : file) (m : multipliers) : bool :=
  let ds := duals_of f m in
  let slope := sum_of adds_slope ds in let ps := pieces_with (loss_with f ds) slope in let s := scaled_to ps (1, 1) in
  let n := fst (sensitivity f) in let edge := m_reach m + n in let G := per s in
  let cl := far_left (parts s) (- edge * G) in let cr := far_right (parts s) (edge * G) in
  scaled_ok ps (1, 1) s && points_ok f m && forallb dual_ok ds && open_sides_ok slope (parts s) G edge (whole_ends f) &&
  lower_ok (lower_of m n (flat_map (adds_cells true (1, 1)) ds) (bound_with f ds)
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
