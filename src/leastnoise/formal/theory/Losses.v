(* The losses of files are sums of pieces, in whole numbers of a unit of length. *)
Require Import Reals ZArith QArith Qreals List Bool Lra Lia.
Require Import Formal.Statements Formal.Pieces.
Import ListNotations.
Open Scope R_scope.

Definition sound (q : Z * Z) : bool := (0 <? snd q)%Z.
Definition q_of (q : Z * Z) : Q := Qmake (fst q) (Z.to_pos (snd q)).
Lemma q_of_ratio q : sound q = true -> Q2R (q_of q) = ratio q.
Proof.
  unfold sound. rewrite Z.ltb_lt. intros H. unfold Q2R, q_of, ratio. simpl. rewrite Z2Pos.id by auto. reflexivity.
Qed.

(* ---- which losses are well formed ---- *)
Definition before (p q : Z * Z) : bool := (fst p * snd q <? fst q * snd p)%Z.
Definition not_negative (q : Z * Z) : bool := sound q && (0 <=? fst q)%Z.
Fixpoint rising_points (x0 : Z * Z) (points : list ((Z * Z) * (Z * Z))) : bool := match points with
  | [] => true
  | (p, v) :: rest => sound p && not_negative v && before x0 p && rising_points p rest end.
Definition one_ok (l : one_loss) : bool := match l with
  | L1 | L2 => true
  | Pinball tau => not_negative tau && (fst tau <=? snd tau)%Z
  | Huber w => not_negative w
  | Piecewise [] _ _ => false
  | Piecewise ((p, v) :: rest) s t => sound p && not_negative v && rising_points p rest
      && sound s && (fst s <=? 0)%Z && not_negative t
  end.
Definition loss_ok (l : loss) : bool := forallb (fun t => not_negative (fst t) && one_ok (snd t)) l.

Lemma sound_pos q : sound q = true -> 0 < IZR (snd q).
Proof. unfold sound. rewrite Z.ltb_lt. apply IZR_lt. Qed.
Lemma not_negative_ratio q : not_negative q = true -> sound q = true /\ 0 <= ratio q.
Proof.
  unfold not_negative. rewrite andb_true_iff, Z.leb_le. intros [H1 H2]. split; auto. apply sound_pos in H1. apply IZR_le in H2.
  unfold ratio. apply Rmult_le_pos; auto. left. apply Rinv_0_lt_compat; auto.
Qed.
Lemma before_ratio p q : sound p = true -> sound q = true -> before p q = true -> ratio p < ratio q.
Proof.
  unfold before. rewrite Z.ltb_lt. intros Hp Hq H. apply sound_pos in Hp, Hq. apply IZR_lt in H. rewrite !mult_IZR in H. unfold ratio.
  apply Rmult_lt_reg_r with (IZR (snd p) * IZR (snd q)); [apply Rmult_lt_0_compat; auto|].
  replace (IZR (fst p) / IZR (snd p) * (IZR (snd p) * IZR (snd q))) with (IZR (fst p) * IZR (snd q)) by (field; lra).
  replace (IZR (fst q) / IZR (snd q) * (IZR (snd p) * IZR (snd q))) with (IZR (fst q) * IZR (snd p)) by (field; lra). exact H.
Qed.

(* ---- no loss is negative ---- *)
Lemma between_nonneg x0 v0 x1 v1 x : x0 < x1 -> x0 <= x <= x1 -> 0 <= v0 -> 0 <= v1 -> 0 <= v0 + (v1 - v0) / (x1 - x0) * (x - x0).
Proof.
  intros. replace (v0 + (v1 - v0) / (x1 - x0) * (x - x0)) with ((v0 * (x1 - x) + v1 * (x - x0)) / (x1 - x0)) by (field; lra).
  apply Rmult_le_pos; [|left; apply Rinv_0_lt_compat; lra].
  apply Rplus_le_le_0_compat; apply Rmult_le_pos; lra.
Qed.
Lemma after_nonneg rest : forall x0 v0 t x, sound x0 = true -> rising_points x0 rest = true -> 0 <= v0 -> 0 <= t -> ratio x0 <= x ->
  0 <= line_after (ratio x0) v0 rest t x.
