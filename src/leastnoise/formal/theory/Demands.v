(* The multipliers of constraints: what they add to a lower bound, and that it is true. *)
Require Import Reals ZArith QArith Qreals List Bool Lra Lia FunctionalExtensionality.
Require Import Formal.Statements Formal.Laws Formal.Exp Formal.Pieces Formal.Losses Formal.Lower Formal.Moves.
Import ListNotations.
Open Scope Z_scope.

(* ---- what is computed ---- *)
Definition divide_down (p q : Z * Z) : Z := fst p * snd q / (snd p * fst q).
Definition divide_up (p q : Z * Z) : Z := - (- (fst p * snd q) / (snd p * fst q)).
Definition plus (p q : Z * Z) : Z * Z := (fst p * snd q + fst q * snd p, snd p * snd q).
Definition product (p q : Z * Z) : Z * Z := (fst p * fst q, snd p * snd q).
(* the ends that constraints set: below them, and above them, there is no noise *)
Definition lows (d : demand) : list (Z * Z) := match d with
  | Support (Some q) _ => [q] | MaxError t => [(- fst t, snd t)] | _ => [] end.
Definition highs (d : demand) : list (Z * Z) := match d with
  | Support _ (Some q) => [q] | MaxError t => [t] | _ => [] end.

(* Multipliers are hints.  Cells are in units of 1/scale. *)
Inductive dual := Compared (cells : list (Z * Z)) (centre : Z) | Slope (s : Z * Z) | Weight (w : Z * Z) | NoDual.

(* a cell and its neighbour nearer to the mode a, which holds no less *)
Definition compared (whole : bool) (a b : Z * Z) (c : Z * Z) : list (Z * Z) :=
  let '(j, u) := c in let gap := if whole then 1 else 2 in
  if u <? 0 then [] else
  if divide_up a b <=? j - gap then [(j, u); (j - 1, - u)] else
  if j + gap <=? divide_down a b then [(j, u); (j + 1, - u)] else [].
Definition middle (whole : bool) (a : Z * Z) (u : Z) : list (Z * Z) :=
  if negb whole && (fst a =? 0) && (0 <=? u) then [(1, u); (-1, u); (0, - 2 * u)] else [].
Section Computed.
Variables (whole : bool) (b : Z * Z).
Definition dual_ok (p : demand * dual) : bool := match p with
  | (Unimodal a, Compared _ _) => sound a
  | (Unbiased, Slope s) => sound s
  | (LossAtMost l bound, Weight w) => not_negative w && loss_ok l && sound bound
  | _ => true end.
Definition adds_cells (p : demand * dual) : list (Z * Z) := match p with
  | (Unimodal a, Compared cs u) => flat_map (compared whole a b) cs ++ middle whole a u
  | _ => [] end.
Definition adds_loss (p : demand * dual) : loss := match p with
  | (LossAtMost l _, Weight w) => map (fun t => (product w (fst t), snd t)) l | _ => [] end.
Definition adds_slope (p : demand * dual) : Z * Z := match p with (Unbiased, Slope s) => s | _ => (0, 1) end.
Definition spends_loss (p : demand * dual) : Z * Z := match p with
  | (LossAtMost _ bound, Weight w) => product w bound | _ => (0, 1) end.
Definition sum_of (g : demand * dual -> Z * Z) (ps : list (demand * dual)) : Z * Z := fold_right (fun p acc => plus (g p) acc) (0, 1) ps.
End Computed.

Open Scope R_scope.
(* ---- fractions ---- *)
Lemma plus_ratio p q : sound p = true -> sound q = true -> ratio (plus p q) = ratio p + ratio q /\ sound (plus p q) = true.
Proof.
  intros Hp Hq. pose proof (sound_pos _ Hp). pose proof (sound_pos _ Hq). unfold sound in *. rewrite Z.ltb_lt in *. split.
  - unfold ratio, plus. cbn [fst snd]. rewrite plus_IZR, !mult_IZR. field. lra.
  - cbn [plus snd]. apply Z.mul_pos_pos; auto.
Qed.
Lemma product_ratio p q : sound p = true -> sound q = true -> ratio (product p q) = ratio p * ratio q /\ sound (product p q) = true.
Proof.
  intros Hp Hq. pose proof (sound_pos _ Hp). pose proof (sound_pos _ Hq). unfold sound in *. rewrite Z.ltb_lt in *. split.
  - unfold ratio, product. cbn [fst snd]. rewrite !mult_IZR. field. lra.
  - cbn [product snd]. apply Z.mul_pos_pos; auto.
