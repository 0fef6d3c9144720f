(* The check of multipliers, and what it proves for integer-valued and for real-valued noise. *)
Require Import Reals ZArith List Bool Lra Lia FMapPositive FunctionalExtensionality.
Require Import Formal.Statements Formal.Laws Formal.Exp.
Import ListNotations.
Open Scope Z_scope.

(* Multipliers of one shift, in units of 1/scale; cells in increasing order *)
Record entry := Entry { e_shift : Z; e_budget : Z; e_cells : list (Z * Z) }.
Definition mirror (e : entry) :=
  Entry (- e_shift e) (e_budget e) (rev (map (fun c => (- fst c, snd c)) (e_cells e))).
(* An entry with the budget at which it uses privacy: e^eps in units of 1/bottom, rounded up, and
   delta in units of 1/dd. *)
Record charged := Charged { c_exp : Z; c_delta : Z; c_entry : entry }.
Fixpoint expand (price : Z -> Z * Z) (es : list (Z * bool * entry)) : list charged := match es with
  | [] => []
  | (p, m, e) :: t => let (a, d) := price p in
      if m then Charged a d e :: Charged a d (mirror e) :: expand price t else Charged a d e :: expand price t
  end.

Fixpoint look (cs : list (Z * Z)) (i : Z) : Z := match cs with
  | [] => 0
  | (j, z) :: t => (if i =? j then z else 0) + look t i
  end.
Fixpoint gains (bottom : Z) (es : list charged) (i : Z) := match es with
  | [] => 0
  | c :: t => bottom * look (e_cells (c_entry c)) i - c_exp c * look (e_cells (c_entry c)) (i + e_shift (c_entry c)) + gains bottom t i
  end.
Fixpoint spendings (es : list charged) := match es with
  | [] => 0 | c :: t => c_delta c * e_budget (c_entry c) + spendings t end.

Fixpoint cells_ok (lo reach y : Z) (cs : list (Z * Z)) : bool := match cs with
  | [] => true
  | (j, z) :: t => if (lo <? j) && (j <=? reach) && (0 <=? z) && (z <=? y)
                   then cells_ok j reach y t else false
  end.
Definition entry_ok n reach (c : charged) := let e := c_entry c in
  (Z.abs (e_shift e) <=? n) && (0 <=? e_budget e)
  && cells_ok (- reach - 1) reach (e_budget e) (e_cells e).

(* Sums by cell, in a map *)
Module PM := PositiveMap.
Definition key (i : Z) : positive := match i with
  | Z0 => 1 | Zpos p => p~0 | Zneg p => p~1 end%positive.
Definition val (m : PM.t Z) i := match PM.find (key i) m with Some v => v | None => 0 end.
Definition add_at i v m := PM.add (key i) (val m i + v) m.
Fixpoint fill (off factor : Z) (cs : list (Z * Z)) m := match cs with
  | [] => m | (j, z) :: t => fill off factor t (add_at (j - off) (factor * z) m) end.
Fixpoint gain_map (bottom : Z) (es : list charged) m := match es with
  | [] => m
  | c :: t => let e := c_entry c in
      gain_map bottom t (fill (e_shift e) (- c_exp c) (e_cells e) (fill 0 bottom (e_cells e) m))
  end.

Fixpoint all_from (f : Z -> bool) (i : Z) (count : nat) : bool := match count with
  | O => true | S c => if f i then all_from f (i + 1) c else false end.

Lemma key_inj i j : key i = key j -> i = j.
Proof. destruct i, j; simpl; congruence. Qed.
Lemma val_add i v m k : val (add_at i v m) k = val m k + (if k =? i then v else 0).
Proof.
  unfold val, add_at. destruct (Z.eqb_spec k i) as [->|Hne].
  - rewrite PM.gss. reflexivity.
  - rewrite PM.gso by (intros H; apply key_inj in H; auto). rewrite Z.add_0_r. reflexivity.
Qed.
Lemma val_fill off factor cs : forall m i, val (fill off factor cs m) i = val m i + factor * look cs (i + off).
Proof.
  induction cs as [|[j z] t IH]; intros; simpl; [lia|].
  rewrite IH, val_add. destruct (Z.eqb_spec i (j - off)), (Z.eqb_spec (i + off) j); lia.
Qed.
Lemma val_gains bottom es : forall m i, val (gain_map bottom es m) i = val m i + gains bottom es i.
Proof.
  induction es; intros; simpl; [lia|]. rewrite IHes, !val_fill, Z.add_0_r. lia.
