(* A proven enclosure of e^(p/q) by whole numbers of units 1/U, U = 2^bits. *)
Require Import Reals ZArith List Bool Lra Lia.
Require Import Formal.Statements.
Open Scope R_scope.

(* The series *)
Definition term (y : R) (k : nat) := / INR (fact k) * y ^ k.
Lemma term_nonneg y k : 0 <= y -> 0 <= term y k.
Proof.
  intros. unfold term. apply Rmult_le_pos; [|apply pow_le; auto].
  left. apply Rinv_0_lt_compat. apply INR_fact_lt_0.
Qed.
Lemma term_next y k : term y (S k) = term y k * y / INR (S k).
Proof.
  unfold term. rewrite fact_simpl, mult_INR. simpl pow. field.
  split; [apply INR_fact_neq_0 | apply not_0_INR; discriminate].
Qed.
Lemma exp_series y : Un_cv (fun n => sum_f_R0 (term y) n) (exp y).
Proof. unfold exp. destruct (exist_exp y) as [l Hl]. exact Hl. Qed.
Lemma exp_low y n : 0 <= y -> sum_f_R0 (term y) n <= exp y.
Proof. intros. apply sum_incr; [apply exp_series | auto using term_nonneg]. Qed.
Lemma exp_ge_1 y : 0 <= y -> 1 <= exp y.
Proof. intros H. pose proof (exp_low y 0 H) as E. unfold sum_f_R0, term in E. simpl in E. lra. Qed.
Lemma exp_le x y : x <= y -> exp x <= exp y.
Proof.
  intros. replace y with (x + (y - x)) by ring. rewrite exp_plus. pose proof (exp_ge_1 (y - x) ltac:(lra)). pose proof (exp_pos x).
  rewrite <- (Rmult_1_r (exp x)) at 1. apply Rmult_le_compat_l; lra.
Qed.
Lemma term_half y k : 0 <= y <= 1 -> (1 <= k)%nat -> term y (S k) <= term y k / 2.
Proof.
  intros Hy Hk. rewrite term_next. pose proof (term_nonneg y k (proj1 Hy)).
  assert (2 <= INR (S k)) by (rewrite S_INR; apply le_INR in Hk; simpl in Hk; lra).
  unfold Rdiv. rewrite Rmult_assoc. apply Rmult_le_compat_l; auto.
  assert (/ INR (S k) <= / 2) by (apply Rinv_le_contravar; lra).
  assert (0 < / INR (S k)) by (apply Rinv_0_lt_compat; lra).
  replace (/ 2) with (1 * / 2) by ring. apply Rmult_le_compat; lra.
Qed.
Lemma exp_high y n : 0 <= y <= 1 -> (1 <= n)%nat ->
  exp y <= sum_f_R0 (term y) n + term y n.
Proof.
  intros Hy Hn.
  assert (Hm : forall m, sum_f_R0 (term y) (n + m) + term y (n + m) <= sum_f_R0 (term y) n + term y n).
  { induction m; [rewrite Nat.add_0_r; lra|].
    replace (n + S m)%nat with (S (n + m)) by lia. rewrite tech5.
    pose proof (term_half y (n + m) Hy ltac:(lia)). lra. }
  apply Rnot_lt_le. intros Hlt.
  destruct (exp_series y (exp y - (sum_f_R0 (term y) n + term y n)) ltac:(lra)) as [N HN].
  specialize (HN (n + N)%nat ltac:(lia)). specialize (Hm N).
  pose proof (term_nonneg y (n + N) (proj1 Hy)).
  unfold R_dist, Rabs in HN. destruct Rcase_abs; lra.
Qed.

(* Division of whole numbers *)
Lemma div_low a b : (0 < b)%Z -> IZR (a / b) <= IZR a / IZR b.
Proof.
  intros Hb. assert (0 < IZR b) by (apply IZR_lt; auto).
  apply Rmult_le_reg_r with (IZR b); auto. unfold Rdiv.
  rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. rewrite <- mult_IZR. apply IZR_le.
  rewrite Z.mul_comm. apply Z.mul_div_le; auto.
Qed.
Lemma div_high a b : (0 < b)%Z -> IZR a / IZR b <= IZR (a / b + 1).
Proof.
  intros Hb. assert (0 < IZR b) by (apply IZR_lt; auto).
  apply Rmult_le_reg_r with (IZR b); auto. unfold Rdiv.
  rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. rewrite <- mult_IZR. apply IZR_le.
  pose proof (Z.mod_pos_bound a b Hb). pose proof (Z.div_mod a b ltac:(lia)). nia.
Qed.

(* Computation: (low term, low sum, high term, high sum) after k terms.  Digits are shifted out: to
   divide by U as by any other number takes thirty times as long. *)