Qed.
Lemma zero_ratio : ratio (0, 1)%Z = 0. Proof. unfold ratio. simpl. field. Qed.
Lemma divide_exact p q : sound p = true -> 0 < ratio q -> (0 < fst q)%Z -> (0 < snd q)%Z ->
  IZR (divide_down p q) * ratio q <= ratio p /\ ratio p <= IZR (divide_up p q) * ratio q /\
  (forall i, IZR i * ratio q <= ratio p -> (i <= divide_down p q)%Z) /\ (forall i, ratio p <= IZR i * ratio q -> (divide_up p q <= i)%Z).
Proof.
  intros Hp Hq H1 H2. unfold sound in Hp. rewrite Z.ltb_lt in Hp. unfold divide_down, divide_up.
  set (a := (fst p * snd q)%Z). set (b := (snd p * fst q)%Z). assert (Hb : (0 < b)%Z) by (apply Z.mul_pos_pos; auto).
  apply IZR_lt in Hp, H1, H2. apply IZR_lt in Hb as Rb.
  assert (E : ratio p = IZR a / IZR b * ratio q) by (unfold ratio, a, b; rewrite !mult_IZR; field; lra).
  assert (Hle : forall x y, x <= y <-> x * ratio q <= y * ratio q).
  { intros. split; intros; [apply Rmult_le_compat_r; lra | apply Rmult_le_reg_r with (ratio q); auto]. }
  rewrite E. repeat split; intros; try rewrite <- Hle in *.
  - apply div_low; auto.
  - pose proof (div_low (- a) b Hb) as K. rewrite opp_IZR. rewrite (opp_IZR a) in K. unfold Rdiv in *. lra.
  - apply Z.div_le_lower_bound; auto. apply le_IZR. rewrite mult_IZR.
    apply Rmult_le_reg_r with (/ IZR b); [apply Rinv_0_lt_compat; auto|]. unfold Rdiv in H. replace (IZR b * IZR i * / IZR b) with (IZR i) by (field; lra). exact H.
  - assert (- i <= - a / b)%Z; [|lia]. apply Z.div_le_lower_bound; auto. apply le_IZR. rewrite mult_IZR, !opp_IZR.
    apply Rmult_le_reg_r with (/ IZR b); [apply Rinv_0_lt_compat; auto|]. unfold Rdiv in H. replace (IZR b * - IZR i * / IZR b) with (- IZR i) by (field; lra). lra.
Qed.
Lemma sum_of_ratio g ps : (forall p, In p ps -> sound (g p) = true) -> sound (sum_of g ps) = true /\
  ratio (sum_of g ps) = fold_right (fun p acc => ratio (g p) + acc) 0 ps.
Proof.
  induction ps as [|p ps IH]; intros H; cbn [sum_of fold_right]; [split; [reflexivity|apply zero_ratio]|].
  destruct IH as [I1 I2]; [intros; apply H; right; auto|]. destruct (plus_ratio (g p) (sum_of g ps) ltac:(apply H; left; auto) I1) as [A B].
  split; auto. fold (sum_of g ps). rewrite A, I2. reflexivity.
Qed.

(* ---- losses ---- *)
Lemma cost_app l m x : cost (l ++ m) x = cost l x + cost m x.
Proof. induction l as [|[w one] l IH]; cbn [app cost]; [ring|]. rewrite IH. ring. Qed.
Lemma loss_ok_app l m : loss_ok (l ++ m) = loss_ok l && loss_ok m.
Proof. unfold loss_ok. apply forallb_app. Qed.
Lemma weighed_cost w l x : sound w = true -> loss_ok l = true -> cost (map (fun t => (product w (fst t), snd t)) l) x = ratio w * cost l x.
Proof.
  intros Hw. induction l as [|[v one] l IH]; cbn [map cost fst snd]; intros H; [ring|]. unfold loss_ok in H. cbn [forallb fst snd] in H.
  rewrite !andb_true_iff in H. destruct H as [[Hv _] Hl]. apply not_negative_ratio in Hv. destruct Hv as [Hv _].
  destruct (product_ratio w v Hw Hv) as [-> _]. rewrite IH by exact Hl. ring.