Qed.
Lemma val_empty i : val (PM.empty Z) i = 0.
Proof. unfold val. rewrite PM.gempty. reflexivity. Qed.
Lemma all_from_ok f count : forall i, all_from f i count = true ->
  forall j, i <= j < i + Z.of_nat count -> f j = true.
Proof.
  induction count; intros i H j Hj; [lia|]. simpl in H. destruct (f i) eqn:E; [|discriminate].
  destruct (Z.eq_dec j i) as [->|]; auto. apply (IHcount (i + 1)); auto. lia.
Qed.
Lemma cells_out reach y cs : forall lo i, cells_ok lo reach y cs = true ->
  i <= lo \/ reach < i -> look cs i = 0.
Proof.
  induction cs as [|[j z] t IH]; intros lo i H Hi; auto. simpl in *.
  destruct ((lo <? j) && (j <=? reach) && (0 <=? z) && (z <=? y)) eqn:E; [|discriminate].
  rewrite !andb_true_iff, Z.ltb_lt, !Z.leb_le in E. rewrite (IH j i H) by lia.
  destruct (Z.eqb_spec i j); lia.
Qed.
Lemma cells_between reach y cs : 0 <= y -> forall lo i, cells_ok lo reach y cs = true ->
  0 <= look cs i <= y.
Proof.
  intros Hy. induction cs as [|[j z] t IH]; intros lo i H; simpl in *; [lia|].
  destruct ((lo <? j) && (j <=? reach) && (0 <=? z) && (z <=? y)) eqn:E; [|discriminate].
  rewrite !andb_true_iff, Z.ltb_lt, !Z.leb_le in E. specialize (IH j i H).
  destruct (Z.eqb_spec i j); [|lia]. rewrite (cells_out reach y t j i H) by lia. lia.
Qed.
Lemma entry_facts n reach c : entry_ok n reach c = true -> let e := c_entry c in
  Z.abs (e_shift e) <= n /\ 0 <= e_budget e /\
  (forall i, 0 <= look (e_cells e) i <= e_budget e) /\
  (forall i, reach < Z.abs i -> look (e_cells e) i = 0).
Proof.
  unfold entry_ok. rewrite !andb_true_iff, !Z.leb_le. intros [[A B] C].
  repeat split; auto; try (apply (cells_between _ _ _ B _ i) in C; lia).
  intros i Hi. eapply cells_out; eauto. lia.
Qed.
Lemma gains_out bottom n reach es i : forallb (entry_ok n reach) es = true -> reach + n < Z.abs i ->
  gains bottom es i = 0.
Proof.
  intros H Hi. induction es as [|e t IH]; auto. simpl in *.
  rewrite andb_true_iff in H. destruct H as [He Ht]. rewrite (IH Ht).
  destruct (entry_facts _ _ _ He) as (A & _ & _ & D). rewrite !D by lia. lia.
Qed.

(* What is checked.  The loss at cell i is at least kn i / kd, the same everywhere beyond the last
   cell that a multiplier can reach; lower = ln/ld.  Only the cells from lo to hi count.  extra are
   the values of a function whose mean is known: what the multipliers of constraints add. *)
Record lower_data := {
  scale : Z; reach : Z; n : Z; entries : list charged; extra : list (Z * Z);
  kn : Z -> Z; kd : Z; bottom : Z; ln : Z; ld : Z; dd : Z; lo : option Z; hi : option Z }.
Definition from (lo : option Z) (i : Z) : Z := match lo with Some l => Z.max l i | None => i end.
Definition upto (hi : option Z) (i : Z) : Z := match hi with Some h => Z.min h i | None => i end.
Definition counts (x : lower_data) (i : Z) := from (lo x) i = i /\ upto (hi x) i = i.
Definition lower_ok (x : lower_data) : bool :=
  let 'Build_lower_data scale reach n es extra kn kd bottom ln ld dd lo hi := x in
  if (0 <? scale) && (0 <=? reach) && (0 <=? n) && (0 <? kd) && (0 <? bottom) && (0 <? ld) && (0 <? dd)
  then if forallb (entry_ok n reach) es && forallb (fun c => Z.abs (fst c) <=? reach + n) extra then
    let G := fill 0 bottom extra (gain_map bottom es (PM.empty Z)) in
    let edge := reach + n + 1 in
    let left := (ln * dd * scale + ld * spendings es) * kd * bottom in
    let ck := ld * dd * scale * bottom in
    let cg := ld * dd * kd in
    let first := from lo (- edge) in let last := upto hi edge in
    (first <=? edge) && (- edge <=? last) &&
    all_from (fun i => left <=? kn i * ck + val G i * cg) first (Z.to_nat (last - first + 1))
  else false else false.

