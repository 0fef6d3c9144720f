(* From events to functions, and weak duality: multipliers prove a bound for every private law. *)
Require Import Reals List Lra Lia.
Require Import Formal.Statements Formal.Exp.
Import ListNotations.
Open Scope R_scope.

Section Laws.
Variable T : Type.
Variable S : Type.
Variable add : T -> S -> T.
Variable basic : (T -> R) -> Prop.
Notation law := (law T S add basic).
Lemma bounded_const a : bounded (fun _ : T => a).
Proof. exists (Rabs a); intros; lra. Qed.
Lemma bounded_add (f g : T -> R) : bounded f -> bounded g -> bounded (fun x => f x + g x).
Proof.
  intros [M HM] [N HN]. exists (M + N). intros x.
  specialize (HM x); specialize (HN x). pose proof (Rabs_triang (f x) (g x)). lra.
Qed.
Lemma bounded_scale a (f : T -> R) : bounded f -> bounded (fun x => a * f x).
Proof.
  intros [M HM]. exists (Rabs a * M). intros x. rewrite Rabs_mult.
  apply Rmult_le_compat_l; auto using Rabs_pos.
Qed.
Lemma bounded_shift f s : bounded f -> bounded (fun x => f (add x s)).
Proof. intros [M HM]. exists M. auto. Qed.
Lemma bounded_between (f : T -> R) a b : (forall x, a <= f x <= b) -> bounded f.
Proof.
  intros H. exists (Rabs a + Rabs b). intros x. specialize (H x).
  unfold Rabs in *. repeat destruct Rcase_abs; lra.
Qed.

Section OneLaw.
Variable L : law.

Definition good f := meas L f /\ bounded f.
Lemma good_const a : good (fun _ => a).
Proof. split; [apply meas_const | apply bounded_const]. Qed.
Lemma good_add f g : good f -> good g -> good (fun x => f x + g x).
Proof. intros [] []; split; [apply meas_add | apply bounded_add]; auto. Qed.
Lemma good_scale a f : good f -> good (fun x => a * f x).
Proof. intros []; split; [apply meas_scale | apply bounded_scale]; auto. Qed.
Lemma good_shift f s : good f -> good (fun x => f (add x s)).
Proof. intros []; split; [apply meas_shift | apply bounded_shift]; auto. Qed.
Lemma ex_const a : ex L (fun _ => a) = a.
Proof.
  assert (H : ex L (fun _ => a * 1) = a * 1).
  { rewrite (ex_scale L a (fun _ => 1)), ex_one by apply good_const. reflexivity. }
  assert (ex L (fun _ => a) = ex L (fun _ => a * 1)).
  { apply Rle_antisym; apply ex_mono; try apply good_const; intros; lra. }
  lra.
Qed.
Lemma ex_plus f g : good f -> good g -> ex L (fun x => f x + g x) = ex L f + ex L g.
Proof. intros [] []. apply ex_add; auto. Qed.
Lemma ex_times a f : good f -> ex L (fun x => a * f x) = a * ex L f.
Proof. intros []. apply ex_scale; auto. Qed.
Lemma ex_le f g : good f -> good g -> (forall x, f x <= g x) -> ex L f <= ex L g.
Proof. intros [] []. apply ex_mono; auto. Qed.
Lemma ex_nonneg f : good f -> (forall x, 0 <= f x) -> 0 <= ex L f.
Proof. intros. rewrite <- (ex_const 0). apply ex_le; auto using good_const. Qed.

(* From events to functions with values in [0, 1]: how many of the levels 1..n are below v. *)
Definition level (t v : R) := if Rle_dec t v then 1 else 0.
Fixpoint count n v := match n with
  | O => 0
  | Datatypes.S k => count k v + level (INR (Datatypes.S k)) v
  end.
Lemma count_full n v : INR n <= v -> count n v = INR n.
Proof.
  induction n; intros H; [reflexivity|].
  rewrite S_INR in *. cbn [count]. rewrite IHn by lra. unfold level. rewrite S_INR.
  destruct Rle_dec; lra.