Definition units (bits a : Z) : Z := Z.shiftr a bits.
Fixpoint series (bits yl yh : Z) (n : nat) : Z * Z * Z * Z := match n with
  | O => let U := (2 ^ bits)%Z in (U, U, U, U)
  | S k => let '(tl, sl, th, sh) := series bits yl yh k in
    let d := Z.of_nat (S k) in
    let tl' := (units bits (tl * yl) / d)%Z in let th' := (units bits (th * yh) / d + 1)%Z in
    (tl', (sl + tl')%Z, th', (sh + th')%Z)
  end.
Fixpoint squares (bits : Z) (h : nat) (lo hi : Z) : Z * Z := match h with
  | O => (lo, hi)
  | S k => squares bits k (units bits (lo * lo)) (units bits (hi * hi) + 1)%Z
  end.
(* halvings: the least h with p <= q 2^h will do; any h with that property is right *)
Definition exp_bounds (bits : Z) (terms h : nat) (p q : Z) : Z * Z :=
  let U := (2 ^ bits)%Z in
  if (p =? 0)%Z then (U, U) else
  let yl := (p * U / (q * 2 ^ Z.of_nat h))%Z in
  let '(_, sl, th, sh) := series bits yl (yl + 1)%Z terms in
  squares bits h sl (sh + th)%Z.
Definition exp_ok (bits : Z) (terms h : nat) (p q : Z) : bool :=
  ((0 <=? bits)%Z && (0 <=? p)%Z && (0 <? q)%Z && (p <=? q * 2 ^ Z.of_nat h)%Z && (1 <=? terms)%nat)%bool.

Section Correct.
Variable bits : Z.
Hypothesis Hbits : (0 <= bits)%Z.
Let U := (2 ^ bits)%Z.
Let u := IZR U.
Lemma U_pos : (0 < U)%Z. Proof. apply Z.pow_pos_nonneg; auto. reflexivity. Qed.
Lemma u_pos : 0 < u. Proof. apply IZR_lt, U_pos. Qed.
Lemma units_of a : units bits a = (a / U)%Z. Proof. apply Z.shiftr_div_pow2; auto. Qed.

Lemma series_ok y yl yh n : (0 <= yl)%Z -> IZR yl <= u * y -> u * y <= IZR yh ->
  let '(tl, sl, th, sh) := series bits yl yh n in
  (0 <= tl)%Z /\ IZR tl <= u * term y n /\ u * term y n <= IZR th /\
  (0 <= sl)%Z /\ IZR sl <= u * sum_f_R0 (term y) n /\ u * sum_f_R0 (term y) n <= IZR sh.
Proof.
  intros H0 Hl Hh. pose proof U_pos as HU. pose proof u_pos as Hu.
  assert (Hy : 0 <= y).
  { apply IZR_le in H0. apply Rmult_le_reg_l with u; lra. }
  assert (Hyh : 0 <= IZR yh) by (assert (0 <= u * y) by (apply Rmult_le_pos; lra); lra).
  induction n.
  - cbn [series]. fold U. unfold sum_f_R0, term. simpl. fold u. rewrite Rinv_1. repeat split; try lra; lia.
  - cbn [series]. destruct (series bits yl yh n) as [[[tl sl] th] sh].
    rewrite !units_of, !Z.div_div by lia.
    destruct IHn as (A & B & C & D & F & G).
    assert (HS : 0 < INR (S n)) by (apply lt_0_INR; lia).
    assert (Hd : (0 < U * Z.of_nat (S n))%Z) by lia.
    assert (Hdr : IZR (U * Z.of_nat (S n)) = u * INR (S n)) by (rewrite mult_IZR, <- INR_IZR_INZ; auto).
    pose proof (term_nonneg y n Hy) as Ht.
    assert (Hn : u * term y (S n) = u * term y n * (u * y) / (u * INR (S n))).
    { rewrite term_next. field. lra. }
    assert (Hlow : IZR (tl * yl / (U * Z.of_nat (S n))) <= u * term y (S n)).
    { eapply Rle_trans; [apply div_low; auto|]. rewrite Hdr, Hn, mult_IZR.
      unfold Rdiv. apply Rmult_le_compat_r.
      - left. apply Rinv_0_lt_compat. apply Rmult_lt_0_compat; auto.
      - apply Rmult_le_compat; auto; apply IZR_le; auto. }
    assert (Hhigh : u * term y (S n) <= IZR (th * yh / (U * Z.of_nat (S n)) + 1)).
    { eapply Rle_trans; [|apply div_high; auto]. rewrite Hdr, Hn, mult_IZR.
      unfold Rdiv. apply Rmult_le_compat_r.
      - left. apply Rinv_0_lt_compat. apply Rmult_lt_0_compat; auto.
      - apply Rmult_le_compat; auto; apply Rmult_le_pos; lra. }
    assert (Hpos : (0 <= tl * yl / (U * Z.of_nat (S n)))%Z).
    { apply Z.div_pos; auto. apply Z.mul_nonneg_nonneg; auto. }
    rewrite tech5, !(plus_IZR sl), !(plus_IZR sh), Rmult_plus_distr_l.
    repeat split; auto; try lra; lia.