Open Scope R_scope.
Definition theta x := IZR (ln x) / IZR (ld x) + IZR (spendings (entries x)) / (IZR (dd x) * IZR (scale x)).
Definition gain_at x i := IZR (gains (bottom x) (entries x) i + bottom x * look (extra x) i) / (IZR (bottom x) * IZR (scale x)).

Definition flat (edge : Z) (k : Z -> Z) := forall i, (edge < Z.abs i)%Z -> k i = k (if (0 <=? i)%Z then edge + 1 else - edge - 1)%Z.

Lemma look_out cs edge i : forallb (fun c => Z.abs (fst c) <=? edge)%Z cs = true -> (edge < Z.abs i)%Z -> look cs i = 0%Z.
Proof.
  intros H Hi. induction cs as [|[j z] t IH]; auto. cbn [forallb look fst] in *. rewrite andb_true_iff, Z.leb_le in H. destruct H as [H1 H2].
  rewrite IH by auto. destruct (Z.eqb_spec i j); lia.
Qed.
Lemma lower_ok_all x : flat (reach x + n x) (kn x) -> lower_ok x = true ->
  (0 < scale x)%Z /\ (0 < bottom x)%Z /\ (0 < dd x)%Z /\ forallb (entry_ok (n x) (reach x)) (entries x) = true /\
  forall i, counts x i -> theta x <= IZR (kn x i) / IZR (kd x) + gain_at x i.
Proof.
  intros Hout. destruct x as [sc re n es extra kn kd bottom ln ld dd lo hi].
  unfold lower_ok, theta, gain_at, counts. cbn [Lower.scale Lower.reach Lower.n Lower.entries Lower.extra Lower.kn Lower.kd Lower.bottom Lower.ln Lower.ld Lower.dd Lower.lo Lower.hi] in *.
  destruct ((0 <? sc)%Z && (0 <=? re)%Z && (0 <=? n)%Z && (0 <? kd)%Z && (0 <? bottom)%Z && (0 <? ld)%Z && (0 <? dd)%Z) eqn:E;
    [|discriminate].
  rewrite !andb_true_iff, !Z.ltb_lt, !Z.leb_le in E.
  destruct E as [[[[[[Hsc Hre] Hn] Hkd] Hbot] Hld] Hdd].
  destruct (forallb (entry_ok n re) es && forallb _ extra)%bool eqn:Hee; [|discriminate]. rewrite andb_true_iff in Hee. destruct Hee as [Hes Hex].
  rewrite !andb_true_iff, !Z.leb_le. intros [[Hf Hl] H]. repeat split; auto.
  assert (Hr : forall v, (0 < v)%Z -> 0 < IZR v) by (intros; apply IZR_lt; auto).
  pose proof (Hr _ Hsc). pose proof (Hr _ Hkd). pose proof (Hr _ Hbot). pose proof (Hr _ Hld). pose proof (Hr _ Hdd).
  set (edge := (re + n + 1)%Z) in *.
  set (good := fun i => ((ln * dd * sc + ld * spendings es) * kd * bottom <= kn i * (ld * dd * sc * bottom)
     + (gains bottom es i + bottom * look extra i) * (ld * dd * kd))%Z).
  assert (Hin : forall i, (Z.abs i <= edge)%Z -> from lo i = i -> upto hi i = i -> good i).
  { intros i Hi H6 H7.
    assert (Hrange : (from lo (- edge) <= i <= upto hi edge)%Z) by (clear - Hf Hl Hi H6 H7; destruct lo, hi; cbn [from upto] in *; lia).
    pose proof (all_from_ok _ _ _ H i ltac:(lia)) as Hi'. cbv beta in Hi'.
    rewrite Z.leb_le, val_fill, val_gains, val_empty, Z.add_0_l, Z.add_0_r in Hi'. exact Hi'. }
  assert (Hreal : forall i, good i ->
     IZR ln / IZR ld + IZR (spendings es) / (IZR dd * IZR sc) <= IZR (kn i) / IZR kd
       + IZR (gains bottom es i + bottom * look extra i) / (IZR bottom * IZR sc)).
  { intros i Hi. unfold good in Hi. apply IZR_le in Hi. repeat rewrite ?plus_IZR, ?mult_IZR, ?minus_IZR in Hi.
    assert (Hm : 0 < IZR ld * IZR dd * IZR sc * IZR kd * IZR bottom).
    { repeat apply Rmult_lt_0_compat; auto. }
    apply Rmult_le_reg_r with (1 := Hm).
    rewrite plus_IZR, mult_IZR. eapply Rle_trans; [|eapply Rle_trans; [exact Hi|]]; right; field; lra. }
  intros i [H6 H7]. apply Hreal. destruct (Z_le_gt_dec (Z.abs i) edge) as [Hi|Hi]; [auto|].
  set (e := if (0 <=? i)%Z then edge else (- edge)%Z).
  assert (He : (Z.abs e = edge)%Z) by (unfold e; destruct (0 <=? i)%Z; lia).
  assert (He6 : from lo e = e) by (clear - Hf Hl Hre Hn H6 H7 Hi; unfold e; destruct lo, hi; cbn [from upto] in *; destruct (Z.leb_spec 0 i); lia).
  assert (He7 : upto hi e = e) by (clear - Hf Hl Hre Hn H6 H7 Hi; unfold e; destruct lo, hi; cbn [from upto] in *; destruct (Z.leb_spec 0 i); lia).
  pose proof (Hin e ltac:(lia) He6 He7) as Hk. unfold good in *.
  rewrite (gains_out bottom n re es e Hes), (look_out extra (re + n) e Hex) in Hk by lia.
  rewrite (gains_out bottom n re es i Hes), (look_out extra (re + n) i Hex) by lia.
  replace (kn i) with (kn e); auto. rewrite (Hout i) by lia. unfold e, edge. f_equal. destruct (0 <=? i)%Z; lia.