Qed.
Lemma weighed_ok w l : not_negative w = true -> loss_ok l = true -> loss_ok (map (fun t => (product w (fst t), snd t)) l) = true.
Proof.
  intros Hw. induction l as [|[v one] l IH]; cbn [map]; intros H; [reflexivity|]. unfold loss_ok in *. cbn [forallb fst snd] in *.
  rewrite !andb_true_iff in *. destruct H as [[Hv H1] Hl]. repeat split; auto. unfold not_negative, sound, product in *. cbn [fst snd].
  rewrite !andb_true_iff, !Z.ltb_lt, !Z.leb_le in *. split; [apply Z.mul_pos_pos | apply Z.mul_nonneg_nonneg]; tauto.
Qed.
Lemma constant_continuous a : continuity (fun _ => a).
Proof. apply continuity_const; intros ? ?; auto. Qed.
Lemma identity_continuous : continuity (fun x => x).
Proof. apply (derivable_continuous id), derivable_id. Qed.
Lemma up_continuous : continuity up.
Proof.
  replace up with (fun y => / 2 * (y + Rabs y)) by (extensionality y; unfold up, Rmax, Rabs; destruct Rle_dec, Rcase_abs; lra).
  apply (continuity_mult (fun _ => / 2)); [apply constant_continuous|]. apply (continuity_plus (fun y => y) Rabs); [apply identity_continuous | apply Rcontinuity_abs].
Qed.
Lemma values_continuous (ps : list (piece Q)) : continuity (values Q2R ps).
Proof.
  assert (I := identity_continuous). assert (C := constant_continuous).
  assert (U : forall s t, continuity (fun x => up (s * x - t))).
  { intros s t. apply (continuity_comp (fun x => s * x - t) up); [|apply up_continuous]. apply (continuity_minus (fun x => s * x)); auto. apply (continuity_mult (fun _ => s)); auto. }
  induction ps as [|p ps IH]; cbn [values]; [apply C|]. apply (continuity_plus (value Q2R p)); auto. destruct p; cbn [value].
  - apply (continuity_plus (fun x => Q2R a * x)); auto. apply (continuity_mult (fun _ => Q2R a)); auto.
  - apply (continuity_mult (fun _ => Q2R a)); auto. apply (continuity_mult (fun x => x)); auto.
  - apply (continuity_mult (fun _ => Q2R a)); auto. replace (fun x => up (x - Q2R t)) with (fun x => up (1 * x - Q2R t)) by (extensionality x; rewrite Rmult_1_l; reflexivity). apply U.
  - apply (continuity_mult (fun _ => Q2R a)); auto. unfold bowl.
    replace (fun x => x * x - up (x - Q2R w) * up (x - Q2R w) - up (- x - Q2R w) * up (- x - Q2R w)) with
      (fun x => x * x - up (1 * x - Q2R w) * up (1 * x - Q2R w) - up (-1 * x - Q2R w) * up (-1 * x - Q2R w)).
    + apply (continuity_minus (fun x => x * x - up (1 * x - Q2R w) * up (1 * x - Q2R w))); [apply (continuity_minus (fun x => x * x)); [apply (continuity_mult (fun x => x)); auto|]|].
      * apply (continuity_mult (fun x => up (1 * x - Q2R w))); apply U.
      * apply (continuity_mult (fun x => up (-1 * x - Q2R w))); apply U.
    + extensionality x. rewrite Rmult_1_l. replace (-1 * x) with (- x) by ring. reflexivity.
Qed.
Lemma cost_continuous l : loss_ok l = true -> continuity (cost l).
Proof.
  intros H. replace (cost l) with (values Q2R (pieces l)) by (extensionality x; apply pieces_value; auto). apply values_continuous.
Qed.
Lemma least_continuous (c : R -> R) M : continuity c -> continuity (fun x => Rmin (c x) M).
Proof.
  intros Hc. replace (fun x => Rmin (c x) M) with (fun x => / 2 * ((c x + M) + -1 * Rabs (c x - M))).
  2:{ extensionality x. unfold Rmin, Rabs. destruct Rle_dec, Rcase_abs; lra. }
  apply (continuity_mult (fun _ => / 2)); [apply constant_continuous|]. apply (continuity_plus (fun x => c x + M)); [apply (continuity_plus c); auto; apply constant_continuous|].
  apply (continuity_mult (fun _ => -1)); [apply constant_continuous|]. apply (continuity_comp (fun x => c x - M) Rabs); [apply (continuity_minus c); auto; apply constant_continuous | apply Rcontinuity_abs].