Qed.
Lemma count_low n v : 0 <= v -> 0 <= count n v <= v.
Proof.
  intros Hv. induction n; [simpl; lra|]. cbn [count]. unfold level.
  destruct Rle_dec; [|lra]. rewrite S_INR in *. rewrite count_full by lra.
  pose proof (pos_INR n). lra.
Qed.
Lemma count_high n v : v <= INR n -> v <= count n v + 1.
Proof.
  induction n; intros H; [simpl in *; lra|]. cbn [count]. unfold level. rewrite S_INR in *.
  destruct Rle_dec.
  - rewrite count_full by lra. lra.
  - destruct (Rle_dec v (INR n)); [specialize (IHn r); lra|]. rewrite count_full by lra. lra.
Qed.

Lemma level_event t f : meas L f -> event L (fun x => level t (f x)).
Proof.
  intros. split; [apply meas_level; auto|]. intros. unfold level. destruct Rle_dec; auto.
Qed.
Lemma level_good t f : meas L f -> good (fun x => level t (f x)).
Proof.
  intros. split; [apply level_event; auto|]. apply bounded_between with 0 1.
  intros. unfold level. destruct Rle_dec; lra.
Qed.
Lemma count_good n f : meas L f -> good (fun x => count n (f x)).
Proof.
  intros. induction n; cbn [count]; [apply good_const|].
  apply good_add; auto. apply level_good; auto.
Qed.
Section Budget.
(* Moved by s, an event that lies within P has at most E times its probability and delta. *)
Variables (E delta : R) (s : S) (P : T -> Prop).
Hypothesis HE : 0 <= E.
Hypothesis Hmoved : forall A, event L A -> (forall x, P x \/ A x = 0) ->
  ex L A <= E * ex L (fun x => A (add x s)) + delta.

Lemma count_private n f : meas L f -> (forall x, P x \/ f x = 0) ->
  ex L (fun x => count n (f x)) <= E * ex L (fun x => count n (f (add x s))) + INR n * delta.
Proof.
  intros Hf HP. induction n.
  - cbn [count]. rewrite !ex_const. simpl. lra.
  - cbn [count]. rewrite S_INR.
    rewrite ex_plus by (auto using count_good, level_good).
    rewrite (ex_plus (fun x => count n (f (add x s)))) by
      (auto using count_good, level_good, meas_shift).
    assert (Hin : forall x, P x \/ level (INR (Datatypes.S n)) (f x) = 0).
    { intros x. destruct (HP x) as [K|K]; [left; exact K|right]. rewrite K. unfold level. destruct Rle_dec as [r|]; auto.
      rewrite S_INR in r. pose proof (pos_INR n). lra. }
    pose proof (Hmoved _ (level_event (INR (Datatypes.S n)) f Hf) Hin) as H.
    cbv beta in H. rewrite S_INR in H. lra.
Qed.

Lemma private_fun f : meas L f -> (forall x, 0 <= f x <= 1) -> (forall x, P x \/ f x = 0) ->
  ex L f <= E * ex L (fun x => f (add x s)) + delta.