Qed.

Lemma squares_ok h : forall lo hi x, (0 <= lo)%Z -> IZR lo <= u * exp x -> u * exp x <= IZR hi ->
  let '(a, b) := squares bits h lo hi in IZR a <= u * exp (x * 2 ^ h) /\ u * exp (x * 2 ^ h) <= IZR b.
Proof.
  pose proof U_pos as HU. pose proof u_pos as Hu.
  induction h; intros lo hi x H0 Hl Hh; cbn [squares].
  - rewrite pow_O, Rmult_1_r. auto.
  - replace (x * 2 ^ S h) with ((2 * x) * 2 ^ h) by (simpl; ring).
    assert (Hx : u * exp (2 * x) = (u * exp x) * (u * exp x) / u).
    { replace (2 * x) with (x + x) by ring. rewrite exp_plus. field. lra. }
    assert (0 <= IZR lo) by (apply IZR_le; auto).
    assert (0 < / u) by (apply Rinv_0_lt_compat; auto).
    assert (0 < u * exp x) by (apply Rmult_lt_0_compat; auto; apply exp_pos).
    rewrite !units_of. apply IHh.
    + apply Z.div_pos; auto. apply Z.mul_nonneg_nonneg; auto.
    + eapply Rle_trans; [apply div_low; auto|]. rewrite Hx, mult_IZR. fold u.
      unfold Rdiv. apply Rmult_le_compat_r; [apply Rlt_le; assumption|]. apply Rmult_le_compat; lra.
    + eapply Rle_trans; [|apply div_high; auto]. rewrite Hx, mult_IZR. fold u.
      unfold Rdiv. apply Rmult_le_compat_r; [apply Rlt_le; assumption|]. apply Rmult_le_compat; lra.
Qed.
End Correct.

Theorem exp_enclosed bits terms h p q : exp_ok bits terms h p q = true ->
  IZR (fst (exp_bounds bits terms h p q)) / IZR (2 ^ bits) <= exp (IZR p / IZR q) /\
  exp (IZR p / IZR q) <= IZR (snd (exp_bounds bits terms h p q)) / IZR (2 ^ bits).