Qed.

(* ---- integer-valued noise ---- *)
Definition zprivate (L : zlaw) eps delta (D : Z) :=
  private L eps delta (fun s => (Z.abs s <= D)%Z).
Definition zloss (L : zlaw) (c : R -> R) B := loss_at_most L (fun i => c (IZR i)) B.

(* what an entry needs of a law: it is private at its budget, up to n *)
Definition granted (x : lower_data) (P : R -> R -> Prop) := forall c, In c (entries x) ->
  exists eps, P eps (IZR (c_delta c) / IZR (dd x)) /\ exp eps <= IZR (c_exp c) / IZR (bottom x).

Definition zprices (x : lower_data) : list (price Z Z) :=
  map (fun c => Price Z Z (e_shift (c_entry c)) (IZR (e_budget (c_entry c)) / IZR (scale x)) (fun i => IZR (look (e_cells (c_entry c)) i) / IZR (scale x))
    (IZR (c_exp c) / IZR (bottom x)) (IZR (c_delta c) / IZR (dd x))) (entries x).

Lemma look_bounded cs : bounded (fun i => IZR (look cs i)).
Proof.
  induction cs as [|[j z] t [M IH]]; [exists 0; intros; simpl; rewrite Rabs_R0; lra|]. exists (Rabs (IZR z) + M). intros i. cbn [look].
  rewrite plus_IZR. eapply Rle_trans; [apply Rabs_triang|]. apply Rplus_le_compat; auto. destruct (i =? j)%Z; [lra|].
  rewrite Rabs_R0. apply Rabs_pos.
Qed.
Theorem integer_lower x c D : flat (reach x + n x) (kn x) -> lower_ok x = true ->
  (n x <= D)%Z -> (forall x, 0 <= c x) ->
  forall L : zlaw, granted x (fun eps delta => zprivate L eps delta D) ->
  forall outs, Forall (never Z Z Z.add (fun _ => True) L) outs -> (forall i, (forall A, In A outs -> A i = 0) -> counts x i) ->
  forall line most, (forall i, counts x i -> IZR (kn x i) / IZR (kd x) <= c (IZR i) + line i) -> good Z Z Z.add (fun _ => True) L line ->
  ex L (fun i => / IZR (scale x) * IZR (look (extra x) i) + line i) <= most ->
  forall B, zloss L c B -> IZR (ln x) / IZR (ld x) - most <= B.
