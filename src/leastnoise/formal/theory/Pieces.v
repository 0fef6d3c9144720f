(* Losses as sums of simple pieces: lines, squares, ramps and Huber's bowls.  The facts about a
   loss that the proofs need are proven here once, for every sum of pieces with whole numbers. *)
Require Import Reals ZArith List Bool Lra Lia Psatz.
Require Import Formal.Statements.
Import ListNotations.
Open Scope R_scope.

Inductive piece (N : Type) := Line (a b : N) | Square (a : N) | Ramp (a t : N) | Bowl (a w : N).
Arguments Line {N}. Arguments Square {N}. Arguments Ramp {N}. Arguments Bowl {N}.

Definition up (x : R) := Rmax 0 x.
(* twice Huber's loss of width w: x^2 within, 2 w |x| - w^2 beyond *)
Definition bowl (w x : R) := x * x - up (x - w) * up (x - w) - up (- x - w) * up (- x - w).
Definition value {N} (f : N -> R) (p : piece N) (x : R) : R := match p with
  | Line a b => f a * x + f b
  | Square a => f a * (x * x)
  | Ramp a t => f a * up (x - f t)
  | Bowl a w => f a * bowl (f w) x
  end.
Fixpoint values {N} (f : N -> R) (ps : list (piece N)) (x : R) : R := match ps with
  | [] => 0 | p :: rest => value f p x + values f rest x end.
Lemma values_app {N} (f : N -> R) ps qs x : values f (ps ++ qs) x = values f ps x + values f qs x.
Proof. induction ps; simpl; [lra|]. rewrite IHps. lra. Qed.

(* ---- ramps and bowls ---- *)
Lemma up_pos x : 0 <= x -> up x = x. Proof. apply Rmax_right. Qed.
Lemma up_neg x : x <= 0 -> up x = 0. Proof. apply Rmax_left. Qed.
Lemma up_0 x : 0 <= up x. Proof. apply Rmax_l. Qed.
Lemma up_1 x : x <= up x. Proof. apply Rmax_r. Qed.
Lemma up_scale c x : 0 <= c -> up (c * x) = c * up x.
Proof. intros. unfold up. rewrite <- RmaxRmult, Rmult_0_r; auto. Qed.
Definition convex (f : R -> R) := forall x y u, 0 <= u <= 1 -> f (u * x + (1 - u) * y) <= u * f x + (1 - u) * f y.
Lemma up_convex t : convex (fun x => up (x - t)).
Proof.
  intros x y u Hu. pose proof (up_0 (x - t)). pose proof (up_0 (y - t)). pose proof (up_1 (x - t)). pose proof (up_1 (y - t)).
  unfold up at 1. apply Rmax_lub; nra.
Qed.
Lemma bowl_above w s x : 0 <= w -> - w <= s <= w -> 2 * s * x - s * s <= bowl w x.
Proof.
  intros Hw Hs. unfold bowl. destruct (Rle_dec x w) as [H1|H1], (Rle_dec (- w) x) as [H2|H2].
  - rewrite !up_neg by lra. assert (0 <= (x - s) * (x - s)) by (apply Rle_0_sqr). lra.
  - rewrite (up_neg (x - w)), (up_pos (- x - w)) by lra. assert (0 <= (w + s) * (- 2 * x - w + s)) by (apply Rmult_le_pos; lra). lra.
  - rewrite (up_pos (x - w)), (up_neg (- x - w)) by lra. assert (0 <= (w - s) * (2 * x - w - s)) by (apply Rmult_le_pos; lra). lra.
  - lra.
Qed.
Lemma bowl_at w x : 0 <= w -> exists s, - w <= s <= w /\ bowl w x = 2 * s * x - s * s.
Proof.
  intros Hw. unfold bowl. destruct (Rle_dec x w) as [H1|H1], (Rle_dec (- w) x) as [H2|H2].
  - exists x. rewrite !up_neg by lra. split; [lra|ring].
  - exists (- w). rewrite (up_neg (x - w)), (up_pos (- x - w)) by lra. split; [lra|ring].
  - exists w. rewrite (up_pos (x - w)), (up_neg (- x - w)) by lra. split; [lra|ring].
  - lra.
Qed.
Lemma bowl_convex w : 0 <= w -> convex (bowl w).
Proof.
  intros Hw x y u Hu. destruct (bowl_at w (u * x + (1 - u) * y) Hw) as (s & Hs & ->).
  pose proof (bowl_above w s x Hw Hs) as A. pose proof (bowl_above w s y Hw Hs) as B.
  apply Rmult_le_compat_l with (r := u) in A; [|lra]. apply Rmult_le_compat_l with (r := 1 - u) in B; [|lra]. lra.
Qed.
Lemma bowl_right w x : 0 <= w <= x -> bowl w x = 2 * w * x - w * w.
Proof. intros. unfold bowl. rewrite (up_pos (x - w)), (up_neg (- x - w)) by lra. ring. Qed.
Lemma bowl_left w x : 0 <= w <= - x -> bowl w x = - 2 * w * x - w * w.
Proof. intros. unfold bowl. rewrite (up_neg (x - w)), (up_pos (- x - w)) by lra. ring. Qed.
Lemma bowl_in w x : - w <= x <= w -> bowl w x = x * x.
Proof. intros. unfold bowl. rewrite !up_neg by lra. ring. Qed.
Lemma bowl_square w x : bowl w x <= x * x.
Proof. unfold bowl. pose proof (Rle_0_sqr (up (x - w))). pose proof (Rle_0_sqr (up (- x - w))). unfold Rsqr in *. lra. Qed.
Lemma bowl_opp w x : bowl w (- x) = bowl w x.
Proof. unfold bowl. replace (- - x - w) with (x - w) by ring. ring. Qed.
Lemma bowl_rises w x y : 0 <= w -> 0 <= x <= y -> bowl w x <= bowl w y.
Proof.
  intros Hw H. destruct (bowl_at w x Hw) as (s & Hs & Hx). pose proof (bowl_above w (Rmax 0 s) y Hw) as A.
  pose proof (bowl_above w (Rmax 0 s) x Hw) as B. rewrite Hx in *. unfold Rmax in *. destruct (Rle_dec 0 s); [|].
  - specialize (A ltac:(lra)). eapply Rle_trans; [|apply A]. nra.
  - specialize (A ltac:(lra)). eapply Rle_trans; [|apply A]. nra.
Qed.

(* ---- whole numbers ---- *)
Definition zup (z : Z) : Z := Z.max 0 z.
Definition zvalue (p : piece Z) (x : Z) : Z := match p with
  | Line a b => a * x + b
  | Square a => a * (x * x)
  | Ramp a t => a * zup (x - t)
  | Bowl a w => a * (x * x - zup (x - w) * zup (x - w) - zup (- x - w) * zup (- x - w))
  end%Z.
Fixpoint zvalues (ps : list (piece Z)) (x : Z) : Z := match ps with
  | [] => 0 | p :: rest => zvalue p x + zvalues rest x end%Z.
Lemma zup_up z : IZR (zup z) = up (IZR z).
Proof.
  unfold zup, up. destruct (Z_le_gt_dec 0 z).
  - rewrite Z.max_r by lia. rewrite Rmax_right; auto. apply IZR_le; auto.
  - rewrite Z.max_l by lia. rewrite Rmax_left; auto. apply (IZR_le z 0). lia.
Qed.
Lemma zvalue_value p x : IZR (zvalue p x) = value IZR p (IZR x).
Proof.
  destruct p; cbn [zvalue value]; repeat rewrite ?mult_IZR, ?plus_IZR, ?minus_IZR, ?zup_up, ?opp_IZR; auto.
Qed.
Lemma zvalues_values ps x : IZR (zvalues ps x) = values IZR ps (IZR x).
Proof. induction ps; simpl; auto. rewrite plus_IZR, zvalue_value, IHps. reflexivity. Qed.

Definition signs_ok (p : piece Z) : bool := match p with
  | Square a => 0 <=? a | Bowl a w => (0 <=? a) && (0 <=? w) | _ => true end%Z.

Section Grid.
Variable G : Z.
Hypothesis HG : (0 < G)%Z.
Let g := IZR G.
Let Hg : 0 < g. Proof. apply IZR_lt; auto. Qed.

(* ---- a release: four times the expected loss, whatever the value, of noise of j grid steps ---- *)
Definition smooth (p : piece Z) (j : Z) : Z := (2 * zvalue p (j * G) + zvalue p ((j - 1) * G) + zvalue p ((j + 1) * G))%Z.
Definition release (p : piece Z) (j : Z) : Z := match p with
  | Line _ _ => 4 * zvalue p (j * G)
  | Square a => 4 * zvalue p (j * G) + a * (G * G)
  | Ramp a _ => if 0 <=? a then smooth p j else 4 * zvalue p (j * G)
  | Bowl _ _ => smooth p j
  end%Z.
Fixpoint releases (ps : list (piece Z)) (j : Z) : Z := match ps with
  | [] => 0 | p :: rest => release p j + releases rest j end%Z.

Lemma convex_release f j u : convex f -> 0 <= u <= 1 ->
  (1 - u) * f ((j - u) * g) + u * f ((j + 1 - u) * g) <= (2 * f (j * g) + f ((j - 1) * g) + f ((j + 1) * g)) / 4.
Proof.
  intros Hf Hu. pose proof (Hf ((j - 1) * g) (j * g) u Hu) as A. pose proof (Hf (j * g) ((j + 1) * g) u Hu) as B.
  pose proof (Hf ((j - 1) * g) ((j + 1) * g) (1 / 2) ltac:(lra)) as C.
  replace (u * ((j - 1) * g) + (1 - u) * (j * g)) with ((j - u) * g) in A by ring.
  replace (u * (j * g) + (1 - u) * ((j + 1) * g)) with ((j + 1 - u) * g) in B by ring.
  replace (1 / 2 * ((j - 1) * g) + (1 - 1 / 2) * ((j + 1) * g)) with (j * g) in C by field.
  set (f0 := f (j * g)) in *. set (f1 := f ((j - 1) * g)) in *. set (f2 := f ((j + 1) * g)) in *.
  apply Rmult_le_compat_l with (r := 1 - u) in A; [|lra]. apply Rmult_le_compat_l with (r := u) in B; [|lra].
  assert (D : 0 <= (1 - 2 * u) * (1 - 2 * u) * (f1 + f2 - 2 * f0)) by (apply Rmult_le_pos; [apply Rle_0_sqr | lra]). lra.
Qed.
Lemma smooth_value p j : IZR (smooth p j) =
  2 * value IZR p (IZR j * g) + value IZR p ((IZR j - 1) * g) + value IZR p ((IZR j + 1) * g).
Proof.
  unfold smooth. rewrite !plus_IZR, mult_IZR, !zvalue_value, !mult_IZR, minus_IZR, plus_IZR. reflexivity.
Qed.
Lemma piece_release p j u : signs_ok p = true -> 0 <= u <= 1 ->
  (1 - u) * value IZR p ((IZR j - u) * g) + u * value IZR p ((IZR j + 1 - u) * g) <= IZR (release p j) / 4.
Proof.
  intros Hs Hu. unfold release. destruct p as [a b|a|a t|a w]; cbn [signs_ok] in Hs.
  - rewrite mult_IZR, zvalue_value, mult_IZR. cbn [value]. fold g. right. field.
  - rewrite Z.leb_le in Hs. apply IZR_le in Hs. rewrite plus_IZR, !mult_IZR, zvalue_value, mult_IZR. cbn [value]. fold g.
    assert (0 <= IZR a * (g * g) * ((1 - 2 * u) * (1 - 2 * u))).
    { apply Rmult_le_pos; [repeat apply Rmult_le_pos; lra | apply Rle_0_sqr]. }
    lra.
  - destruct (Z.leb_spec 0 a) as [Ha|Ha].
    + rewrite smooth_value. apply IZR_le in Ha. apply (convex_release (value IZR (Ramp a t))); auto.
      intros x y v Hv. cbn [value]. pose proof (up_convex (IZR t) x y v Hv) as C. cbv beta in C.
      apply Rmult_le_compat_l with (r := IZR a) in C; auto. lra.
    + rewrite mult_IZR, zvalue_value, mult_IZR. cbn [value]. fold g. apply IZR_lt in Ha.
      pose proof (up_convex (IZR t) ((IZR j + 1 - u) * g) ((IZR j - u) * g) u Hu) as C. cbv beta in C.
      replace (u * ((IZR j + 1 - u) * g) + (1 - u) * ((IZR j - u) * g)) with (IZR j * g) in C by ring.
      apply Rmult_le_compat_l with (r := - IZR a) in C; [|lra]. lra.
  - rewrite andb_true_iff, !Z.leb_le in Hs. destruct Hs as [Ha Hw]. apply IZR_le in Ha, Hw. rewrite smooth_value.
    apply (convex_release (value IZR (Bowl a w))); auto. intros x y v Hv. cbn [value].
    pose proof (bowl_convex (IZR w) Hw x y v Hv) as C. apply Rmult_le_compat_l with (r := IZR a) in C; auto. lra.
Qed.
Lemma releases_above ps j u : forallb signs_ok ps = true -> 0 <= u <= 1 ->
  (1 - u) * values IZR ps ((IZR j - u) * g) + u * values IZR ps ((IZR j + 1 - u) * g) <= IZR (releases ps j) / 4.
Proof.
  intros H Hu. induction ps as [|p ps IH]; simpl in *; [lra|]. rewrite andb_true_iff in H. destruct H as [H1 H2].
  specialize (IH H2). pose proof (piece_release p j u H1 Hu). rewrite plus_IZR. lra.
Qed.

(* ---- from below: 4 G G times the largest excess of the chord from i to i + 1 grid steps ---- *)
(* a bowl's is where the bowl is as steep as its chord, which rises by d *)
Definition bowl_excess (low d x : Z) : Z := (4 * (G * G) * low - 4 * G * d * x + d * d)%Z.
Definition chord (p : piece Z) (i : Z) : Z := match p with
  | Line _ _ => 0
  | Square a => a * (G * G * (G * G))
  | Ramp a t => if 0 <=? a then 4 * G * a * (zup (t - i * G) * zup ((i + 1) * G - t)) else 0
  | Bowl a w => let low := zvalue (Bowl 1 w) (i * G) in a * bowl_excess low (zvalue (Bowl 1 w) ((i + 1) * G) - low) (i * G)
  end%Z.
Fixpoint chords (ps : list (piece Z)) (i : Z) : Z := match ps with
  | [] => 0 | p :: rest => chord p i + chords rest i end%Z.
(* 4 G G times a value at i grid steps at most that of the loss *)
Definition floor_at (ps : list (piece Z)) (i : Z) : Z := (4 * (G * G) * zvalues ps (i * G) - Z.max (chords ps (i - 1)) (chords ps i))%Z.

Lemma ramp_chord t p q x : p < q -> p <= x <= q ->
  (x - p) * up (q - t) + (q - x) * up (p - t) - up (t - p) * up (q - t) <= (q - p) * up (x - t).
Proof.
  intros Hpq Hx. destruct (Rle_dec t p); [|destruct (Rle_dec q t)].
  - rewrite (up_neg (t - p)), !up_pos by lra. lra.
  - rewrite !(up_neg (q - t)), (up_neg (p - t)), (up_neg (x - t)) by lra. lra.
  - rewrite (up_neg (p - t)), (up_pos (t - p)), (up_pos (q - t)) by lra. destruct (Rle_dec x t).
    + rewrite (up_neg (x - t)) by lra. assert (0 <= (t - x) * (q - t)) by (apply Rmult_le_pos; lra). lra.
    + rewrite (up_pos (x - t)) by lra. assert (0 <= (x - t) * (t - p)) by (apply Rmult_le_pos; lra). lra.
Qed.
Lemma bowl_steep w x y : 0 <= w -> x <= y -> - (2 * w * (y - x)) <= bowl w y - bowl w x <= 2 * w * (y - x).
Proof.
  intros Hw H. destruct (bowl_at w x Hw) as (s & Hs & Ex). destruct (bowl_at w y Hw) as (t & Ht & Ey).
  pose proof (bowl_above w s y Hw Hs). pose proof (bowl_above w t x Hw Ht).
  assert (0 <= (w + s) * (y - x)) by (apply Rmult_le_pos; lra). assert (0 <= (w - t) * (y - x)) by (apply Rmult_le_pos; lra). lra.
Qed.
Lemma bowl_chord w x u : 0 <= w -> 0 <= u <= 1 -> let d := bowl w (x + g) - bowl w x in
  4 * (g * g) * (bowl w x + u * d) - (4 * (g * g) * bowl w x - 4 * g * d * x + d * d) <= 4 * (g * g) * bowl w (x + u * g).
Proof.
  intros Hw Hu d. pose proof (bowl_steep w x (x + g) Hw ltac:(lra)) as S. fold d in S.
  assert (I : 0 < / (2 * g)) by (apply Rinv_0_lt_compat; lra).
  assert (E : d = 2 * g * (d * / (2 * g))) by (field; lra).
  set (s := d * / (2 * g)) in *. clearbody s d. subst d.
  assert (Hs : - w <= s <= w) by (split; apply Rmult_le_reg_l with (2 * g); lra).
  pose proof (bowl_above w s (x + u * g) Hw Hs) as A.
  apply Rmult_le_compat_l with (r := 4 * (g * g)) in A; [|repeat apply Rmult_le_pos; lra]. lra.
Qed.
Lemma piece_chord p i u : signs_ok p = true -> 0 <= u <= 1 ->
  4 * (g * g) * ((1 - u) * value IZR p (IZR i * g) + u * value IZR p ((IZR i + 1) * g)) - IZR (chord p i) <= 4 * (g * g) * value IZR p ((IZR i + u) * g).
Proof.
  intros Hs Hu. unfold chord. assert (Hgg : 0 <= 4 * (g * g)) by (repeat apply Rmult_le_pos; lra).
  destruct p as [a b|a|a t|a w]; cbn [signs_ok] in *.
  - cbn [value]. lra.
  - cbn [value]. rewrite Z.leb_le in Hs. apply IZR_le in Hs. rewrite !mult_IZR. fold g.
    assert (0 <= IZR a * (g * g * (g * g)) * ((1 - 2 * u) * (1 - 2 * u))) by (apply Rmult_le_pos; [repeat apply Rmult_le_pos; lra | apply Rle_0_sqr]). lra.
  - cbn [value]. destruct (Z.leb_spec 0 a) as [Ha|Ha].
    + apply IZR_le in Ha. rewrite !mult_IZR, !zup_up, !minus_IZR, !mult_IZR, plus_IZR. fold g.
      pose proof (ramp_chord (IZR t) (IZR i * g) ((IZR i + 1) * g) ((IZR i + u) * g)) as C.
      assert (0 <= u * g) by (apply Rmult_le_pos; lra). assert (0 <= (1 - u) * g) by (apply Rmult_le_pos; lra).
      specialize (C ltac:(lra) ltac:(lra)). apply Rmult_le_compat_l with (r := 4 * g * IZR a) in C; [|repeat apply Rmult_le_pos; lra]. lra.
    + apply IZR_lt in Ha. pose proof (up_convex (IZR t) ((IZR i + 1) * g) (IZR i * g) u Hu) as C. cbv beta in C.
      replace (u * ((IZR i + 1) * g) + (1 - u) * (IZR i * g)) with ((IZR i + u) * g) in C by ring.
      assert (0 <= 4 * (g * g) * - IZR a) by (apply Rmult_le_pos; lra).
      apply Rmult_le_compat_l with (r := 4 * (g * g) * - IZR a) in C; auto. lra.
  - rewrite andb_true_iff, !Z.leb_le in Hs. destruct Hs as [Ha Hw]. apply IZR_le in Ha, Hw. cbv zeta. unfold bowl_excess.
    repeat rewrite ?mult_IZR, ?plus_IZR, ?minus_IZR, ?zvalue_value. cbn [value]. fold g. rewrite !Rmult_1_l.
    pose proof (bowl_chord (IZR w) (IZR i * g) u Hw Hu) as C. cbv zeta in C.
    replace (IZR i * g + g) with ((IZR i + 1) * g) in C by ring. replace (IZR i * g + u * g) with ((IZR i + u) * g) in C by ring.
    apply Rmult_le_compat_l with (r := IZR a) in C; auto. lra.
Qed.
Lemma chords_above ps i u : forallb signs_ok ps = true -> 0 <= u <= 1 ->
  4 * (g * g) * ((1 - u) * values IZR ps (IZR i * g) + u * values IZR ps ((IZR i + 1) * g)) - IZR (chords ps i) <= 4 * (g * g) * values IZR ps ((IZR i + u) * g).
Proof.
  intros H Hu. induction ps as [|p ps IH]; simpl in *; [lra|]. rewrite andb_true_iff in H. destruct H as [H1 H2].
  specialize (IH H2). pose proof (piece_chord p i u H1 Hu). rewrite plus_IZR. lra.
Qed.
Lemma floors_below ps i u : forallb signs_ok ps = true -> 0 <= u <= 1 ->
  (1 - u) * IZR (floor_at ps i) + u * IZR (floor_at ps (i + 1)) <= 4 * (g * g) * values IZR ps ((IZR i + u) * g).
Proof.
  intros H Hu. eapply Rle_trans; [|apply (chords_above ps i u H Hu)]. unfold floor_at.
  replace (i + 1 - 1)%Z with i by lia.
  assert (A : (chords ps i <= Z.max (chords ps (i - 1)) (chords ps i))%Z) by lia.
  assert (B : (chords ps i <= Z.max (chords ps i) (chords ps (i + 1)))%Z) by lia.
  apply IZR_le in A, B. rewrite !minus_IZR, !mult_IZR, !zvalues_values, !mult_IZR, plus_IZR. fold g.
  apply Rmult_le_compat_l with (r := 1 - u) in A; [|lra]. apply Rmult_le_compat_l with (r := u) in B; [|lra]. lra.
Qed.
End Grid.

(* ---- far out: the loss is nowhere smaller beyond x, or 0 is all that is said ---- *)
Fixpoint slope_right (ps : list (piece Z)) (x : Z) : Z := match ps with
  | [] => 0
  | Line a _ :: rest => a + slope_right rest x
  | Ramp a t :: rest => (if t <=? x then a else 0) + slope_right rest x
  | _ :: rest => slope_right rest x end%Z.
Fixpoint slope_left (ps : list (piece Z)) (x : Z) : Z := match ps with
  | [] => 0
  | Line a _ :: rest => a + slope_left rest x
  | Ramp a t :: rest => (if t <? x then a else 0) + slope_left rest x
  | _ :: rest => slope_left rest x end%Z.
Definition bends_up (beyond : Z -> bool) (p : piece Z) : bool := match p with
  | Ramp a t => negb (beyond t) || (0 <=? a)%Z | _ => true end.
Definition steep_right (ps : list (piece Z)) (x : Z) : bool := ((0 <=? x) && (0 <=? slope_right ps x) && forallb (bends_up (fun t => x <? t)) ps)%Z.
Definition steep_left (ps : list (piece Z)) (x : Z) : bool := ((x <=? 0) && (slope_left ps x <=? 0) && forallb (bends_up (fun t => t <? x)) ps)%Z.
Definition far_right (ps : list (piece Z)) (x : Z) : Z := if steep_right ps x then zvalues ps x else 0%Z.
Definition far_left (ps : list (piece Z)) (x : Z) : Z := if steep_left ps x then zvalues ps x else 0%Z.

Lemma rises_right ps x y : forallb signs_ok ps = true -> (0 <= x)%Z -> forallb (bends_up (fun t => (x <? t)%Z)) ps = true ->
  IZR x <= y -> values IZR ps (IZR x) + IZR (slope_right ps x) * (y - IZR x) <= values IZR ps y.
Proof.
  intros Hs Hx Hb Hy. apply IZR_le in Hx as Hx'. induction ps as [|p ps IH]; [simpl; lra|]. cbn [forallb] in Hs, Hb.
  rewrite andb_true_iff in Hs, Hb. destruct Hs as [Hs1 Hs2], Hb as [Hb1 Hb2]. specialize (IH Hs2 Hb2). cbn [values].
  destruct p as [a b|a|a t|a w]; cbn [slope_right value signs_ok bends_up] in *.
  - rewrite plus_IZR. lra.
  - rewrite Z.leb_le in Hs1. apply IZR_le in Hs1. assert (IZR a * (IZR x * IZR x) <= IZR a * (y * y)) by (apply Rmult_le_compat_l; nra). lra.
  - rewrite plus_IZR. destruct (Z.leb_spec t x) as [Ht|Ht].
    + apply IZR_le in Ht. rewrite !(up_pos (_ - IZR t)) by lra. lra.
    + destruct (Z.ltb_spec x t); [|lia]. cbn [negb orb] in Hb1. rewrite Z.leb_le in Hb1. apply IZR_le in Hb1. apply IZR_lt in Ht.
      rewrite (up_neg (IZR x - IZR t)) by lra. pose proof (up_0 (y - IZR t)). assert (0 <= IZR a * up (y - IZR t)) by (apply Rmult_le_pos; auto). lra.
  - rewrite andb_true_iff, !Z.leb_le in Hs1. destruct Hs1 as [Ha Hw]. apply IZR_le in Ha, Hw.
    pose proof (bowl_rises (IZR w) (IZR x) y Hw ltac:(lra)) as K. apply Rmult_le_compat_l with (r := IZR a) in K; auto. lra.
Qed.
Lemma rises_left ps x y : forallb signs_ok ps = true -> (x <= 0)%Z -> forallb (bends_up (fun t => (t <? x)%Z)) ps = true ->
  y <= IZR x -> values IZR ps (IZR x) + IZR (slope_left ps x) * (y - IZR x) <= values IZR ps y.
Proof.
  intros Hs Hx Hb Hy. apply (IZR_le x 0) in Hx as Hx'. induction ps as [|p ps IH]; [simpl; lra|]. cbn [forallb] in Hs, Hb.
  rewrite andb_true_iff in Hs, Hb. destruct Hs as [Hs1 Hs2], Hb as [Hb1 Hb2]. specialize (IH Hs2 Hb2). cbn [values].
  destruct p as [a b|a|a t|a w]; cbn [slope_left value signs_ok bends_up] in *.
  - rewrite plus_IZR. lra.
  - rewrite Z.leb_le in Hs1. apply IZR_le in Hs1. assert (IZR a * (IZR x * IZR x) <= IZR a * (y * y)) by (apply Rmult_le_compat_l; nra). lra.
  - rewrite plus_IZR. destruct (Z.ltb_spec t x) as [Ht|Ht].
    + cbn [negb orb] in Hb1. rewrite Z.leb_le in Hb1. apply IZR_le in Hb1. apply IZR_lt in Ht.
      rewrite (up_pos (IZR x - IZR t)) by lra. pose proof (up_1 (y - IZR t)) as K. apply Rmult_le_compat_l with (r := IZR a) in K; auto. lra.
    + apply IZR_le in Ht. rewrite !(up_neg (_ - IZR t)) by lra. lra.
  - rewrite andb_true_iff, !Z.leb_le in Hs1. destruct Hs1 as [Ha Hw]. apply IZR_le in Ha, Hw.
    pose proof (bowl_rises (IZR w) (- IZR x) (- y) Hw ltac:(lra)) as K. rewrite !bowl_opp in K. apply Rmult_le_compat_l with (r := IZR a) in K; auto. lra.
Qed.
Lemma far_right_below ps x y : forallb signs_ok ps = true -> (forall z, 0 <= values IZR ps z) \/ steep_right ps x = true -> IZR x <= y -> IZR (far_right ps x) <= values IZR ps y.
Proof.
  intros Hs H0 Hy. unfold far_right. destruct (steep_right ps x) eqn:E; [|destruct H0 as [H0|]; [apply H0|discriminate]]. unfold steep_right in E.
  rewrite !andb_true_iff, !Z.leb_le in E. destruct E as [[E1 E2] E3]. apply IZR_le in E2.
  rewrite zvalues_values. pose proof (rises_right ps x y Hs E1 E3 Hy).
  assert (0 <= IZR (slope_right ps x) * (y - IZR x)) by (apply Rmult_le_pos; lra). lra.
Qed.
Lemma far_left_below ps x y : forallb signs_ok ps = true -> (forall z, 0 <= values IZR ps z) \/ steep_left ps x = true -> y <= IZR x -> IZR (far_left ps x) <= values IZR ps y.
Proof.
  intros Hs H0 Hy. unfold far_left. destruct (steep_left ps x) eqn:E; [|destruct H0 as [H0|]; [apply H0|discriminate]]. unfold steep_left in E.
  rewrite !andb_true_iff, !Z.leb_le in E. destruct E as [[E1 E2] E3]. apply (IZR_le _ 0) in E2.
  rewrite zvalues_values. pose proof (rises_left ps x y Hs E1 E3 Hy).
  assert (0 <= - IZR (slope_left ps x) * (IZR x - y)) by (apply Rmult_le_pos; lra). lra.
Qed.