Qed.

Open Scope Z_scope.
Definition sound_end (q : option (Z * Z)) : bool := match q with Some p => sound p | None => true end.
Definition demand_sound (d : demand) : bool := match d with
  | Support low high => sound_end low && sound_end high | MaxError t => sound t | _ => true end.
Open Scope R_scope.
Lemma allowed_ends d x : demand_sound d = true -> allowed d x -> (forall q, In q (lows d) -> ratio q <= x) /\ (forall q, In q (highs d) -> x <= ratio q).
Proof.
  destruct d as [low high|t| | | |]; cbn [allowed lows highs]; intros Hs H.
  1:{ destruct H as [H1 H2]. destruct low, high; split; intros q Hq; cbn [In] in Hq; try contradiction; destruct Hq as [<-|[]]; auto. }
  1:{ cbn [demand_sound] in Hs. apply sound_pos in Hs. assert (ratio (- fst t, snd t)%Z = - ratio t) by (unfold ratio; cbn [fst snd]; rewrite opp_IZR; field; lra).
    unfold Rabs in H. destruct Rcase_abs in H; split; intros q [<-|[]]; lra. }
  all: split; intros ? [].
Qed.
Lemma ends_sound f q : (forall d, In d (constraints f) -> demand_sound d = true) ->
  In q (flat_map lows (constraints f)) \/ In q (flat_map highs (constraints f)) -> sound q = true.
Proof.
  intros Hs [H|H]; rewrite in_flat_map in H; destruct H as (d & Hd & Hq); specialize (Hs d Hd); destruct d as [[l|] [h|]|t| | | |]; cbn [lows highs demand_sound sound_end In] in *;
    rewrite ?andb_true_iff in Hs; try contradiction; destruct Hq as [<-|[]]; try tauto; exact Hs.
Qed.