Proof.
  induction rest as [|[p v] rest IH]; intros x0 v0 t x Hx0 H Hv Ht Hx; simpl in *.
  - apply Rplus_le_le_0_compat; auto. apply Rmult_le_pos; lra.
  - rewrite !andb_true_iff in H. destruct H as [[[Hp Hnv] Hb] Hr]. apply not_negative_ratio in Hnv. destruct Hnv as [_ Hnv].
    pose proof (before_ratio _ _ Hx0 Hp Hb). destruct Rle_dec; [apply between_nonneg; auto; lra | apply IH; auto; lra].
Qed.
Lemma one_nonneg l x : one_ok l = true -> 0 <= one_cost l x.
Proof.
  destruct l as [| |tau|w|[|[p v] rest] s t]; cbn [one_ok one_cost]; intros H; try discriminate.
  - apply Rabs_pos.
  - apply Rle_0_sqr.
  - rewrite andb_true_iff, Z.leb_le in H. destruct H as [H1 H2]. apply not_negative_ratio in H1. destruct H1 as [H0 H1].
    apply sound_pos in H0. apply IZR_le in H2.
    assert (ratio tau <= 1).
    { unfold ratio. apply Rmult_le_reg_r with (IZR (snd tau)); auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
    destruct Rle_dec; apply Rmult_le_pos; lra.
  - apply not_negative_ratio in H. destruct H as [_ H]. destruct Rle_dec as [K|K].
    + pose proof (Rle_0_sqr x) as Q. unfold Rsqr in Q. lra.
    + apply Rmult_le_pos; auto. lra.
  - rewrite !andb_true_iff, Z.leb_le in H. destruct H as [[[[[Hp Hv] Hr] Hs] Hs0] Ht].
    apply not_negative_ratio in Hv, Ht. destruct Hv as [_ Hv], Ht as [_ Ht]. unfold broken_line. destruct Rle_dec as [K|K].
    + apply Rplus_le_le_0_compat; auto. apply sound_pos in Hs. apply (IZR_le _ 0) in Hs0.
      assert (ratio s <= 0).
      { unfold ratio. apply Rmult_le_reg_r with (IZR (snd s)); auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
      replace (ratio s * (x - ratio p)) with (- ratio s * (ratio p - x)) by ring. apply Rmult_le_pos; lra.
    + apply after_nonneg; auto. lra.
Qed.
Lemma cost_nonneg l x : loss_ok l = true -> 0 <= cost l x.
Proof.
  induction l as [|[w one] l IH]; intros H; simpl in *; [lra|]. rewrite !andb_true_iff in H. destruct H as [[Hw H1] H2].
  apply Rplus_le_le_0_compat; auto. apply Rmult_le_pos; [apply not_negative_ratio; auto | apply one_nonneg; auto].
Qed.

(* ---- losses as pieces ---- *)
Fixpoint line_bends (s x0 v0 : Q) (points : list ((Z * Z) * (Z * Z))) (t : Q) : list (piece Q) := match points with
  | [] => [Ramp (Qred (t - s)) x0]
  | (p, v) :: rest => let k := Qred ((q_of v - v0) / (q_of p - x0)) in
      Ramp (Qred (k - s)) x0 :: line_bends k (q_of p) (q_of v) rest t
  end%Q.
Definition one_pieces (l : one_loss) : list (piece Q) := match l with
  | L1 => [Line (-1) 0; Ramp 2 0]
  | L2 => [Square 1]
  | Pinball tau => [Line (q_of tau - 1) 0; Ramp 1 0]
  | Huber w => [Bowl (1 # 2) (q_of w)]
  | Piecewise [] _ _ => []
  | Piecewise ((p, v) :: rest) s t => Line (q_of s) (q_of v - q_of s * q_of p) :: line_bends (q_of s) (q_of p) (q_of v) rest (q_of t)
  end%Q.
Definition times (w : Q) (p : piece Q) : piece Q := match p with
  | Line a b => Line (w * a) (w * b) | Square a => Square (w * a)
  | Ramp a t => Ramp (w * a) t | Bowl a t => Bowl (w * a) t end%Q.
Fixpoint pieces (l : loss) : list (piece Q) := match l with
  | [] => [] | (w, one) :: rest => map (times (q_of w)) (one_pieces one) ++ pieces rest end.

Lemma Q2R_red q : Q2R (Qred q) = Q2R q.
Proof. apply Qeq_eqR, Qred_correct. Qed.
Lemma Q2R_divide a b : ~ (b == 0)%Q -> Q2R (a / b) = Q2R a / Q2R b.
Proof. intros. apply Q2R_div. auto. Qed.
Lemma differ a b : Q2R a < Q2R b -> ~ (b - a == 0)%Q.
Proof. intros H K. apply Qeq_eqR in K. rewrite Q2R_minus in K. replace (Q2R 0) with 0 in K by (unfold Q2R; simpl; field). lra. Qed.
Lemma Q2R_Z z : Q2R (inject_Z z) = IZR z.
Proof. unfold Q2R. simpl. field. Qed.
Ltac small := unfold Q2R; simpl; field.

Lemma line_bends_before rest : forall s x0 v0 t x, sound x0 = true -> rising_points x0 rest = true -> x <= ratio x0 ->
  values Q2R (line_bends s (q_of x0) v0 rest t) x = 0.
Proof.
  induction rest as [|[p v] rest IH]; intros s x0 v0 t x Hx0 H Hx; cbn [line_bends values value rising_points] in *; rewrite q_of_ratio, up_neg by (auto; lra).
  - lra.
  - rewrite !andb_true_iff in H. destruct H as [[[Hp _] Hb] Hr]. pose proof (before_ratio _ _ Hx0 Hp Hb).
    rewrite IH by (auto; lra). lra.
Qed.
Lemma line_bends_after rest : forall s x0 v0 t x, sound x0 = true -> rising_points x0 rest = true -> ratio x0 <= x ->
  values Q2R (line_bends s (q_of x0) v0 rest t) x + (Q2R v0 + Q2R s * (x - ratio x0)) = line_after (ratio x0) (Q2R v0) rest (Q2R t) x.
Proof.
  induction rest as [|[p v] rest IH]; intros s x0 v0 t x Hx0 H Hx; cbn [line_bends values value rising_points line_after] in *; rewrite Q2R_red, Q2R_minus, q_of_ratio, up_pos by (auto; lra).
  - ring.
  - rewrite !andb_true_iff in H. destruct H as [[[Hp Hv] Hb] Hr]. pose proof (before_ratio _ _ Hx0 Hp Hb) as Hlt.
    apply not_negative_ratio in Hv. destruct Hv as [Hv _].
    assert (Hk : Q2R (Qred ((q_of v - v0) / (q_of p - q_of x0))) = (ratio v - Q2R v0) / (ratio p - ratio x0)).
    { rewrite Q2R_red, Q2R_divide, !Q2R_minus, !q_of_ratio by (auto; apply differ; rewrite !q_of_ratio by auto; lra). reflexivity. }
    set (k := Qred ((q_of v - v0) / (q_of p - q_of x0))) in *. destruct Rle_dec as [K|K].
    + rewrite line_bends_before by auto. rewrite <- Hk. ring.
    + rewrite <- (q_of_ratio v) by auto. rewrite <- (IH k p (q_of v) t x) by (auto; lra). rewrite (q_of_ratio v) by auto. rewrite Hk. field. lra.
Qed.
Lemma one_pieces_value l x : one_ok l = true -> values Q2R (one_pieces l) x = one_cost l x.
Proof.
  destruct l as [| |tau|w|[|[p v] rest] s t]; cbn [one_ok one_cost one_pieces]; intros H; try discriminate; cbn [values value].
  - replace (Q2R (-1)) with (-1) by small. replace (Q2R 0) with 0 by small. replace (Q2R 2) with 2 by small.
    rewrite Rminus_0_r. destruct (Rle_dec 0 x).
    + rewrite up_pos, Rabs_right by lra. ring.
    + rewrite up_neg, Rabs_left by lra. ring.
  - replace (Q2R 1) with 1 by small. ring.
  - rewrite andb_true_iff in H. destruct H as [H _]. apply not_negative_ratio in H. destruct H as [H _].
    rewrite Q2R_minus, q_of_ratio by auto. replace (Q2R 0) with 0 by small. replace (Q2R 1) with 1 by small. rewrite Rminus_0_r.
    destruct Rle_dec; [rewrite up_pos by lra | rewrite up_neg by lra]; ring.
  - apply not_negative_ratio in H. destruct H as [H H0]. rewrite q_of_ratio by auto. replace (Q2R (1 # 2)) with (/ 2) by small.
    unfold Rabs. destruct Rle_dec as [K|K]; destruct Rcase_abs.
    + rewrite bowl_in by lra. field.
    + rewrite bowl_in by lra. field.
    + rewrite bowl_left by lra. field.
    + rewrite bowl_right by lra. field.
  - rewrite !andb_true_iff in H. destruct H as [[[[[Hp Hv] Hr] Hs] _] Ht]. apply not_negative_ratio in Hv, Ht. destruct Hv as [Hv _], Ht as [Ht _].
    rewrite Q2R_minus, Q2R_mult, !q_of_ratio by auto. unfold broken_line. destruct Rle_dec as [K|K].
    + rewrite line_bends_before by auto. ring.
    + rewrite <- (q_of_ratio v), <- (q_of_ratio t) by auto. rewrite <- (line_bends_after rest (q_of s) p (q_of v) (q_of t) x) by (auto; lra).
      rewrite !q_of_ratio by auto. ring.
Qed.
Lemma times_value w p x : value Q2R (times w p) x = Q2R w * value Q2R p x.
Proof. destruct p; cbn [times value]; rewrite ?Q2R_mult; ring. Qed.
Lemma pieces_value l x : loss_ok l = true -> values Q2R (pieces l) x = cost l x.
Proof.
  induction l as [|[w one] l IH]; intros H; simpl in *; auto. rewrite !andb_true_iff in H. destruct H as [[Hw H1] H2].
  apply not_negative_ratio in Hw. destruct Hw as [Hw _].
  rewrite values_app, IH, <- one_pieces_value by auto. f_equal. rewrite <- q_of_ratio by auto.
  induction (one_pieces one); simpl; [ring|]. rewrite times_value, IHl0. ring.
Qed.

(* ---- in units: per units make the length u, den makes everything whole ---- *)
Definition in_units (u d : Q) (p : piece Q) : piece Q := match p with
  | Line a b => Line (Qred (a * u * d)) (Qred (b * d))
  | Square a => Square (Qred (a * u * u * d))
  | Ramp a t => Ramp (Qred (a * u * d)) (Qred (t / u))
  | Bowl a w => Bowl (Qred (a * u * u * d)) (Qred (w / u)) end%Q.
Definition numbers (p : piece Q) : list Q := match p with Line a b => [a; b] | Square a => [a] | Ramp a t => [a; t] | Bowl a w => [a; w] end.
Definition kink (p : piece Q) : list Q := match p with Ramp _ t => [t] | Bowl _ w => [w] | _ => [] end.
Definition common_of (qs : list Q) : Z := fold_left (fun acc q => Z.lcm acc (Zpos (Qden q))) qs 1%Z.
Definition is_whole (q : Q) : bool := (Qnum q mod Zpos (Qden q) =? 0)%Z.
Definition to_whole (q : Q) : Z := (Qnum q / Zpos (Qden q))%Z.
Definition whole_piece (p : piece Q) : piece Z := match p with
  | Line a b => Line (to_whole a) (to_whole b) | Square a => Square (to_whole a)
  | Ramp a t => Ramp (to_whole a) (to_whole t) | Bowl a w => Bowl (to_whole a) (to_whole w) end.

Record scaled := { per : Z; divisor : Z; parts : list (piece Z) }.
Definition unit_length (u : Z * Z) (per : Z) : Q := (q_of u / inject_Z per)%Q.
Definition scaled_to (ps : list (piece Q)) (u : Z * Z) : scaled :=
  let per := common_of (flat_map kink (map (in_units (q_of u) 1) ps)) in
  let unit := Qred (unit_length u per) in
  let den := common_of (flat_map numbers (map (in_units unit 1) ps)) in
  {| per := per; divisor := den; parts := map whole_piece (map (in_units unit (inject_Z den)) ps) |}.
Definition scaled_ok (ps : list (piece Q)) (u : Z * Z) (s : scaled) : bool :=
  (0 <? per s)%Z && (0 <? divisor s)%Z && forallb signs_ok (parts s)
  && forallb is_whole (flat_map numbers (map (in_units (Qred (unit_length u (per s))) (inject_Z (divisor s))) ps)).

Lemma to_whole_value q : is_whole q = true -> IZR (to_whole q) = Q2R q.
Proof.
  unfold is_whole, to_whole, Q2R. rewrite Z.eqb_eq. intros H. pose proof (Z.div_mod (Qnum q) (Zpos (Qden q)) ltac:(lia)) as K.
  rewrite H, Z.add_0_r in K. rewrite K at 2. rewrite mult_IZR. field. apply not_0_IZR. lia.
Qed.
Lemma whole_piece_value p x : forallb is_whole (numbers p) = true -> value IZR (whole_piece p) x = value Q2R p x.
Proof.
  destruct p; cbn [numbers forallb]; rewrite ?andb_true_iff; intros H; cbn [whole_piece value]; rewrite ?to_whole_value by tauto; auto.
Qed.
Lemma in_units_value u d p x : 0 < Q2R u -> value Q2R (in_units u d p) x = Q2R d * value Q2R p (x * Q2R u).
Proof.
  intros Hu. assert (Hu' : ~ (u == 0)%Q).
  { intros K. apply Qeq_eqR in K. rewrite K in Hu. unfold Q2R in Hu. simpl in Hu. lra. }
  assert (Hup : forall t, up (x * Q2R u - Q2R t) = Q2R u * up (x - Q2R t / Q2R u)).
  { intros t. rewrite <- up_scale by lra. f_equal. field. lra. }
  destruct p; cbn [in_units value]; rewrite !Q2R_red, ?Q2R_mult, ?Q2R_divide by auto; try ring.
  - rewrite Hup. ring.
  - unfold bowl. rewrite Hup. replace (- (x * Q2R u) - Q2R w) with (Q2R u * (- x - Q2R w / Q2R u)) by (field; lra).
    rewrite up_scale by lra. ring.
Qed.
Theorem scaled_values ps u : sound u = true -> 0 < ratio u -> let s := scaled_to ps u in scaled_ok ps u s = true ->
  (0 < per s)%Z /\ (0 < divisor s)%Z /\ forallb signs_ok (parts s) = true /\
  forall x, values IZR (parts s) (x * IZR (per s)) / IZR (divisor s) = values Q2R ps (x * ratio u).
Proof.
  intros Hu Hu0 s. unfold scaled_ok. rewrite !andb_true_iff, !Z.ltb_lt. intros [[[Hp Hd] Hs] Hw]. repeat split; auto.
  intros x. apply IZR_lt in Hp as Hp', Hd as Hd'.
  assert (Hunit : Q2R (Qred (unit_length u (per s))) = ratio u / IZR (per s)).
  { rewrite Q2R_red. unfold unit_length. rewrite Q2R_divide, q_of_ratio, Q2R_Z; auto.
    intros K. apply Qeq_eqR in K. rewrite Q2R_Z in K. replace (Q2R 0) with 0 in K by small. lra. }
  assert (Hpos : 0 < Q2R (Qred (unit_length u (per s)))).
  { rewrite Hunit. apply Rmult_lt_0_compat; auto. apply Rinv_0_lt_compat; auto. }
  change (parts s) with (map whole_piece (map (in_units (Qred (unit_length u (per s))) (inject_Z (divisor s))) ps)).
  set (unit := Qred (unit_length u (per s))) in *. set (d := divisor s) in *.
  replace (x * ratio u) with (x * IZR (per s) * Q2R unit) by (rewrite Hunit; field; lra). set (y := x * IZR (per s)).
  clearbody unit d y. clear - Hw Hd' Hpos. induction ps as [|p ps IH]; cbn [map values flat_map] in *; [field; lra|].
  rewrite forallb_app, andb_true_iff in Hw. destruct Hw as [H1 H2]. specialize (IH H2).
  rewrite whole_piece_value, in_units_value, Q2R_Z by auto. rewrite <- IH. field. lra.
Qed.
Theorem loss_scaled l u : loss_ok l = true -> sound u = true -> 0 < ratio u -> let s := scaled_to (pieces l) u in scaled_ok (pieces l) u s = true ->
  (0 < per s)%Z /\ (0 < divisor s)%Z /\ forallb signs_ok (parts s) = true /\
  (forall x, values IZR (parts s) (x * IZR (per s)) / IZR (divisor s) = cost l (x * ratio u)) /\
  (forall z, 0 <= values IZR (parts s) z).
Proof.
  intros Hl Hu Hu0 s Hs. destruct (scaled_values _ u Hu Hu0 Hs) as (A & B & C & D). fold s in A, B, C, D.
  assert (E : forall x, values IZR (parts s) (x * IZR (per s)) / IZR (divisor s) = cost l (x * ratio u)).
  { intros x. rewrite D, pieces_value by auto. reflexivity. }
  repeat split; auto. intros z. apply IZR_lt in A, B. specialize (E (z / IZR (per s))).
  replace (z / IZR (per s) * IZR (per s)) with z in E by (field; lra).
  apply Rmult_le_reg_r with (/ IZR (divisor s)); [apply Rinv_0_lt_compat; auto|]. rewrite Rmult_0_l. unfold Rdiv in E. rewrite E.
  apply cost_nonneg; auto.
Qed.
