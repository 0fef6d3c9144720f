(* The theorem: what the check of a file accepts is true.  The check is in Computed.v. *)
Require Import Reals ZArith QArith Qreals List Bool Lra Lia FunctionalExtensionality.
Require Import Formal.Statements Formal.Laws Formal.Exp Formal.Masses Formal.Lists Formal.Cells Formal.Lattice
  Formal.Tail Formal.Mesh Formal.Lower Formal.Pieces Formal.Costs Formal.Losses Formal.Release Formal.Shape Formal.Peaks Formal.Means
  Formal.Moves Formal.Demands Formal.Obeys.
Require Export Formal.Computed.
Import ListNotations.
Open Scope R_scope.

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
Lemma bound_with_ratio f ds : forallb dual_ok ds = true -> (0 < snd (lower f))%Z -> ratio (bound_with f ds) = ratio (lower f) + ratio (sum_of spends_loss ds).
Proof.
  intros Hd Hl. destruct (sum_of_ratio spends_loss ds) as [S _]; [intros p Hp; apply (duals_sound ds Hd p Hp)|].
  unfold bound_with. apply plus_ratio; auto. unfold sound. rewrite Z.ltb_lt. exact Hl.
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
  destruct (sum_of_ratio adds_slope ds) as [Sslope _]; [intros p Hp; apply (duals_sound ds Fd p Hp)|]. fold slope in Sslope.
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
  assert (K : IZR (ln x) / IZR (ld x) - (0 + e) <= B + ratio (sum_of spends_loss ds)).
  { apply (real_lower x (cost l) (ratio (sensitivity f)) (ratio b) Hflat F3) with (L := Y) (outs := outs f) (line := fun y => ratio slope * cut_off N y); auto.
    - apply (points_granted f); auto; [|apply (lower_positive _ F3)]. intros eps delta eps' delta' He' Hd'. apply private_more; auto.
    - apply real_never; auto.
    - apply real_between; auto.
    - intros i u Hu C1 C2. pose proof (steps_below l slope b (fst (step_ends f b)) (snd (step_ends f b)) Hl' Sslope Hm F1 edge He Fo i u Hu C1 C2) as J.
      apply (cut_below _ _ _ T N); auto. pose proof (HT i) as T1. pose proof (HT (i + 1)%Z) as T2.
      apply Rmult_le_compat_l with (r := 1 - u) in T1; [|lra]. apply Rmult_le_compat_l with (r := u) in T2; [|lra]. lra.
    - rewrite (ex_plus _ _ _ _ Y (fun y => / IZR (scale x) * rlook (extra x) (y / ratio b))); [|apply good_scale, rlook_good|auto].
      apply Rplus_le_compat; auto. apply (real_cells f b (m_scale m) Hb1 Hb2 Hb Hscale Y HYd ds Fd). intros p. apply duals_in. }
  change (IZR (ln x) / IZR (ld x)) with (ratio (bound_with f ds)) in K. rewrite bound_with_ratio in K by auto. lra.
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
  destruct (sum_of_ratio adds_slope ds) as [Sslope _]; [intros p Hp; apply (duals_sound ds Fd p Hp)|]. fold slope in Sslope.
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
  assert (K : IZR (ln x) / IZR (ld x) - (0 + e) <= B + ratio (sum_of spends_loss ds)).
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
      apply Rplus_le_compat; auto. apply (whole_cells f (1, 1)%Z (m_scale m) eq_refl eq_refl ltac:(unfold ratio; simpl; lra) Hscale Y HYd eq_refl ds Fd). intros p. apply duals_in. }
  change (IZR (ln x) / IZR (ld x)) with (ratio (bound_with f ds)) in K. rewrite bound_with_ratio in K by auto. lra.
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
  pose proof (bound_with_ratio f [] eq_refl Hlow) as E. cbn [sum_of fold_right] in E. rewrite zero_ratio in E.
  replace (ratio (lower f)) with (IZR (ln x) / IZR (ld x)) by (change (IZR (ln x) / IZR (ld x)) with (ratio (bound_with f [])); lra).
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