Proof.
  intros Hf H01 HP.
  assert (Hgf : good f) by (split; auto; apply bounded_between with 0 1; auto).
  destruct (Rle_dec (ex L f) (E * ex L (fun x => f (add x s)) + delta)) as [|Hn]; auto.
  exfalso. apply Rnot_le_lt in Hn.
  set (d := ex L f - (E * ex L (fun x => f (add x s)) + delta)).
  assert (Hd : 0 < d) by (unfold d; lra).
  destruct (archimed_cor1 d Hd) as [N [HN1 HN2]].
  assert (HN : 0 < INR N) by (apply lt_0_INR; auto).
  assert (HNd : 1 < INR N * d).
  { apply Rmult_lt_compat_l with (r := INR N) in HN1; auto. rewrite Rinv_r in HN1; lra. }
  assert (Hm : meas L (fun x => INR N * f x)) by (apply meas_scale; auto).
  assert (HPN : forall x, P x \/ INR N * f x = 0) by (intros x; destruct (HP x) as [K|K]; [left; exact K|right; rewrite K; ring]).
  pose proof (count_private N (fun x => INR N * f x) Hm HPN) as Hc. cbv beta in Hc.
  assert (H1 : INR N * ex L f <= ex L (fun x => count N (INR N * f x)) + 1).
  { rewrite <- ex_times by auto. rewrite <- (ex_const 1) at 1.
    rewrite <- ex_plus by (auto using good_const; apply (count_good N (fun x => INR N * f x)); auto).
    apply ex_le.
    - apply good_scale; auto.
    - apply good_add; [apply (count_good N (fun x => INR N * f x)); auto | apply good_const].
    - intros x. apply count_high. specialize (H01 x). rewrite <- (Rmult_1_r (INR N)) at 2.
      apply Rmult_le_compat_l; lra. }
  assert (H2 : ex L (fun x => count N (INR N * f (add x s))) <= INR N * ex L (fun x => f (add x s))).
  { rewrite <- (ex_times (INR N) (fun x => f (add x s))) by (apply good_shift; auto).
    apply ex_le.
    - apply (count_good N (fun x => INR N * f (add x s))). apply (meas_shift L _ s Hm).
    - apply good_scale. apply good_shift; auto.
    - intros x. apply count_low. specialize (H01 (add x s)).
      apply Rmult_le_pos; lra. }
  apply Rmult_le_compat_l with (r := E) in H2; auto.
  assert (INR N * d = INR N * ex L f - E * (INR N * ex L (fun x => f (add x s))) - INR N * delta)
    by (unfold d; ring).
  lra.
Qed.

(* Multipliers 0 <= phi <= y. *)
Lemma private_multiplier f y : meas L f -> (forall x, 0 <= f x <= y) -> (forall x, P x \/ f x = 0) ->
  ex L f <= E * ex L (fun x => f (add x s)) + y * delta.
Proof.
  intros Hf Hy HP.
  assert (Hgf : good f) by (split; auto; apply bounded_between with 0 y; auto).
  destruct (Rle_dec y 0) as [Hz|Hz].
  - assert (H0 : forall x, f x = 0) by (intros x; specialize (Hy x); lra).
    assert (ex L f <= 0).
    { rewrite <- (ex_const 0). apply ex_le; auto using good_const. intros; rewrite H0; lra. }
    assert (0 <= ex L (fun x => f (add x s))).
    { apply ex_nonneg; [apply good_shift; auto|]. intros; rewrite H0; lra. }
    assert (Hpos : 0 <= E * ex L (fun x => f (add x s))).
    { apply Rmult_le_pos; auto. }
    destruct (Req_dec y 0) as [->|Hne]; [lra|].
    (* y < 0 leaves no value for f: T would be empty, and then 1 has mean 0 *)
    assert (He : ex L (fun _ => 1) <= ex L (fun _ => 0)).
    { apply ex_le; auto using good_const. intros x. specialize (Hy x). lra. }
    rewrite !ex_const in He. lra.
  - pose proof (private_fun (fun x => / y * f x) (meas_scale L _ _ Hf)) as H.
    assert (H1 : forall x, 0 <= / y * f x <= 1).
    { intros x. specialize (Hy x). assert (0 < / y) by (apply Rinv_0_lt_compat; lra). split.
      - apply Rmult_le_pos; lra.
      - rewrite <- (Rinv_l y) by lra. apply Rmult_le_compat_l; lra. }
    assert (HP1 : forall x, P x \/ / y * f x = 0) by (intros x; destruct (HP x) as [K|K]; [left; exact K|right; rewrite K; ring]).
    specialize (H H1 HP1). cbv beta in H.
    rewrite ex_times in H by auto.
    rewrite (ex_times (/ y) (fun x => f (add x s))) in H by (apply good_shift; auto).
    apply Rmult_le_compat_l with (r := y) in H; [|lra].
    replace (y * (/ y * ex L f)) with (ex L f) in H by (field; lra).
    replace (y * (E * (/ y * ex L (fun x => f (add x s))) + delta)) with
      (E * ex L (fun x => f (add x s)) + y * delta) in H by (field; lra).
    exact H.