Proof.
  intros Hout Hok HD Hc0 L HL outs Houts Hcounts line most Hk Hline Hmost B HB.
  destruct (lower_ok_all x Hout Hok) as (Hsc & Hbt & Hdd & Hes & Hall).
  apply IZR_lt in Hsc as Hs, Hbt as Hb, Hdd as Hd.
  pose proof (weak_duality Z Z Z.add (fun _ => True) L (zprices x) outs (fun i => / IZR (scale x) * IZR (look (extra x) i) + line i) most (fun i => c (IZR i)) (theta x)) as W.
  assert (Hsp : spent Z Z (zprices x) = IZR (spendings (entries x)) / (IZR (dd x) * IZR (scale x))).
  { unfold zprices. clear - Hs Hd. induction (entries x); cbn [map spent spendings p_delta p_most]; [field; lra|]. rewrite IHl, plus_IZR, mult_IZR. field. lra. }
  assert (Hg : forall i, gain Z Z Z.add (zprices x) i = gain_at x i - / IZR (scale x) * IZR (look (extra x) i)).
  { intros i. unfold gain_at, zprices. rewrite plus_IZR, mult_IZR. match goal with |- _ = (?p + ?q * ?r) / _ - _ => transitivity (p / (IZR (bottom x) * IZR (scale x))); [|field; lra] end.
    clear - Hs Hb. induction (entries x); cbn [map gain gains p_fun p_exp p_shift]; [field; lra|].
    rewrite IHl, plus_IZR, minus_IZR, !mult_IZR. field. lra. }
  rewrite Hsp in W.
  assert (theta x - most - IZR (spendings (entries x)) / (IZR (dd x) * IZR (scale x)) <= B).
  { apply W; auto.
    - clear - Hes HD Hs HL. unfold zprices. apply Forall_map. rewrite Forall_forall. intros e He.
      rewrite forallb_forall in Hes. destruct (entry_facts _ _ _ (Hes e He)) as (A & _ & C & _).
      destruct (HL e He) as (eps & HP & HE). repeat split; cbn [p_fun p_most p_delta p_exp p_shift].
      + exists eps, (fun s => (Z.abs s <= D)%Z). repeat split; auto. lia.
      + apply meas_basic; exact I.
      + destruct (C x0) as [C1 C2]. apply IZR_le in C1. unfold Rdiv. apply Rmult_le_pos; auto.
        left. apply Rinv_0_lt_compat; auto.
      + destruct (C x0) as [C1 C2]. apply IZR_le in C2. unfold Rdiv. apply Rmult_le_compat_r; auto.
        left. apply Rinv_0_lt_compat; auto.
    - apply good_add; auto. apply good_scale. split; [apply meas_basic; exact I|]. apply look_bounded.
    - intros i Hi. rewrite Hg. specialize (Hk i (Hcounts i Hi)). specialize (Hall i (Hcounts i Hi)). lra. }
  unfold theta in H. lra.
Qed.

(* ---- real-valued noise ---- *)
Definition rprivate (L : rlaw) eps delta (D : R) :=
  private L eps delta (fun s => Rabs s <= D).
Definition rloss (L : rlaw) (c : R -> R) B := loss_at_most L c B.

(* private at the shifts m b, |m| <= n, alone *)
Definition private_at_steps (L : rlaw) eps delta (b : R) (n : Z) :=
  private L eps delta (fun s => exists m, (Z.abs m <= n)%Z /\ s = IZR m * b).

Definition hat (t : R) := (1 - Rabs t + Rabs (1 - Rabs t)) / 2.
Lemma hat_at i u j : 0 <= u < 1 ->
  hat (IZR i + u - IZR j) = (1 - u) * IZR (if (i =? j)%Z then 1 else 0) + u * IZR (if (i + 1 =? j)%Z then 1 else 0).
Proof.
  intros Hu. destruct (Z.eqb_spec i j) as [->|H1].
  - destruct (Z.eqb_spec (j + 1) j); [lia|]. replace (IZR j + u - IZR j) with u by ring.
    unfold hat. rewrite (Rabs_right u) by lra. rewrite Rabs_right; lra.
  - destruct (Z.eqb_spec (i + 1) j) as [<-|H2].
    + replace (IZR i + u - IZR (i + 1)) with (u - 1) by (rewrite plus_IZR; ring).
      unfold hat. rewrite (Rabs_left1 (u - 1)) by lra. rewrite Rabs_right; lra.
    + unfold hat. assert (1 <= Rabs (IZR i + u - IZR j)).
      { destruct (Z_lt_ge_dec i j).
        - assert (i + 2 <= j)%Z by lia. apply IZR_le in H. rewrite plus_IZR in H.
          rewrite Rabs_left1; lra.
        - assert (j + 1 <= i)%Z by lia. apply IZR_le in H. rewrite plus_IZR in H.
          rewrite Rabs_right; lra. }
      rewrite (Rabs_left1 (1 - _)) by lra. lra.
Qed.
Lemma hat_continuous : continuity hat.
Proof.
  unfold hat. intros x.
  assert (H : continuity (fun t => 1 - Rabs t)).
  { apply continuity_minus; [apply continuity_const; intros ? ?; auto | apply Rcontinuity_abs]. }
  apply continuity_pt_mult; [|apply continuity_pt_const; intros ? ?; auto].
  apply continuity_pt_plus; [apply H|].
  apply (continuity_pt_comp (fun t => 1 - Rabs t) Rabs); [apply H | apply Rcontinuity_abs].
Qed.

Fixpoint rlook (cs : list (Z * Z)) (t : R) : R := match cs with
  | [] => 0
  | (j, z) :: r => IZR z * hat (t - IZR j) + rlook r t
  end.