(* ---- what everybody's noise obeys ---- *)
Lemma duals_sound ps : forallb dual_ok ps = true -> forall p, In p ps ->
  sound (adds_slope p) = true /\ sound (spends_loss p) = true /\ loss_ok (adds_loss p) = true.
Proof.
  intros H p Hp. rewrite forallb_forall in H. specialize (H p Hp).
  destruct p as [[] []]; cbn [dual_ok adds_slope spends_loss adds_loss] in *; rewrite ?andb_true_iff in H; repeat split; auto; try reflexivity.
  - destruct H as [[H1 H2] H3]. apply product_ratio; auto. apply not_negative_ratio; auto.
  - apply weighed_ok; tauto.
Qed.
Section Anybody.
Variables (T S : Type) (add : T -> S -> T) (basic : (T -> R) -> Prop) (Y : law T S add basic) (place : T -> R).
(* losses of constraints add to the loss, their bounds to its bound *)
Lemma losses_add ps l B : (forall m M, loss_ok m = true -> meas Y (fun x => Rmin (cost m (place x)) M)) -> forallb dual_ok ps = true -> loss_ok l = true ->
  (forall m bound d, In (LossAtMost m bound, d) ps -> loss_at_most Y (fun x => cost m (place x)) (ratio bound)) ->
  loss_at_most Y (fun x => cost l (place x)) B -> loss_ok (l ++ flat_map adds_loss ps) = true /\
  loss_at_most Y (fun x => cost (l ++ flat_map adds_loss ps) (place x)) (B + ratio (sum_of spends_loss ps)).
Proof.
  intros Hm Hok Hl H HB. revert l B Hl HB. induction ps as [|p ps IH]; intros l B Hl HB.
  - cbn [flat_map sum_of fold_right]. rewrite app_nil_r, zero_ratio, Rplus_0_r. auto.
  - pose proof (duals_sound (p :: ps) Hok) as Hall. destruct (Hall p ltac:(left; auto)) as (_ & Hsl & Hlo).
    cbn [forallb] in Hok. rewrite andb_true_iff in Hok. destruct Hok as [Hp Hok].
    destruct (sum_of_ratio spends_loss ps) as [S1 S2]; [intros; apply Hall; right; auto|].
    cbn [flat_map sum_of fold_right]. fold (sum_of spends_loss ps). destruct (plus_ratio (spends_loss p) (sum_of spends_loss ps) Hsl S1) as [-> _].
    rewrite app_assoc. replace (B + (ratio (spends_loss p) + ratio (sum_of spends_loss ps))) with (B + ratio (spends_loss p) + ratio (sum_of spends_loss ps)) by ring.
    apply IH; auto; [intros m bound d Hin; apply (H m bound d); right; auto | rewrite loss_ok_app, Hl, Hlo; reflexivity|].
    assert (A : loss_at_most Y (fun x => cost (adds_loss p) (place x)) (ratio (spends_loss p))).
    { assert (Z0 : loss_at_most Y (fun x => cost [] (place x)) (ratio (0, 1)%Z)).
      { rewrite zero_ratio. intros g Hg Hb Hle. rewrite <- (ex_const _ _ _ _ Y 0). apply ex_le; [split; auto | apply good_const | exact Hle]. }
      destruct p as [[] []]; cbn [adds_loss spends_loss]; auto. cbn [dual_ok] in Hp. rewrite !andb_true_iff in Hp. destruct Hp as [[H1 H2] H3].
      apply not_negative_ratio in H1. destruct H1 as [H1 H4]. destruct (product_ratio w bound H1 H3) as [-> _].
      replace (fun x => cost (map (fun t => (product w (fst t), snd t)) l0) (place x)) with (fun x => ratio w * cost l0 (place x)) by (extensionality x; rewrite weighed_cost; auto).
      apply (loss_scale T S add basic Y); auto. apply (H l0 bound (Weight w)). left; auto. }
    replace (fun x => cost (l ++ adds_loss p) (place x)) with (fun x => cost l (place x) + cost (adds_loss p) (place x)) by (extensionality x; rewrite cost_app; reflexivity).
    apply (loss_add T S add basic Y); auto; intros x; apply cost_nonneg; auto.
Qed.
(* a slope is there only if the mean is 0 *)
Lemma slope_centred ps : forallb dual_ok ps = true -> (forall d, In (Unbiased, d) ps -> centred place Y) -> ratio (sum_of adds_slope ps) = 0 \/ centred place Y.
Proof.
  intros Hok H. destruct (sum_of_ratio adds_slope ps) as [_ ->]; [intros p Hp; apply (duals_sound ps Hok p Hp)|].
  induction ps as [|p ps IH]; cbn [fold_right]; [left; auto|]. cbn [forallb] in Hok. rewrite andb_true_iff in Hok. destruct Hok as [Hp Hok].
  destruct (IH Hok) as [E|E]; [intros d Hd; apply (H d); right; auto| |right; auto].
  destruct p as [[] d]; try (left; rewrite E; destruct d; cbn [adds_slope]; rewrite zero_ratio; ring). right. apply (H d). left; auto.
Qed.
End Anybody.

Section Bound.
Variables (k : Z -> Z) (edge : Z).
Hypothesis Hflat : flat edge k.
Lemma flat_bounded : exists M, forall i, (k i <= M)%Z.
Proof.
  assert (F : forall N : nat, exists M, forall i, (Z.abs i <= Z.of_nat N)%Z -> (k i <= M)%Z).
  { induction N as [|N [M IH]]; [exists (k 0%Z); intros i Hi; replace i with 0%Z by lia; lia|].
    exists (Z.max M (Z.max (k (Z.of_nat (S N))) (k (- Z.of_nat (S N))))). intros i Hi. destruct (Z_le_gt_dec (Z.abs i) (Z.of_nat N)); [specialize (IH i l); lia|].
    assert (Hi' : i = Z.of_nat (S N) \/ i = (- Z.of_nat (S N))%Z) by lia. destruct Hi' as [-> | ->]; lia. }
  destruct (F (S (Z.to_nat (Z.abs edge)))) as (M & HM). exists M. intros i. destruct (Z_le_gt_dec (Z.abs i) (Z.of_nat (S (Z.to_nat (Z.abs edge))))); [auto|].
  rewrite Hflat by lia. apply HM. destruct (0 <=? i)%Z; lia.
Qed.
End Bound.
(* a line cut off far enough out is as good as the line *)
Lemma cut_below c slope v M N x : 0 <= c -> v <= c + slope * x -> v <= M -> 0 <= N -> slope = 0 \/ M <= Rabs slope * N -> v <= c + slope * cut_off N x.
Proof.
  intros Hc Hv HM HN H. unfold cut_off. destruct (Rle_dec x N), (Rle_dec (- N) x).
  - rewrite Rmin_right, Rmax_right by lra. auto.
  - rewrite Rmin_right, Rmax_left by lra. destruct H as [->|H]; [lra|]. destruct (Rle_dec slope 0).
    + rewrite Rabs_left1 in H by lra. lra.
    + assert (slope * x <= slope * - N) by (apply Rmult_le_compat_l; lra). lra.
  - rewrite Rmin_left, Rmax_right by lra. destruct H as [->|H]; [lra|]. destruct (Rle_dec 0 slope).
    + rewrite Rabs_right in H by lra. lra.
    + assert (- slope * N <= - slope * x) by (apply Rmult_le_compat_l; lra). lra.
  - lra.
Qed.
Lemma cut_bounded N x : 0 <= N -> Rabs (cut_off N x) <= N.
Proof. intros. unfold cut_off, Rmax, Rmin, Rabs. repeat destruct Rle_dec; destruct Rcase_abs; lra. Qed.
Lemma cut_continuous N : continuity (cut_off N).
Proof.
  replace (cut_off N) with (fun x => -1 * Rmin (-1 * Rmin x N) N).
  2:{ extensionality x. unfold cut_off, Rmax, Rmin. repeat destruct Rle_dec; lra. }
  apply (continuity_mult (fun _ => -1)); [apply constant_continuous|]. apply (least_continuous (fun x => -1 * Rmin x N)).
  apply (continuity_mult (fun _ => -1)); [apply constant_continuous|]. apply (least_continuous (fun x => x)). apply identity_continuous.
Qed.

(* ---- cells of constraints: their mean ---- *)
Section Cells.
Variables (f : file) (b : Z * Z) (scale : Z).
Hypothesis Hb1 : (0 < fst b)%Z.
Hypothesis Hb2 : (0 < snd b)%Z.
Hypothesis Hb : 0 < ratio b.
Hypothesis Hscale : (0 < scale)%Z.
Let Hsi : 0 < / IZR scale. Proof. apply Rinv_0_lt_compat, IZR_lt; auto. Qed.
(* real noise *)
Section Real.
Variable Y : rlaw.
Hypothesis HY : real_rival f Y.
Notation cells cs := (fun y => rlook cs (y / ratio b)).
Let cells_good cs : good R R Rplus continuity Y (cells cs). Proof. apply rlook_good. Qed.
Lemma cells_app u v : ex Y (cells (u ++ v)) = ex Y (cells u) + ex Y (cells v).
Proof. rewrite <- (ex_plus _ _ _ _ Y) by auto. f_equal. extensionality y. apply rlook_app. Qed.
Lemma cells_none : ex Y (cells []) = 0.
Proof. cbn [rlook]. apply ex_const. Qed.
Lemma cells_hat j u : ex Y (cells [(j, u)]) = IZR u * ex Y (hat_at_cell (ratio b) j).
Proof. rewrite <- (ex_times _ _ _ _ Y) by (apply hat_good; auto). f_equal. extensionality y. cbn [rlook]. unfold hat_at_cell. ring. Qed.
Lemma real_compared a c : sound a = true -> peaked (fun x => x) (fun s => s) (ratio a) Y -> ex Y (cells (compared false a b c)) <= 0.
Proof.
  intros Ha Hp. destruct c as [j u]. cbn [compared]. destruct (Z.ltb_spec u 0) as [|Hu]; [rewrite cells_none; lra|]. apply IZR_le in Hu.
  destruct (divide_exact a b Ha Hb Hb1 Hb2) as (D1 & D2 & _).
  assert (K : forall s, s = 1%Z \/ s = (-1)%Z -> (s = 1%Z -> ratio a <= (IZR j - 2) * ratio b) -> (s = (-1)%Z -> (IZR j + 2) * ratio b <= ratio a) ->
    ex Y (cells [(j, u); (j - s, - u)%Z]) <= 0).
  { intros s H1 H2 H3. change [(j, u); ((j - s)%Z, (- u)%Z)] with ([(j, u)] ++ [((j - s)%Z, (- u)%Z)]). rewrite cells_app, !cells_hat, opp_IZR.
    pose proof (hats_fall Y (ratio b) Hb (ratio a) j s Hp H1 H2 H3) as Q. apply Rmult_le_compat_l with (r := IZR u) in Q; auto. lra. }
  destruct (Z.leb_spec (divide_up a b) (j - 2)) as [H|H]; [|destruct (Z.leb_spec (j + 2) (divide_down a b)) as [H'|H'']; [|rewrite cells_none; lra]].
  - apply (K 1%Z); auto; [|discriminate]. intros _. eapply Rle_trans; [exact D2|]. apply IZR_le in H. rewrite minus_IZR in H. apply Rmult_le_compat_r; lra.
  - replace (j + 1)%Z with (j - -1)%Z by lia. apply (K (-1)%Z); auto; [discriminate|]. intros _. eapply Rle_trans; [|exact D1]. apply IZR_le in H'. rewrite plus_IZR in H'. apply Rmult_le_compat_r; lra.
Qed.
Lemma real_middle a u : sound a = true -> peaked (fun x => x) (fun s => s) (ratio a) Y -> ex Y (cells (middle false a u)) <= 0.
Proof.
  intros Ha Hp. unfold middle. cbn [negb andb]. destruct (Z.eqb_spec (fst a) 0) as [E|]; [|cbn [andb]; rewrite cells_none; lra]. destruct (Z.leb_spec 0 u) as [Hu|]; [|cbn [andb]; rewrite cells_none; lra].
  apply IZR_le in Hu. assert (Z0 : ratio a = 0) by (unfold ratio; rewrite E; unfold Rdiv; ring). rewrite Z0 in Hp. cbn [andb].
  change [(1%Z, u); ((-1)%Z, u); (0%Z, (- 2 * u)%Z)] with ([(1%Z, u)] ++ [((-1)%Z, u)] ++ [(0%Z, (- 2 * u)%Z)]).
  rewrite !cells_app, !cells_hat, mult_IZR. pose proof (hats_centre Y (ratio b) Hb Hp) as Q. apply Rmult_le_compat_l with (r := IZR u) in Q; auto. lra.
Qed.
Theorem real_cells ps : forallb dual_ok ps = true -> (forall p, In p ps -> In (fst p) (constraints f)) ->
  ex Y (fun y => / IZR scale * rlook (flat_map (adds_cells false b) ps) (y / ratio b)) <= 0.
Proof.
  intros Hok Hin. rewrite (ex_times _ _ _ _ Y) by auto.
  induction ps as [|p ps IH]; cbn [flat_map]; [rewrite cells_none; lra|]. cbn [forallb] in Hok. rewrite andb_true_iff in Hok. destruct Hok as [Hp Hok].
  rewrite cells_app, Rmult_plus_distr_l, <- (Rplus_0_l 0). apply Rplus_le_compat; [|apply IH; auto; intros; apply Hin; right; auto]. clear IH. specialize (Hin p ltac:(left; auto)).
  assert (Z0 : / IZR scale * ex Y (cells []) <= 0) by (rewrite cells_none; lra).
  destruct p as [[| | |at_| |] [cs centre| | |]]; cbn [adds_cells fst] in *; auto; cbn [dual_ok] in Hp; try exact Z0.
  - destruct HY as [_ Hd]. destruct (Hd _ Hin) as [_ Hpk]. rewrite cells_app.
    assert (Hc : ex Y (cells (flat_map (compared false at_ b) cs)) <= 0).
    { clear Hin; induction cs as [|c cs IH]; cbn [flat_map]; [rewrite cells_none; lra|]. rewrite cells_app. pose proof (real_compared at_ c Hp Hpk). lra. }
    pose proof (real_middle at_ centre Hp Hpk). assert (0 <= / IZR scale * - (ex Y (cells (flat_map (compared false at_ b) cs)) + ex Y (cells (middle false at_ centre)))) by (apply Rmult_le_pos; lra). lra.
Qed.
End Real.

(* whole noise: cells are numbers *)
Section Whole.
Variable Y : zlaw.
Hypothesis HY : whole_rival f Y.
Hypothesis Hb_one : b = (1, 1)%Z.
Notation cells cs := (fun i => IZR (look cs i)).
Let points_good cs : good Z Z Z.add (fun _ => True) Y (cells cs). Proof. split; [apply meas_basic; exact I | apply look_bounded]. Qed.
Lemma points_app u v : ex Y (cells (u ++ v)) = ex Y (cells u) + ex Y (cells v).
Proof. rewrite <- (ex_plus _ _ _ _ Y) by auto. f_equal. extensionality i. rewrite look_app, plus_IZR. reflexivity. Qed.
Lemma points_none : ex Y (cells []) = 0.
Proof. cbn [look]. apply (ex_const Z Z Z.add (fun _ => True) Y 0). Qed.
Lemma points_one j u : ex Y (cells [(j, u)]) = IZR u * ex Y (point j).
Proof.
  rewrite <- (ex_times Z Z Z.add (fun _ => True) Y).
  - f_equal. extensionality i. cbn [look]. unfold point. destruct (i =? j)%Z; rewrite Z.add_0_r; ring.
  - split; [apply meas_basic; exact I|]. exists 1. intros i. unfold point. destruct (i =? j)%Z; rewrite Rabs_right; lra.
Qed.
Lemma ratio_one : ratio b = 1. Proof. rewrite Hb_one. unfold ratio. simpl. field. Qed.
Lemma whole_compared a c : sound a = true -> peaked IZR IZR (ratio a) Y -> ex Y (cells (compared true a b c)) <= 0.
Proof.
  intros Ha Hp. destruct c as [j u]. cbn [compared]. destruct (Z.ltb_spec u 0) as [|Hu]; [rewrite points_none; lra|]. apply IZR_le in Hu.
  destruct (divide_exact a b Ha Hb Hb1 Hb2) as (D1 & D2 & _). rewrite ratio_one, Rmult_1_r in D1, D2.
  assert (K : forall s, s = 1%Z \/ s = (-1)%Z -> (s = 1%Z -> ratio a <= IZR j - 1) -> (s = (-1)%Z -> IZR j + 1 <= ratio a) ->
    ex Y (cells [(j, u); (j - s, - u)%Z]) <= 0).
  { intros s H1 H2 H3. change [(j, u); ((j - s)%Z, (- u)%Z)] with ([(j, u)] ++ [((j - s)%Z, (- u)%Z)]). rewrite points_app, !points_one, opp_IZR.
    pose proof (points_fall Y (ratio a) j s Hp H1 H2 H3) as Q. apply Rmult_le_compat_l with (r := IZR u) in Q; auto. lra. }
  destruct (Z.leb_spec (divide_up a b) (j - 1)) as [H|H]; [|destruct (Z.leb_spec (j + 1) (divide_down a b)) as [H'|H'']; [|rewrite points_none; lra]].
  - apply (K 1%Z); auto; [|discriminate]. intros _. apply IZR_le in H. rewrite minus_IZR in H. lra.
  - replace (j + 1)%Z with (j - -1)%Z by lia. apply (K (-1)%Z); auto; [discriminate|]. intros _. apply IZR_le in H'. rewrite plus_IZR in H'. lra.
Qed.
Theorem whole_cells ps : forallb dual_ok ps = true -> (forall p, In p ps -> In (fst p) (constraints f)) ->
  ex Y (fun i => / IZR scale * IZR (look (flat_map (adds_cells true b) ps) i)) <= 0.
Proof.
  intros Hok Hin. rewrite (ex_times Z Z Z.add (fun _ => True) Y) by auto.
  induction ps as [|p ps IH]; cbn [flat_map]; [rewrite points_none; lra|]. cbn [forallb] in Hok. rewrite andb_true_iff in Hok. destruct Hok as [Hp Hok].
  rewrite points_app, Rmult_plus_distr_l, <- (Rplus_0_l 0). apply Rplus_le_compat; [|apply IH; auto; intros; apply Hin; right; auto]. clear IH. specialize (Hin p ltac:(left; auto)).
  assert (Z0 : / IZR scale * ex Y (cells []) <= 0) by (rewrite points_none; lra).
  destruct p as [[| | |at_| |] [cs centre| | |]]; cbn [adds_cells fst] in *; auto; cbn [dual_ok] in Hp; try exact Z0.
  - destruct HY as [_ Hd]. destruct (Hd _ Hin) as [_ Hpk]. unfold middle. cbn [negb andb]. rewrite app_nil_r.
    assert (Hc : ex Y (cells (flat_map (compared true at_ b) cs)) <= 0).
    { clear Hin. induction cs as [|c cs IH]; cbn [flat_map]; [rewrite points_none; lra|]. rewrite points_app. pose proof (whole_compared at_ c Hp Hpk). lra. }
    assert (0 <= / IZR scale * - ex Y (cells (flat_map (compared true at_ b) cs))) by (apply Rmult_le_pos; lra). lra.
Qed.
End Whole.
End Cells.