Qed.

End Budget.

(* Weak duality.  A price: a shift, a function 0 <= phi <= y, and a budget at which the law is
   private, a at least e^eps and d its delta. *)
Record price := Price { p_shift : S; p_most : R; p_fun : T -> R; p_exp : R; p_delta : R }.
Fixpoint gain (prices : list price) (x : T) : R := match prices with
  | [] => 0
  | p :: rest => p_fun p x + - p_exp p * p_fun p (add x (p_shift p)) + gain rest x
  end.
Fixpoint spent (prices : list price) : R := match prices with
  | [] => 0
  | p :: rest => p_delta p * p_most p + spent rest
  end.
Definition fair (p : price) :=
  (exists eps shifts, private L eps (p_delta p) shifts /\ exp eps <= p_exp p /\ shifts (p_shift p)) /\
  meas L (p_fun p) /\ forall x, 0 <= p_fun p x <= p_most p.

Lemma fair_good p : fair p -> good (p_fun p) /\ good (fun x => p_fun p (add x (p_shift p))).
Proof.
  intros [_ [Hm Hy]]. assert (good (p_fun p)) by (split; auto; apply bounded_between with 0 (p_most p); auto).
  split; auto. apply good_shift; auto.
Qed.
Lemma gain_good prices : Forall fair prices -> good (gain prices).
Proof.
  induction 1 as [|p rest Hp _ IH]; simpl; [apply good_const|]. destruct (fair_good p Hp).
  apply good_add; auto. apply good_add; auto. apply good_scale; auto.
Qed.
Lemma gain_mean prices : Forall fair prices -> ex L (gain prices) <= spent prices.
Proof.
  intros H. induction H as [|p rest Hp Hr IH]; cbn [gain spent].
  - rewrite ex_const. lra.
  - destruct (fair_good p Hp) as [Hg Hgs]. destruct Hp as [(eps & shifts & HL & Ha & Hs) [Hm Hy]].
    rewrite (ex_plus _ (gain rest)) by
      (auto using gain_good; apply good_add; auto; apply good_scale; auto).
    rewrite ex_plus by (auto; apply good_scale; auto).
    rewrite (ex_times (- p_exp p) (fun x => p_fun p (add x (p_shift p)))) by auto.
    pose proof (private_multiplier (exp eps) (p_delta p) (p_shift p) (fun _ => True) ltac:(left; apply exp_pos)
      ltac:(intros A HA _; apply HL; auto) (p_fun p) (p_most p) Hm Hy ltac:(auto)).
    assert (0 <= ex L (fun x => p_fun p (add x (p_shift p)))) by (apply ex_nonneg; auto; intros x; apply Hy).
    assert (exp eps * ex L (fun x => p_fun p (add x (p_shift p))) <= p_exp p * ex L (fun x => p_fun p (add x (p_shift p))))
      by (apply Rmult_le_compat_r; auto).
    lra.
Qed.

(* outs: events of probability 0; only where none of them happens must the bound hold *)
Fixpoint total_of (outs : list (T -> R)) (x : T) : R := match outs with
  | [] => 0 | A :: rest => A x + total_of rest x end.
Definition never (A : T -> R) := event L A /\ ex L A = 0.
Lemma never_good A : never A -> good A.
Proof.
  intros [[Hm H01] _]. split; auto. apply bounded_between with 0 1. intros x. destruct (H01 x) as [-> | ->]; lra.
Qed.
Lemma outs_good outs : Forall never outs -> good (total_of outs) /\ ex L (total_of outs) = 0 /\
  forall x, 0 <= total_of outs x /\ (total_of outs x < 1 -> forall A, In A outs -> A x = 0).
Proof.
  induction 1 as [|A rest HA _ (I1 & I2 & I3)]; cbn [total_of].
  - split; [apply good_const|]. split; [apply ex_const|]. intros. split; [lra|]. intros _ A [].
  - pose proof (never_good A HA) as Hg. destruct HA as [[_ H01] H0]. split; [apply good_add; auto|]. split.
    + rewrite (ex_plus A (total_of rest)) by auto. lra.
    + intros x. destruct (I3 x) as [J1 J2]. split; [destruct (H01 x) as [-> | ->]; lra|].
      intros Hlt B [<-|HB]; destruct (H01 x) as [HA0|HA0]; auto; try (rewrite HA0 in Hlt; lra). apply J2; auto; lra.