Lemma rlook_at cs i u : 0 <= u < 1 ->
  rlook cs (IZR i + u) = (1 - u) * IZR (look cs i) + u * IZR (look cs (i + 1)).
Proof.
  intros Hu. induction cs as [|[j z] t IH]; simpl; [lra|]. rewrite IH, hat_at, !plus_IZR by auto.
  destruct (i =? j)%Z, (i + 1 =? j)%Z; lra.
Qed.
Lemma rlook_continuous cs b : continuity (fun x => rlook cs (x / b)).
Proof.
  induction cs as [|[j z] t IH]; simpl.
  - apply continuity_const; intros ? ?; auto.
  - apply (continuity_plus (fun x => IZR z * hat (x / b - IZR j))); [|apply IH].
    apply (continuity_mult (fun _ => IZR z)); [apply continuity_const; intros ? ?; auto|].
    apply (continuity_comp (fun x => x / b - IZR j) hat); [|apply hat_continuous].
    apply (continuity_minus (fun x => x / b)); [|apply continuity_const; intros ? ?; auto].
    apply (continuity_mult id (fun _ => / b)); [apply derivable_continuous, derivable_id|].
    apply continuity_const; intros ? ?; auto.
Qed.
Lemma rlook_good (L : rlaw) cs b : good R R Rplus continuity L (fun y => rlook cs (y / b)).
Proof.
  split; [apply meas_basic, rlook_continuous|]. induction cs as [|[j z] t [M IH]]; [exists 0; intros; simpl; rewrite Rabs_R0; lra|].
  exists (Rabs (IZR z) + M). intros y. cbn [rlook]. eapply Rle_trans; [apply Rabs_triang|]. apply Rplus_le_compat; auto.
  rewrite Rabs_mult. rewrite <- (Rmult_1_r (Rabs (IZR z))) at 2. apply Rmult_le_compat_l; [apply Rabs_pos|].
  set (t0 := y / b - IZR j). unfold hat, Rabs. repeat destruct Rcase_abs; lra.
Qed.
Lemma split_real t : exists i u, t = IZR i + u /\ 0 <= u < 1.
Proof.
  exists (Int_part t), (frac_part t). destruct (base_fp t). unfold frac_part in *. split; lra.
Qed.

Definition rprices (x : lower_data) (b : R) : list (price R R) :=
  map (fun c => Price R R (IZR (e_shift (c_entry c)) * b) (IZR (e_budget (c_entry c)) / IZR (scale x))
    (fun y => / IZR (scale x) * rlook (e_cells (c_entry c)) (y / b))
    (IZR (c_exp c) / IZR (bottom x)) (IZR (c_delta c) / IZR (dd x))) (entries x).

(* where none of the outs happens, a place counts and so does the next one, unless it is at the first *)
Definition between (x : lower_data) (b : R) (outs : list (R -> R)) := forall i u, 0 <= u < 1 ->
  (forall A, In A outs -> A ((IZR i + u) * b) = 0) -> counts x i /\ (u = 0 \/ counts x (i + 1)).

(* the values at cells, joined by lines, are nowhere above h *)
Definition joined_below (x : lower_data) (b : R) (h : R -> R) := forall i u, 0 <= u < 1 -> counts x i -> u = 0 \/ counts x (i + 1) ->
  (1 - u) * (IZR (kn x i) / IZR (kd x)) + u * (IZR (kn x (i + 1)) / IZR (kd x)) <= h ((IZR i + u) * b).
Theorem lattice_lower x c b : flat (reach x + n x) (kn x) -> lower_ok x = true -> 0 < b -> (forall x, 0 <= c x) ->
  forall L : rlaw, granted x (fun eps delta => private_at_steps L eps delta b (n x)) ->
  forall outs, Forall (never R R Rplus continuity L) outs -> between x b outs ->
  forall line most, joined_below x b (fun y => c y + line y) -> good R R Rplus continuity L line ->
  ex L (fun y => / IZR (scale x) * rlook (extra x) (y / b) + line y) <= most ->
  forall B, rloss L c B -> IZR (ln x) / IZR (ld x) - most <= B.