Proof.
  unfold exp_ok. rewrite !Bool.andb_true_iff, !Z.leb_le, Z.ltb_lt, Nat.leb_le.
  intros [[[[Hb Hp] Hq] Hh] Ht].
  assert (HU : (0 < 2 ^ bits)%Z) by (apply Z.pow_pos_nonneg; lia).
  pose proof (u_pos bits Hb) as Hu.
  unfold exp_bounds. set (U := (2 ^ bits)%Z) in *.
  assert (Hqr : 0 < IZR q) by (apply IZR_lt; auto).
  destruct (Z.eqb_spec p 0) as [->|Hne].
  - simpl fst; simpl snd. replace (0 / IZR q) with 0 by (field; lra). rewrite exp_0.
    replace (IZR U / IZR U) with 1 by (field; lra). lra.
  - set (P := (2 ^ Z.of_nat h)%Z) in *.
    assert (HP : (0 < P)%Z) by (apply Z.pow_pos_nonneg; lia).
    assert (HPr : 0 < IZR P) by (apply IZR_lt; auto).
    assert (HPh : IZR P = 2 ^ h) by (unfold P; rewrite <- pow_IZR; auto).
    set (y := IZR p / IZR q / IZR P).
    set (yl := (p * U / (q * P))%Z).
    assert (Hd : (0 < q * P)%Z) by (apply Z.mul_pos_pos; auto).
    assert (Heq : IZR (p * U) / IZR (q * P) = IZR U * y).
    { unfold y. rewrite !mult_IZR. field. lra. }
    assert (Hl : IZR yl <= IZR U * y) by (rewrite <- Heq; apply div_low; auto).
    assert (Hhh : IZR U * y <= IZR (yl + 1)) by (rewrite <- Heq; apply div_high; auto).
    assert (Hyl : (0 <= yl)%Z) by (apply Z.div_pos; auto; apply Z.mul_nonneg_nonneg; lia).
    assert (Hy : 0 <= y <= 1).
    { apply IZR_le in Hp. apply IZR_le in Hh. rewrite mult_IZR in Hh. unfold y. split.
      - apply Rmult_le_pos; [|left; apply Rinv_0_lt_compat; auto].
        apply Rmult_le_pos; [auto|left; apply Rinv_0_lt_compat; auto].
      - apply Rmult_le_reg_r with (IZR q * IZR P); [apply Rmult_lt_0_compat; auto|].
        replace (IZR p / IZR q / IZR P * (IZR q * IZR P)) with (IZR p) by (field; lra). lra. }
    pose proof (series_ok bits Hb y yl (yl + 1)%Z terms Hyl Hl Hhh) as Hs.
    destruct (series bits yl (yl + 1)%Z terms) as [[[tl sl] th] sh].
    destruct Hs as (_ & _ & C & D & F & G). fold U in C, F, G.
    pose proof (exp_low y terms (proj1 Hy)) as Elow.
    pose proof (exp_high y terms Hy Ht) as Ehigh.
    pose proof (squares_ok bits Hb h sl (sh + th)%Z y D) as Hsq. fold U in Hsq.
    destruct (squares bits h sl (sh + th)) as [a b]. simpl fst; simpl snd.
    destruct Hsq as [Ha Hb'].
    { eapply Rle_trans; [apply F|]. apply Rmult_le_compat_l; lra. }
    { rewrite plus_IZR. apply Rle_trans with (IZR U * (sum_f_R0 (term y) terms + term y terms)).
      - apply Rmult_le_compat_l; lra.
      - rewrite Rmult_plus_distr_l. lra. }
    assert (Hx : y * 2 ^ h = IZR p / IZR q) by (unfold y; rewrite <- HPh; field; lra).
    rewrite Hx in *. split.
    + apply Rmult_le_reg_r with (IZR U); auto. unfold Rdiv at 1.
      rewrite Rmult_assoc, Rinv_l by lra. lra.
    + apply Rmult_le_reg_r with (IZR U); auto. unfold Rdiv at 2.
      rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.

(* e^eps is computed with 192 bits and kept with 128 *)
Definition bits := 192%Z.
Definition kept := 128%Z.
Definition halvings (q : Z * Z) : nat := Z.to_nat (Z.log2_up (fst q / snd q + 1)).
Definition enclosure (q : Z * Z) : Z * Z :=
  let '(lo, hi) := exp_bounds bits 50 (halvings q) (fst q) (snd q) in
  (lo / 2 ^ (bits - kept), (- ((- hi) / 2 ^ (bits - kept))))%Z.
Definition enclosure_ok (q : Z * Z) := exp_ok bits 50 (halvings q) (fst q) (snd q).
Lemma drop_low a l u k : 0 < u -> 0 < k -> a <= l / u -> a / k <= l / (u * k).
Proof.
  intros. replace (l / (u * k)) with (l / u / k) by (field; lra).
  apply Rmult_le_compat_r; auto. left. apply Rinv_0_lt_compat; auto.
Qed.
Lemma drop_high a l u k : 0 < u -> 0 < k -> l / u <= a -> l / (u * k) <= a / k.
Proof.
  intros. replace (l / (u * k)) with (l / u / k) by (field; lra).
  apply Rmult_le_compat_r; auto. left. apply Rinv_0_lt_compat; auto.
Qed.
Lemma enclosure_sound q : enclosure_ok q = true ->
  0 <= ratio q /\
  IZR (fst (enclosure q)) / IZR (2 ^ kept) <= exp (ratio q) <= IZR (snd (enclosure q)) / IZR (2 ^ kept).
Proof.
  intros H. assert (H' := H). unfold enclosure_ok, exp_ok in H'.
  rewrite !andb_true_iff, !Z.leb_le, Z.ltb_lt in H'. destruct H' as [[[[_ Hp] Hq] _] _].
  apply exp_enclosed in H. fold (ratio q) in H.
  unfold enclosure. destruct (exp_bounds bits 50 (halvings q) (fst q) (snd q)) as [lo hi].
  simpl fst in *; simpl snd in *.
  assert (Hk : 0 < IZR (2 ^ kept)) by (apply IZR_lt; reflexivity).
  assert (Hb : 0 < IZR (2 ^ (bits - kept))) by (apply IZR_lt; reflexivity).
  assert (Heq : IZR (2 ^ bits) = IZR (2 ^ (bits - kept)) * IZR (2 ^ kept)).
  { rewrite <- mult_IZR. f_equal. }
  rewrite Heq in H. destruct H as [H1 H2]. split; [|split].
  - apply IZR_le in Hp. apply IZR_lt in Hq. apply Rmult_le_pos; auto. left. apply Rinv_0_lt_compat; auto.
  - eapply Rle_trans; [|apply H1]. apply drop_low; auto. apply div_low. reflexivity.
  - eapply Rle_trans; [apply H2|]. apply drop_high; auto.
    pose proof (div_low (- hi) (2 ^ (bits - kept)) ltac:(reflexivity)) as K.
    rewrite opp_IZR. rewrite (opp_IZR hi) in K.
    apply Ropp_le_contravar in K. eapply Rle_trans; [|exact K]. right. unfold Rdiv. ring.
Qed.