Qed.
(* extra: a function whose mean is known to be at most some number *)
Theorem weak_duality prices outs extra most c theta :
  Forall fair prices -> Forall never outs -> good extra -> ex L extra <= most -> (forall x, 0 <= c x) ->
  (forall x, (forall A, In A outs -> A x = 0) -> theta <= c x + extra x + gain prices x) ->
  forall B, loss_at_most L c B -> theta - most - spent prices <= B.
Proof.
  intros Hp Ho He Hmost Hc0 Hc B HB. destruct (outs_good outs Ho) as (Og & O0 & O1).
  set (h := fun x => extra x + gain prices x). assert (Hh : good h) by (apply good_add; auto; apply gain_good; auto).
  assert (Eh : ex L h <= most + spent prices).
  { unfold h. rewrite ex_plus by (auto; apply gain_good; auto). pose proof (gain_mean prices Hp). lra. }
  assert (Hg0 : good (fun x => theta + -1 * h x)) by (apply good_add; [apply good_const|]; apply good_scale; auto).
  destruct Hg0 as [Hm0 [M HM]].
  assert (Hg : good (fun x => (theta + -1 * h x) + - M * total_of outs x)).
  { apply good_add; [split; auto; exists M; auto|]. apply good_scale; auto. }
  assert (H := HB _ (proj1 Hg) (proj2 Hg)).
  rewrite (ex_plus (fun x => theta + -1 * h x)) in H by (try (split; auto; exists M; auto); apply good_scale; auto).
  rewrite (ex_times (- M) (total_of outs)), O0 in H by auto.
  rewrite (ex_plus (fun _ => theta)) in H by (auto using good_const; apply good_scale; auto).
  rewrite ex_const in H. rewrite ex_times in H by auto.
  assert (theta + -1 * ex L h + - M * 0 <= B).
  { apply H. intros x. destruct (O1 x) as [J1 J2]. specialize (HM x).
    assert (theta + -1 * h x <= M) by (pose proof (Rle_abs (theta + -1 * h x)); lra).
    assert (HM0 : 0 <= M) by (pose proof (Rabs_pos (theta + -1 * h x)); lra).
    destruct (Rlt_dec (total_of outs x) 1) as [Hlt|Hge].
    - specialize (Hc x (J2 Hlt)). assert (0 <= M * total_of outs x) by (apply Rmult_le_pos; auto). unfold h in *. lra.
    - assert (M * 1 <= M * total_of outs x) by (apply Rmult_le_compat_l; lra). specialize (Hc0 x). lra. }
  lra.
Qed.

(* A larger budget asks less; a loss that is not negative has no negative bound. *)
Lemma private_more eps delta eps' delta' shifts : eps <= eps' -> delta <= delta' ->
  private L eps delta shifts -> private L eps' delta' shifts.
Proof.
  intros He Hd H A s HA Hs. specialize (H A s HA Hs). destruct HA as [HA H01].
  assert (0 <= ex L (fun x => A (add x s))).
  { apply ex_nonneg; [apply (good_shift A s); split; auto; apply bounded_between with 0 1|];
      intros x; [destruct (H01 x) as [-> | ->] | destruct (H01 (add x s)) as [-> | ->]]; lra. }
  pose proof (exp_le eps eps' He).
  assert (exp eps * ex L (fun x => A (add x s)) <= exp eps' * ex L (fun x => A (add x s))) by (apply Rmult_le_compat_r; auto).
  lra.
Qed.
Lemma loss_nonneg c B : (forall x, 0 <= c x) -> loss_at_most L c B -> 0 <= B.
Proof. intros Hc HB. rewrite <- (ex_const 0). apply HB; auto; apply good_const. Qed.

End OneLaw.
End Laws.