Proof.
  intros Hout Hok Hb Hc0 L HL outs Houts Hbetween line most Hk Hline Hmost B HB.
  destruct (lower_ok_all x Hout Hok) as (Hsc & Hbt & Hdd & Hes & Hall).
  apply IZR_lt in Hsc as Hs, Hbt as Hbo, Hdd as Hd.
  assert (Hsi : 0 < / IZR (scale x)) by (apply Rinv_0_lt_compat; auto).
  pose proof (weak_duality R R Rplus continuity L (rprices x b) outs (fun y => / IZR (scale x) * rlook (extra x) (y / b) + line y) most c (theta x)) as W.
  assert (Hsp : spent R R (rprices x b) = IZR (spendings (entries x)) / (IZR (dd x) * IZR (scale x))).
  { unfold rprices. clear - Hs Hd. induction (entries x); cbn [map spent spendings p_delta p_most]; [field; lra|]. rewrite IHl, plus_IZR, mult_IZR. field. lra. }
  assert (Hg : forall i u, 0 <= u < 1 -> gain R R Rplus (rprices x b) ((IZR i + u) * b)
      = (1 - u) * gain_at x i + u * gain_at x (i + 1) - / IZR (scale x) * rlook (extra x) (IZR i + u)).
  { intros i u Hu. unfold gain_at, rprices. rewrite rlook_at, !plus_IZR, !mult_IZR by auto.
    transitivity ((1 - u) * (IZR (gains (bottom x) (entries x) i) / (IZR (bottom x) * IZR (scale x)))
      + u * (IZR (gains (bottom x) (entries x) (i + 1)) / (IZR (bottom x) * IZR (scale x)))); [|field; lra].
    clear - Hs Hb Hbo Hu. induction (entries x) as [|e t IH]; cbn [map gain gains p_fun p_exp p_shift]; [field; lra|].
    rewrite IH. replace (((IZR i + u) * b + IZR (e_shift (c_entry e)) * b) / b) with (IZR (i + e_shift (c_entry e)) + u)
      by (rewrite plus_IZR; field; lra).
    replace ((IZR i + u) * b / b) with (IZR i + u) by (field; lra).
    rewrite !rlook_at by auto.
    replace (i + e_shift (c_entry e) + 1)%Z with (i + 1 + e_shift (c_entry e))%Z by lia.
    repeat rewrite ?plus_IZR, ?minus_IZR, ?mult_IZR. field. lra. }
  rewrite Hsp in W.
  assert (theta x - most - IZR (spendings (entries x)) / (IZR (dd x) * IZR (scale x)) <= B).
  { apply W; auto.
    - clear - Hes Hs Hsi Hb HL. unfold rprices. apply Forall_map. rewrite Forall_forall. intros e He.
      rewrite forallb_forall in Hes. destruct (entry_facts _ _ _ (Hes e He)) as (A & _ & C & _).
      destruct (HL e He) as (eps & HP & HE).
      assert (Hbt : forall y, 0 <= rlook (e_cells (c_entry e)) (y / b) <= IZR (e_budget (c_entry e))).
      { intros y. destruct (split_real (y / b)) as (i & u & -> & Hu). rewrite rlook_at by auto.
        destruct (C i) as [C1 C2]. destruct (C (i + 1)%Z) as [C3 C4].
        apply IZR_le in C1, C2, C3, C4. split.
        - assert (0 <= (1 - u) * IZR (look (e_cells (c_entry e)) i)) by (apply Rmult_le_pos; lra).
          assert (0 <= u * IZR (look (e_cells (c_entry e)) (i + 1))) by (apply Rmult_le_pos; lra). lra.
        - assert ((1 - u) * IZR (look (e_cells (c_entry e)) i) <= (1 - u) * IZR (e_budget (c_entry e))) by (apply Rmult_le_compat_l; lra).
          assert (u * IZR (look (e_cells (c_entry e)) (i + 1)) <= u * IZR (e_budget (c_entry e))) by (apply Rmult_le_compat_l; lra). lra. }
      repeat split; cbn [p_fun p_most p_delta p_exp p_shift].
      + exists eps, (fun s => exists m, (Z.abs m <= n x)%Z /\ s = IZR m * b). repeat split; auto. exists (e_shift (c_entry e)). auto.
      + apply meas_scale. apply meas_basic. apply rlook_continuous.
      + destruct (Hbt x0). apply Rmult_le_pos; lra.
      + destruct (Hbt x0). unfold Rdiv. rewrite Rmult_comm. apply Rmult_le_compat_r; lra.
    - apply good_add; auto. apply good_scale. apply rlook_good.
    - intros y. destruct (split_real (y / b)) as (i & u & Hy & Hu).
      replace y with ((IZR i + u) * b) by (rewrite <- Hy; field; lra). rewrite Hg by auto. intros Hin.
      replace ((IZR i + u) * b / b) with (IZR i + u) by (field; lra).
      destruct (Hbetween i u Hu Hin) as [C1 C2]. specialize (Hk i u Hu C1 C2). pose proof (Hall i C1) as H1.
      destruct C2 as [->|C2]; [lra|]. pose proof (Hall (i + 1)%Z C2) as H2.
      apply Rmult_le_compat_l with (r := 1 - u) in H1; [|lra].
      apply Rmult_le_compat_l with (r := u) in H2; [|lra]. lra. }
  unfold theta in H. lra.
Qed.

Theorem real_lower x c D b : flat (reach x + n x) (kn x) -> lower_ok x = true -> 0 < b ->
  IZR (n x) * b <= D -> (forall x, 0 <= c x) ->
  forall L : rlaw, granted x (fun eps delta => rprivate L eps delta D) ->
  forall outs, Forall (never R R Rplus continuity L) outs -> between x b outs ->
  forall line most, joined_below x b (fun y => c y + line y) -> good R R Rplus continuity L line ->
  ex L (fun y => / IZR (scale x) * rlook (extra x) (y / b) + line y) <= most ->
  forall B, rloss L c B -> IZR (ln x) / IZR (ld x) - most <= B.
Proof.
  intros Hout Hok Hb HD Hc0 L HL. apply (lattice_lower x c b); auto.
  intros e He. destruct (HL e He) as (eps & HP & HE). exists eps. split; auto.
  intros A s HA (m & Hm & ->). apply HP; auto.
  rewrite Rabs_mult, (Rabs_right b) by lra. rewrite <- abs_IZR. apply IZR_le in Hm.
  eapply Rle_trans; [|apply HD]. apply Rmult_le_compat_r; lra.
Qed.

(* Integer-valued noise is real-valued noise that is private at whole shifts. *)
Definition embed (Y : zlaw) : rlaw.
Proof.
  assert (Hb : forall f, bounded f -> bounded (fun i => f (IZR i))) by (intros f [M HM]; exists M; auto).
  assert (Hm : forall f, meas Y f) by (intros; apply meas_basic; auto).
  refine (Build_law R R Rplus continuity (fun _ => True) (fun f => ex Y (fun i => f (IZR i)))
    _ _ _ _ _ _ _ _ _ _); auto.
  - apply ex_one.
  - intros. apply (ex_add Y (fun i => f (IZR i)) (fun i => g (IZR i))); auto.
  - intros. apply (ex_scale Y a (fun i => f (IZR i))); auto.
  - intros. apply ex_mono; auto.
Defined.

Theorem whole_step_lower x c D b : flat (reach x + n x) (kn x) -> lower_ok x = true -> (0 < b)%Z -> joined_below x (IZR b) c ->
  (n x * b <= D)%Z -> (forall x, 0 <= c x) -> lo x = None -> hi x = None -> extra x = [] ->
  forall Y : zlaw, granted x (fun eps delta => zprivate Y eps delta D) ->
  forall B, zloss Y c B -> IZR (ln x) / IZR (ld x) <= B.
Proof.
  intros Hout Hok Hb Hk HD Hc0 Hlo Hhi Hex Y HY B HB.
  assert (Hcounts : forall i, counts x i) by (intros i; unfold counts; rewrite Hlo, Hhi; split; reflexivity).
  rewrite <- (Rminus_0_r (_ / _)). apply (lattice_lower x c (IZR b) Hout Hok (IZR_lt _ _ Hb) Hc0 (embed Y)) with (outs := []) (line := fun _ => 0); [|constructor|..].
  - intros e He. destruct (HY e He) as (eps & HP & HE). exists eps. split; auto.
    intros A s [_ HA] (m & Hm & ->). simpl.
    assert (Hall : forall f, meas Y f) by (intros; apply meas_basic; exact I).
    assert (Hbd : forall f : Z -> R, (forall i, f i = 0 \/ f i = 1) -> bounded f).
    { intros f Hf. exists 1. intros i. destruct (Hf i) as [-> | ->]; rewrite Rabs_right; lra. }
    pose proof (HP (fun i => A (IZR i)) (m * b)%Z) as K. cbv beta in K.
    eapply Rle_trans; [apply K|].
    + split; auto.
    + nia.
    + apply Rplus_le_compat_r. apply Rmult_le_compat_l; [left; apply exp_pos|].
      apply ex_mono; auto. intros i. rewrite plus_IZR, mult_IZR. lra.
  - intros i u Hu _. auto.
  - intros i u Hu C1 C2. rewrite Rplus_0_r. apply Hk; auto.
  - apply good_const.
  - rewrite Hex. cbn [rlook]. right. transitivity (ex (embed Y) (fun _ => 0)); [f_equal; extensionality y; ring | apply ex_const].
  - intros g _ [M HM] Hg. simpl. apply HB; [apply meas_basic; exact I | exists M; auto | auto].
Qed.
