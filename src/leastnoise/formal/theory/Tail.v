(* Weights on a lattice that are continued for ever, each period times a ratio a/b: their sum, their
   hockey sticks, and the cost of costs that are polynomials far out. *)
Require Import Reals ZArith List Bool Lra Lia.
Require Import Formal.Statements Formal.Masses Formal.Lists.
Import ListNotations.
Open Scope Z_scope.

(* ---- what is computed ---- *)
(* two periods on either side, in units of 1/b^2 *)
Definition extended (ws : list Z) (n : nat) (a b : Z) : list Z :=
  let left := firstn n ws in let right := skipn (length ws - n) ws in
  map (Z.mul (a * a)) left ++ map (Z.mul (a * b)) left ++ map (Z.mul (b * b)) ws
  ++ map (Z.mul (a * b)) right ++ map (Z.mul (a * a)) right.
Fixpoint tail_sticks (count : nat) (PL PB PR M : list Z) (a b limit : Z) : bool := match count with
  | O => true
  | S c => let '(oL, r1) := cut PL M 0 in let '(bd, r2) := cut PB r1 0 in let '(o, _) := cut PR r2 oL in
    if bd * (b - a) + o * b <=? limit then tail_sticks c PL PB PR (tl M) a b limit else false
  end.
Definition tail_ok (n : Z) (ws : list Z) (a b : Z) : bool :=
  (0 <? n) && (n <=? Z.of_nat (length ws)) && (0 <? a) && (a <? b) && nonneg ws.
Definition tail_private (k n : Z) (ws : list Z) (a b top bottom limit : Z) : bool :=
  let nn := Z.to_nat n in
  (k <=? n) && (0 <=? limit) && tail_sticks (2 * nn + 1)
    (map (Z.mul (bottom * (a * b))) (firstn nn ws)) (map (Z.mul (bottom * (b * b))) ws)
    (map (Z.mul (bottom * (a * b))) (skipn (length ws - nn) ws))
    (map (Z.mul top) (extended ws nn a b)) a b limit.
(* the sum of all weights, times b - a *)
Definition tail_total (n : nat) (ws : list Z) (a b : Z) : Z :=
  total ws 0 * (b - a) + (total (firstn n ws) 0 + total (skipn (length ws - n) ws) 0) * a.
(* The cost of all copies of weights at x, x+1, ..., a period n apart, the first of them times a/b,
   where a cell at c costs al c^2 + be c + ga; times (b - a)^3. *)
Definition copies (ws : list Z) (x n a b al be ga : Z) : Z :=
  a * (b - a) * (b - a) * zdot (fun c => al * c * c + be * c + ga) ws x 0
  + a * a * (b - a) * zdot (fun c => n * (2 * al * c + be)) ws x 0
  + a * a * (a + b) * (al * n * n * total ws 0).
(* Listed cells cost K c; continued ones ar c^2 + br c + gr on the right, al c^2 + bl c + gl at -c. *)
Definition tail_cost (first n : Z) (ws : list Z) (a b : Z) (K : Z -> Z) (ar br gr al bl gl : Z) : Z :=
  let nn := Z.to_nat n in
  zdot K ws first 0 * ((b - a) * (b - a) * (b - a))
  + copies (skipn (length ws - nn) ws) (first + Z.of_nat (length ws)) n a b ar br gr
  + copies (rev (firstn nn ws)) (1 - first) n a b al bl gl.

(* ---- geometric sums ---- *)
Open Scope R_scope.
Lemma wsum_reflect n : forall lo f, wsum lo n f = wsum (1 - lo - Z.of_nat n) n (fun c => f (- c)%Z).
Proof.
  induction n; intros lo f; [reflexivity|].
  cbn [wsum]. rewrite IHn. replace (S n) with (n + 1)%nat by lia.
  change (f lo + wsum (1 - (lo + 1) - Z.of_nat n) n (fun c => f (- c)%Z) = wsum (1 - lo - Z.of_nat (n + 1)) (S n) (fun c => f (- c)%Z)).
  replace (S n) with (n + 1)%nat by lia. rewrite wsum_split. cbn [wsum].
  replace (1 - lo - Z.of_nat (n + 1))%Z with (1 - (lo + 1) - Z.of_nat n)%Z by lia.
  replace (- (1 - (lo + 1) - Z.of_nat n + Z.of_nat n))%Z with lo by lia. lra.
Qed.
Section Geometric.
Variables (rho : R) (n : nat).
Hypothesis Hrho : 0 <= rho < 1.
Lemma geometric_right f c1 : (forall c, (c1 <= c)%Z -> f (c + Z.of_nat n)%Z = rho * f c) ->
  forall K, wsum c1 (K * n) f = wsum c1 n f * (1 - rho ^ K) / (1 - rho).
Proof.
  intros H. induction K; [simpl; field; lra|].
  replace (S K * n)%nat with (n + K * n)%nat by lia. rewrite wsum_split.
  rewrite <- wsum_shift. rewrite (wsum_ext (K * n) c1 _ (fun c => rho * f c)) by (intros; apply H; lia).
  rewrite wsum_scale, IHK. simpl pow. field. lra.
Qed.
Lemma geometric_left f c0 : (forall c, (c < c0)%Z -> f (c - Z.of_nat n)%Z = rho * f c) ->
  forall K, wsum (c0 - Z.of_nat (K * n)) (K * n) f = wsum (c0 - Z.of_nat n) n f * (1 - rho ^ K) / (1 - rho).
Proof.
  intros H K. rewrite (wsum_reflect (K * n)), (wsum_reflect n).
  replace (1 - (c0 - Z.of_nat (K * n)) - Z.of_nat (K * n))%Z with (1 - c0)%Z by lia.
  replace (1 - (c0 - Z.of_nat n) - Z.of_nat n)%Z with (1 - c0)%Z by lia.
  apply geometric_right. intros c Hc. rewrite <- H by lia. f_equal. lia.
Qed.
Lemma pow_unit K : 0 <= rho ^ K <= 1.
Proof.
  split; [apply pow_le; lra|]. induction K; simpl; [lra|].
  rewrite <- (Rmult_1_l 1). apply Rmult_le_compat; try lra. apply pow_le; lra.
Qed.
Lemma geometric_window f c0 c1 : (0 < n)%nat -> (c0 <= c1)%Z -> (forall c, 0 <= f c) ->
  (forall c, (c1 <= c)%Z -> f (c + Z.of_nat n)%Z = rho * f c) ->
  (forall c, (c < c0)%Z -> f (c - Z.of_nat n)%Z = rho * f c) ->
  forall lo m, wsum lo m f <=
    wsum (c0 - Z.of_nat n) n f / (1 - rho) + wsum c0 (Z.to_nat (c1 - c0)) f + wsum c1 n f / (1 - rho).
Proof.
  intros Hn H01 Hf Hr Hl lo m.
  set (K := Z.to_nat (Z.abs c0 + Z.abs c1 + Z.abs lo + Z.of_nat m)).
  assert (HK : (Z.of_nat K <= Z.of_nat (K * n))%Z) by nia.
  apply Rle_trans with (wsum (c0 - Z.of_nat (K * n)) (K * n + (Z.to_nat (c1 - c0) + K * n)) f).
  - apply wsum_within; auto; lia.
  - rewrite !wsum_split. replace (c0 - Z.of_nat (K * n) + Z.of_nat (K * n))%Z with c0 by lia.
    replace (c0 + Z.of_nat (Z.to_nat (c1 - c0)))%Z with c1 by lia.
    rewrite (geometric_left f c0 Hl), (geometric_right f c1 Hr).
    assert (G : forall t, 0 <= t -> t * (1 - rho ^ K) / (1 - rho) <= t / (1 - rho)).
    { intros t Ht. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra|].
      rewrite <- (Rmult_1_r t) at 2. apply Rmult_le_compat_l; auto. pose proof (pow_unit K). lra. }
    pose proof (G _ (wsum_nonneg n (c0 - Z.of_nat n) f Hf)). pose proof (G _ (wsum_nonneg n c1 f Hf)). lra.
Qed.
Lemma geometric_reach f c0 c1 : (c0 <= c1)%Z -> (forall c, 0 <= f c) ->
  (forall c, (c1 <= c)%Z -> f (c + Z.of_nat n)%Z = rho * f c) ->
  (forall c, (c < c0)%Z -> f (c - Z.of_nat n)%Z = rho * f c) ->
  forall e, 0 < e -> exists lo m,
    wsum (c0 - Z.of_nat n) n f / (1 - rho) + wsum c0 (Z.to_nat (c1 - c0)) f + wsum c1 n f / (1 - rho) - e <= wsum lo m f.
Proof.
  intros H01 Hf Hr Hl e He. set (A := wsum (c0 - Z.of_nat n) n f). set (B := wsum c1 n f).
  assert (HA : 0 <= A) by (apply wsum_nonneg; auto). assert (HB : 0 <= B) by (apply wsum_nonneg; auto).
  set (y := e * (1 - rho) / (A + B + 1)).
  assert (Hy : 0 < y) by (apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat; lra | apply Rinv_0_lt_compat; lra]).
  destruct (pow_lt_1_zero rho ltac:(rewrite Rabs_right; lra) y Hy) as [K HK]. specialize (HK K (le_n K)).
  pose proof (pow_unit K) as HP. rewrite Rabs_right in HK by lra.
  exists (c0 - Z.of_nat (K * n))%Z, (K * n + (Z.to_nat (c1 - c0) + K * n))%nat. rewrite !wsum_split.
  replace (c0 - Z.of_nat (K * n) + Z.of_nat (K * n))%Z with c0 by lia.
  replace (c0 + Z.of_nat (Z.to_nat (c1 - c0)))%Z with c1 by lia.
  rewrite (geometric_left f c0 Hl), (geometric_right f c1 Hr). fold A B.
  assert ((A + B) * rho ^ K / (1 - rho) <= e).
  { apply Rmult_le_reg_r with (1 - rho); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
    apply Rle_trans with ((A + B) * y); [apply Rmult_le_compat_l; lra|].
    assert (Hyy : y * (A + B + 1) = e * (1 - rho)) by (unfold y; field; lra). lra. }
  replace (A * (1 - rho ^ K) / (1 - rho)) with (A / (1 - rho) - A * rho ^ K / (1 - rho)) by (field; lra).
  replace (B * (1 - rho ^ K) / (1 - rho)) with (B / (1 - rho) - B * rho ^ K / (1 - rho)) by (field; lra).
  replace ((A + B) * rho ^ K / (1 - rho)) with (A * rho ^ K / (1 - rho) + B * rho ^ K / (1 - rho)) in H by (field; lra). lra.
Qed.

(* copies of a period with a quadratic cost *)
Variables (al be ga : R).
Hypothesis Hal : 0 <= al.
Hypothesis Hbe : 0 <= be.
Let N := INR n.
Definition moments (A0 A1 A2 : R) := A0 / (1 - rho) + A1 * (rho / (1 - rho) ^ 2) + A2 * (rho * (1 + rho) / (1 - rho) ^ 3).
Lemma copies_bound f (Hf : forall c, 0 <= f c) K : forall c1, (1 <= c1)%Z ->
  (forall c, (c1 <= c)%Z -> 0 <= al * IZR c * IZR c + be * IZR c + ga) ->
  (forall c, (c1 <= c)%Z -> f (c + Z.of_nat n)%Z = rho * f c) ->
  wsum c1 (K * n) (fun c => f c * (al * IZR c * IZR c + be * IZR c + ga)) <=
  moments (wsum c1 n (fun c => f c * (al * IZR c * IZR c + be * IZR c + ga)))
          (wsum c1 n (fun c => f c * (N * (2 * al * IZR c + be)))) (al * N * N * wsum c1 n f).
Proof.
  assert (HN : 0 <= N) by apply pos_INR.
  induction K; intros c1 Hc1 Hpos H.
  - simpl. assert (Hs : forall F, (forall c, (c1 <= c)%Z -> 0 <= F (IZR c)) -> 0 <= wsum c1 n (fun c => f c * F (IZR c))).
    { intros F HF. rewrite <- (wsum_zero n c1 (fun _ => 0)) by auto. apply wsum_le. intros i Hi. apply Rmult_le_pos; auto. apply HF. lia. }
    assert (Hc : forall c, (c1 <= c)%Z -> 0 <= IZR c) by (intros; apply (IZR_le 0); lia).
    assert (P1 : 0 <= wsum c1 n (fun c => f c * (al * IZR c * IZR c + be * IZR c + ga))).
    { apply (Hs (fun x => al * x * x + be * x + ga)). exact Hpos. }
    assert (P2 : 0 <= wsum c1 n (fun c => f c * (N * (2 * al * IZR c + be)))).
    { apply (Hs (fun x => N * (2 * al * x + be))). intros c Hcc. specialize (Hc c Hcc).
      repeat apply Rmult_le_pos; auto. apply Rplus_le_le_0_compat; auto. repeat apply Rmult_le_pos; auto. lra. }
    assert (P3 : 0 <= al * N * N * wsum c1 n f) by (repeat apply Rmult_le_pos; auto; apply wsum_nonneg; auto).
    unfold moments. assert (Hi : forall j, 0 < (1 - rho) ^ j) by (intros; apply pow_lt; lra).
    assert (0 < / (1 - rho)) by (apply Rinv_0_lt_compat; lra).
    assert (Hj : forall j x, 0 <= x -> 0 <= x / (1 - rho) ^ j).
    { intros. apply Rmult_le_pos; auto. left. apply Rinv_0_lt_compat; auto. }
    apply Rplus_le_le_0_compat; [apply Rplus_le_le_0_compat|]; [apply Rmult_le_pos; lra|..]; apply Rmult_le_pos; auto; apply Hj.
    + lra.
    + apply Rmult_le_pos; lra.
  - replace (S K * n)%nat with (n + K * n)%nat by lia. rewrite wsum_split.
    specialize (IHK (c1 + Z.of_nat n)%Z ltac:(lia) ltac:(intros; apply Hpos; lia) ltac:(intros; apply H; lia)).
    eapply Rle_trans; [apply Rplus_le_compat_l; exact IHK|]. clear IHK.
    assert (E : forall F, wsum (c1 + Z.of_nat n) n (fun c => f c * F (IZR c)) = rho * wsum c1 n (fun c => f c * F (IZR c + N))).
    { intros F. rewrite <- wsum_shift, <- wsum_scale. apply wsum_ext. intros i Hi. rewrite H by lia.
      rewrite plus_IZR, <- INR_IZR_INZ. fold N. ring. }
    rewrite (E (fun x => al * x * x + be * x + ga)), (E (fun x => N * (2 * al * x + be))).
    replace (wsum (c1 + Z.of_nat n) n f) with (rho * wsum c1 n f).
    2:{ rewrite <- wsum_shift, <- wsum_scale. apply wsum_ext. intros i Hi. rewrite H by lia. reflexivity. }
    set (A0 := wsum c1 n (fun c => f c * (al * IZR c * IZR c + be * IZR c + ga))).
    set (A1 := wsum c1 n (fun c => f c * (N * (2 * al * IZR c + be)))).
    set (S0 := wsum c1 n f).
    replace (wsum c1 n (fun c => f c * (al * (IZR c + N) * (IZR c + N) + be * (IZR c + N) + ga))) with (A0 + A1 + al * N * N * S0).
    2:{ unfold A0, A1, S0. rewrite <- wsum_scale, <- !wsum_plus. apply wsum_ext. intros. ring. }
    replace (wsum c1 n (fun c => f c * (N * (2 * al * (IZR c + N) + be)))) with (A1 + 2 * (al * N * N * S0)).
    2:{ unfold A1, S0. rewrite <- !wsum_scale, <- wsum_plus. apply wsum_ext. intros. ring. }
    right. unfold moments. field. lra.
Qed.
End Geometric.

(* ---- the tail of a file ---- *)
Section Tail.
Variables (first n a b : Z) (ws : list Z).
Hypothesis Hok : tail_ok n ws a b = true.
Let len := Z.of_nat (length ws).
Let nn := Z.to_nat n.
Let rho := ratio (a, b).
Notation W := (tailed_weight first ws n rho).

Lemma tail_facts : (0 < n <= len)%Z /\ (0 < a < b)%Z /\ all_nonneg ws /\ Z.of_nat nn = n /\ (nn <= length ws)%nat.
Proof.
  unfold tail_ok in Hok. rewrite !andb_true_iff, !Z.ltb_lt, Z.leb_le in Hok.
  destruct Hok as [[[[H1 H2] H3] H4] H5]. unfold nn, len. repeat split; auto using nonneg_all; lia.
Qed.
Lemma rho_unit : 0 < rho < 1.
Proof.
  destruct tail_facts as (_ & [H1 H2] & _). apply IZR_lt in H1, H2. unfold rho, ratio. simpl.
  split; [apply Rmult_lt_0_compat; auto; apply Rinv_0_lt_compat; lra|].
  apply Rmult_lt_reg_r with (IZR b); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.
Lemma tailed_nonneg c : 0 <= W c.
Proof.
  destruct tail_facts as (_ & _ & Hw & _). pose proof rho_unit.
  assert (forall j, 0 <= IZR (at_index ws j)) by (intros; apply IZR_le, Hw).
  unfold tailed_weight. repeat destruct (_ <? _)%Z; auto; apply Rmult_le_pos; auto; apply pow_le; lra.
Qed.
Lemma tailed_body j : (0 <= j < len)%Z -> W (first + j)%Z = IZR (at_index ws j).
Proof.
  intros H. unfold tailed_weight. fold len. replace (first + j - first)%Z with j by lia.
  destruct (Z.ltb_spec j 0); [lia|]. destruct (Z.ltb_spec j len); [auto|lia].
Qed.
Lemma tailed_right c : (first + len <= c)%Z -> W c = rho * W (c - n)%Z.
Proof.
  intros H. destruct tail_facts as (Hn & _). unfold tailed_weight. fold len.
  set (j := (c - first)%Z). replace (c - n - first)%Z with (j - n)%Z by (unfold j; lia).
  assert (Hj : (len <= j)%Z) by (unfold j; lia).
  destruct (Z.ltb_spec j 0); [lia|]. destruct (Z.ltb_spec j len); [lia|].
  destruct (Z.ltb_spec (j - n) 0); [lia|].
  destruct (Z.ltb_spec (j - n) len).
  - replace ((j - len) / n)%Z with 0%Z by (symmetry; apply Z.div_small; lia).
    rewrite (Z.mod_small (j - len)) by lia. simpl Z.to_nat. rewrite pow_1. do 3 f_equal. lia.
  - replace (j - n - len)%Z with (j - len + (-1) * n)%Z by lia. rewrite Z.div_add, Z.mod_add by lia.
    assert (1 <= (j - len) / n)%Z by (apply Z.div_le_lower_bound; lia).
    replace (Z.to_nat ((j - len) / n + 1)) with (S (Z.to_nat ((j - len) / n + -1 + 1))) by lia. simpl pow. ring.
Qed.
Lemma tailed_left c : (c < first)%Z -> W c = rho * W (c + n)%Z.
Proof.
  intros H. destruct tail_facts as (Hn & _). unfold tailed_weight. fold len.
  set (j := (c - first)%Z). replace (c + n - first)%Z with (j + n)%Z by (unfold j; lia).
  assert (Hj : (j < 0)%Z) by (unfold j; lia).
  destruct (Z.ltb_spec j 0); [|lia].
  destruct (Z.ltb_spec (j + n) 0).
  - replace (j + n)%Z with (j + 1 * n)%Z by lia. rewrite Z.div_add, Z.mod_add by lia.
    assert (j / n <= -2)%Z by (apply Z.lt_succ_r; apply Z.div_lt_upper_bound; lia).
    replace (Z.to_nat (- (j / n))) with (S (Z.to_nat (- (j / n + 1)))) by lia. simpl pow. ring.
  - destruct (Z.ltb_spec (j + n) len); [|lia].
    assert (Hd : (j / n = -1)%Z) by (symmetry; apply (Z.div_unique j n (-1) (j + n)); lia).
    assert (Hm : (j mod n = j + n)%Z) by (symmetry; apply (Z.mod_unique j n (-1) (j + n)); lia).
    rewrite Hd, Hm. simpl Z.to_nat. rewrite pow_1. reflexivity.
Qed.
Lemma tailed_step_right c : (first + len <= c)%Z -> W (c + Z.of_nat nn)%Z = rho * W c.
Proof.
  intros. destruct tail_facts as (Hn & _ & _ & Hnn & _). rewrite Hnn, tailed_right by lia. do 2 f_equal. lia.
Qed.
Lemma tailed_step_left c : (c < first)%Z -> W (c - Z.of_nat nn)%Z = rho * W c.
Proof.
  intros. destruct tail_facts as (Hn & _ & _ & Hnn & _). rewrite Hnn, tailed_left by lia. do 2 f_equal. lia.
Qed.
Lemma right_period u : (0 <= u < n)%Z -> W (first + len + u)%Z = rho * IZR (at_index (skipn (length ws - nn) ws) u).
Proof.
  intros. destruct tail_facts as (Hn & _ & _ & Hnn & Hle). rewrite tailed_right by lia.
  replace (first + len + u - n)%Z with (first + (len + u - n))%Z by lia. rewrite tailed_body by lia.
  rewrite at_skipn by lia. unfold len. do 3 f_equal. lia.
Qed.
Lemma left_period u : (0 <= u < n)%Z -> W (first - n + u)%Z = rho * IZR (at_index (firstn nn ws) u).
Proof.
  intros. destruct tail_facts as (Hn & _ & _ & Hnn & Hle). rewrite tailed_left by lia.
  replace (first - n + u + n)%Z with (first + u)%Z by lia. rewrite tailed_body by lia.
  rewrite at_firstn by lia. reflexivity.
Qed.

(* the sum *)
Lemma left_length : length (firstn nn ws) = nn.
Proof. destruct tail_facts as (_ & _ & _ & _ & H). rewrite firstn_length. lia. Qed.
Lemma right_length : length (skipn (length ws - nn) ws) = nn.
Proof. destruct tail_facts as (_ & _ & _ & _ & H). rewrite skipn_length. lia. Qed.
Definition whole : R := IZR (tail_total nn ws a b) / IZR (b - a).
Lemma body_sum : wsum first (Z.to_nat (first + len - first)) W = IZR (total ws 0).
Proof.
  rewrite <- total_sum. replace first with (0 + first)%Z at 1 by lia. rewrite <- wsum_shift.
  replace (Z.to_nat (first + len - first)) with (length ws) by (unfold len; lia).
  apply wsum_ext. intros i Hi. rewrite Z.add_comm. apply tailed_body. unfold len. lia.
Qed.
Lemma whole_parts : wsum (first - Z.of_nat nn) nn W / (1 - rho) + wsum first (Z.to_nat (first + len - first)) W
  + wsum (first + len) nn W / (1 - rho) = whole.
Proof.
  destruct tail_facts as (Hn & [Ha Hab] & _ & Hnn & Hle). pose proof rho_unit. rewrite body_sum.
  replace (wsum (first - Z.of_nat nn) nn W) with (rho * IZR (total (firstn nn ws) 0)).
  2:{ rewrite <- total_sum, <- wsum_scale, left_length. replace (first - Z.of_nat nn)%Z with (0 + (first - n))%Z by lia.
      rewrite <- wsum_shift. apply wsum_ext. intros i Hi. rewrite Z.add_comm, left_period by lia. reflexivity. }
  replace (wsum (first + len) nn W) with (rho * IZR (total (skipn (length ws - nn) ws) 0)).
  2:{ rewrite <- total_sum, <- wsum_scale, right_length. replace (first + len)%Z with (0 + (first + len))%Z at 1 by lia.
      rewrite <- wsum_shift. apply wsum_ext. intros i Hi. rewrite Z.add_comm, right_period by lia. reflexivity. }
  unfold whole, tail_total. fold nn. rewrite plus_IZR, !mult_IZR, plus_IZR, minus_IZR.
  assert (IZR a < IZR b) by (apply IZR_lt; auto). assert (0 < IZR a) by (apply IZR_lt; auto).
  unfold rho, ratio. simpl fst; simpl snd. field. lra.
Qed.
Lemma tailed_total lo m : wsum lo m W <= whole.
Proof.
  destruct tail_facts as (Hn & _ & _ & Hnn & _). pose proof rho_unit. rewrite <- whole_parts.
  apply (geometric_window rho nn ltac:(lra) W first (first + len)); auto using tailed_nonneg, tailed_step_right, tailed_step_left; lia.
Qed.
Lemma tailed_reach e : 0 < e -> exists lo m, whole - e <= wsum lo m W.
Proof.
  destruct tail_facts as (Hn & _). pose proof rho_unit. rewrite <- whole_parts.
  apply (geometric_reach rho nn ltac:(lra) W first (first + len)); auto using tailed_nonneg, tailed_step_right, tailed_step_left; lia.
Qed.

(* hockey sticks *)
Lemma extended_at j : (- 2 * n <= j < len + 2 * n)%Z ->
  IZR (at_index (extended ws nn a b) (j + 2 * n)) = IZR b * IZR b * W (first + j)%Z.
Proof.
  intros Hj. destruct tail_facts as (Hn & [Ha Hab] & _ & Hnn & Hle).
  assert (0 < IZR b) by (apply IZR_lt; lia).
  assert (Hrb : rho * IZR b = IZR a) by (unfold rho, ratio; simpl; field; lra).
  unfold extended.
  rewrite at_app, map_length, left_length, Hnn by lia. destruct (Z.ltb_spec (j + 2 * n) n); [rewrite at_map, !mult_IZR|
  rewrite at_app, map_length, left_length, Hnn by lia; destruct (Z.ltb_spec (j + 2 * n - n) n); [rewrite at_map, !mult_IZR|
  rewrite at_app, map_length by lia; fold len; destruct (Z.ltb_spec (j + 2 * n - n - n) len); [rewrite at_map, !mult_IZR|
  rewrite at_app, map_length, right_length, Hnn by lia; destruct (Z.ltb_spec (j + 2 * n - n - n - len) n); rewrite at_map, !mult_IZR]]].
  - replace (first + j)%Z with (first - n + (j + 2 * n) - n)%Z by lia.
    rewrite tailed_left by lia. replace (first - n + (j + 2 * n) - n + n)%Z with (first - n + (j + 2 * n))%Z by lia.
    rewrite left_period by lia. rewrite <- Hrb. ring.
  - replace (first + j)%Z with (first - n + (j + 2 * n - n))%Z by lia. rewrite left_period by lia. rewrite <- Hrb. ring.
  - rewrite tailed_body by (unfold len in *; lia). replace (j + 2 * n - n - n)%Z with j by lia. ring.
  - replace (first + j)%Z with (first + len + (j - len))%Z by lia. rewrite right_period by (unfold len in *; lia).
    fold len. replace (j + 2 * n - n - n - len)%Z with (j - len)%Z by lia. rewrite <- Hrb. ring.
  - rewrite tailed_right by (unfold len in *; lia). replace (first + j - n)%Z with (first + len + (j - len - n))%Z by lia.
    rewrite right_period by (unfold len in *; lia). fold len. replace (j + 2 * n - n - n - len - n)%Z with (j - len - n)%Z by lia.
    rewrite <- Hrb. ring.
Qed.
Lemma all_firstn : all_nonneg (firstn nn ws).
Proof.
  destruct tail_facts as (Hn & _ & Hw & Hnn & Hle). intros j. destruct (Z.ltb_spec j 0); [rewrite at_out by lia; lia|].
  destruct (Z.ltb_spec j n); [rewrite at_firstn by lia; auto | rewrite at_out by (rewrite left_length; lia); lia].
Qed.
Lemma all_skipn : all_nonneg (skipn (length ws - nn) ws).
Proof.
  destruct tail_facts as (Hn & _ & Hw & Hnn & Hle). intros j. destruct (Z.ltb_spec j 0); [rewrite at_out by lia; lia|].
  rewrite at_skipn by lia. auto.
Qed.

Lemma tail_sticks_all PL PB PR M limit count : all_nonneg PL -> all_nonneg PB -> all_nonneg PR ->
  forall k0 rest, (forall j, (0 <= j)%Z -> at_index rest j = at_index M (j + k0)) -> (0 <= k0)%Z ->
  tail_sticks count PL PB PR rest a b limit = true ->
  forall k, (k0 <= k < k0 + Z.of_nat count)%Z ->
  let row off i := IZR (at_index M (i + k + off)) in
  wsum 0 (length PB) (fun i => Rmax 0 (IZR (at_index PB i) - row (Z.of_nat (length PL)) i)) * IZR (b - a)
  + (wsum 0 (length PL) (fun i => Rmax 0 (IZR (at_index PL i) - row 0%Z i))
     + wsum 0 (length PR) (fun i => Rmax 0 (IZR (at_index PR i) - row (Z.of_nat (length PL) + Z.of_nat (length PB))%Z i))) * IZR b
  <= IZR limit.
Proof.
  intros HL HB HR. induction count; intros k0 rest Hrest Hk0 H k Hk row; [lia|].
  cbn [tail_sticks] in H.
  pose proof (cut_sum PL rest 0 HL) as S1. pose proof (cut_rest PL rest 0) as R1.
  destruct (cut PL rest 0) as [oL r1]. cbn [fst snd] in *.
  pose proof (cut_sum PB r1 0 HB) as S2. pose proof (cut_rest PB r1 0) as R2.
  destruct (cut PB r1 0) as [bd r2]. cbn [fst snd] in *.
  pose proof (cut_sum PR r2 oL HR) as S3. destruct (cut PR r2 oL) as [o r3]. cbn [fst snd] in *.
  destruct (Z.leb_spec (bd * (b - a) + o * b) limit); [|discriminate].
  destruct (Z.eq_dec k k0) as [->|Hne].
  - apply IZR_le in H0. rewrite plus_IZR, !mult_IZR in H0. eapply Rle_trans; [|exact H0].
    assert (E1 : wsum 0 (length PL) (fun i => Rmax 0 (IZR (at_index PL i) - row 0%Z i)) = IZR oL).
    { rewrite S1, Rplus_0_l. apply wsum_ext. intros i Hi. unfold gap, row. rewrite Hrest by lia. do 4 f_equal. lia. }
    assert (E2 : wsum 0 (length PB) (fun i => Rmax 0 (IZR (at_index PB i) - row (Z.of_nat (length PL)) i)) = IZR bd).
    { rewrite S2, Rplus_0_l. apply wsum_ext. intros i Hi. unfold gap, row. rewrite R1, Hrest by lia. do 4 f_equal. lia. }
    assert (E3 : wsum 0 (length PR) (fun i => Rmax 0 (IZR (at_index PR i) - row (Z.of_nat (length PL) + Z.of_nat (length PB))%Z i)) = IZR o - IZR oL).
    { rewrite S3. replace (IZR oL + wsum 0 (length PR) (gap PR r2) - IZR oL) with (wsum 0 (length PR) (gap PR r2)) by ring.
      apply wsum_ext. intros i Hi. unfold gap, row. rewrite R2, R1, Hrest by lia. do 4 f_equal. lia. }
    rewrite E1, E2, E3. right. ring.
  - apply (IHcount (k0 + 1)%Z (tl rest)); auto; try lia. intros j Hj. rewrite at_tl, Hrest by lia. f_equal. lia.
Qed.

Lemma tail_private_sound k top bottom limit E : tail_private k n ws a b top bottom limit = true ->
  (0 < bottom)%Z -> (0 <= top)%Z -> IZR top / IZR bottom <= E ->
  0 <= IZR limit / IZR (bottom * (b * b * (b - a))) /\
  forall m, (Z.abs m <= k)%Z -> forall lo N,
    wsum lo N (fun c => Rmax 0 (W c - E * W (c - m)%Z)) <= IZR limit / IZR (bottom * (b * b * (b - a))).
Proof.
  unfold tail_private. fold nn. rewrite !andb_true_iff, !Z.leb_le. intros [[Hk Hl] H] Hb Ht HE.
  destruct tail_facts as (Hn & [Ha Hab] & Hw & Hnn & Hle). pose proof rho_unit as Hr.
  assert (Hbr : 0 < IZR bottom) by (apply IZR_lt; auto). assert (Hb' : 0 < IZR b) by (apply IZR_lt; lia).
  assert (Hba : 0 < IZR (b - a)) by (apply IZR_lt; lia).
  assert (HE0 : 0 <= E) by (eapply Rle_trans; [|exact HE]; apply Rmult_le_pos; [apply IZR_le; auto | left; apply Rinv_0_lt_compat; auto]).
  rewrite !mult_IZR. set (unit := IZR bottom * (IZR b * IZR b * IZR (b - a))).
  assert (Hu : 0 < unit) by (unfold unit; repeat apply Rmult_lt_0_compat; auto).
  split; [apply IZR_le in Hl; apply Rmult_le_pos; auto; left; apply Rinv_0_lt_compat; auto|].
  intros m Hm lo N. set (f := fun c => Rmax 0 (W c - E * W (c - m)%Z)).
  assert (Hf : forall c, 0 <= f c) by (intros; apply Rmax_l).
  eapply Rle_trans; [apply (geometric_window rho nn ltac:(lra) f first (first + len) ltac:(lia) ltac:(lia) Hf)|].
  { intros c Hc. unfold f. rewrite tailed_step_right by auto.
    replace (c + Z.of_nat nn - m)%Z with (c - m + n)%Z by lia. rewrite (tailed_right (c - m + n)) by lia.
    replace (c - m + n - n)%Z with (c - m)%Z by lia. rewrite <- RmaxRmult by lra. rewrite Rmult_0_r. f_equal. ring. }
  { intros c Hc. unfold f. rewrite tailed_step_left by auto.
    replace (c - Z.of_nat nn - m)%Z with (c - m - n)%Z by lia. rewrite (tailed_left (c - m - n)) by lia.
    replace (c - m - n + n)%Z with (c - m)%Z by lia. rewrite <- RmaxRmult by lra. rewrite Rmult_0_r. f_equal. ring. }
  set (left := firstn nn ws) in *. set (right := skipn (length ws - nn) ws) in *.
  set (M := map (Z.mul top) (extended ws nn a b)) in *.
  assert (Hp1 : (0 <= bottom * (a * b))%Z) by (repeat apply Z.mul_nonneg_nonneg; lia).
  assert (Hp2 : (0 <= bottom * (b * b))%Z) by (repeat apply Z.mul_nonneg_nonneg; lia).
  pose proof (tail_sticks_all _ _ _ M limit (2 * nn + 1)
    (all_map (bottom * (a * b)) left Hp1 all_firstn) (all_map (bottom * (b * b)) ws Hp2 Hw)
    (all_map (bottom * (a * b)) right Hp1 all_skipn) 0%Z M ltac:(intros; f_equal; lia) ltac:(lia) H (n - m)%Z ltac:(lia)) as K.
  cbv zeta in K. rewrite !map_length in K. unfold left, right in K. rewrite left_length, right_length in K. fold left right in K.
  (* M at the cell c - m *)
  assert (HM : forall j, (- n <= j < len + n)%Z -> IZR (at_index M (j - m + 2 * n)) = IZR top * (IZR b * IZR b * W (first + j - m)%Z)).
  { intros j Hj. unfold M. rewrite at_map, mult_IZR. rewrite extended_at by lia. do 3 f_equal. lia. }
  (* unit of f *)
  assert (Hone : forall p c, p = IZR bottom * (IZR b * IZR b * W c) ->
     IZR bottom * (IZR b * IZR b) * f c <= Rmax 0 (p - IZR top * (IZR b * IZR b * W (c - m)%Z))).
  { intros p c ->. unfold f. assert (0 <= IZR b * IZR b) by (apply Rmult_le_pos; lra).
    rewrite <- RmaxRmult by (apply Rmult_le_pos; lra). rewrite Rmult_0_r. apply Rle_max_compat_l.
    pose proof (tailed_nonneg (c - m)).
    assert (IZR top <= IZR bottom * E).
    { apply Rmult_le_reg_r with (/ IZR bottom); [apply Rinv_0_lt_compat; auto|].
      replace (IZR bottom * E * / IZR bottom) with E by (field; lra). exact HE. }
    assert (IZR top * (IZR b * IZR b * W (c - m)%Z) <= IZR bottom * E * (IZR b * IZR b * W (c - m)%Z)).
    { apply Rmult_le_compat_r; auto. apply Rmult_le_pos; auto. }
    lra. }
  assert (Hab' : IZR a = rho * IZR b) by (unfold rho, ratio; simpl; field; lra).
  set (v := IZR bottom * (IZR b * IZR b)) in *.
  assert (KL : v * wsum (first - Z.of_nat nn) nn f <= wsum 0 nn (fun i => Rmax 0 (IZR (at_index (map (Z.mul (bottom * (a * b))) left) i) - IZR (at_index M (i + (n - m) + 0))))).
  { rewrite <- wsum_scale. replace (first - Z.of_nat nn)%Z with (0 + (first - n))%Z by lia. rewrite <- wsum_shift.
    apply wsum_le. intros i Hi. replace (i + (n - m) + 0)%Z with (i - n - m + 2 * n)%Z by lia. rewrite HM by lia.
    replace (first + (i - n) - m)%Z with (i + (first - n) - m)%Z by lia. apply Hone.
    rewrite Z.add_comm, left_period, at_map, !mult_IZR by lia. rewrite Hab'. unfold left. ring. }
  assert (KB : v * wsum first (Z.to_nat (first + len - first)) f <= wsum 0 (length ws) (fun i => Rmax 0 (IZR (at_index (map (Z.mul (bottom * (b * b))) ws) i) - IZR (at_index M (i + (n - m) + Z.of_nat nn))))).
  { rewrite <- wsum_scale. replace (Z.to_nat (first + len - first)) with (length ws) by (unfold len; lia).
    replace first with (0 + first)%Z at 1 by lia. rewrite <- wsum_shift.
    apply wsum_le. intros i Hi. replace (i + (n - m) + Z.of_nat nn)%Z with (i - m + 2 * n)%Z by lia. rewrite HM by (unfold len; lia).
    replace (first + i - m)%Z with (i + first - m)%Z by lia. apply Hone.
    rewrite (Z.add_comm i), tailed_body, at_map, !mult_IZR by (unfold len; lia). ring. }
  assert (KR : v * wsum (first + len) nn f <= wsum 0 nn (fun i => Rmax 0 (IZR (at_index (map (Z.mul (bottom * (a * b))) right) i) - IZR (at_index M (i + (n - m) + (Z.of_nat nn + Z.of_nat (length ws))))))).
  { rewrite <- wsum_scale. replace (first + len)%Z with (0 + (first + len))%Z at 1 by lia. rewrite <- wsum_shift.
    apply wsum_le. intros i Hi. replace (i + (n - m) + (Z.of_nat nn + Z.of_nat (length ws)))%Z with (len + i - m + 2 * n)%Z by (unfold len; lia).
    rewrite HM by lia. replace (first + (len + i) - m)%Z with (i + (first + len) - m)%Z by lia. apply Hone.
    rewrite Z.add_comm, right_period, at_map, !mult_IZR by lia. rewrite Hab'. unfold right. ring. }
  set (TL := wsum (first - Z.of_nat nn) nn f) in *. set (TB := wsum first _ f) in *. set (TR := wsum (first + len) nn f) in *.
  apply Rmult_le_reg_l with unit; auto.
  replace (unit * (IZR limit / unit)) with (IZR limit) by (field; lra).
  eapply Rle_trans; [|exact K].
  assert (Hbma : IZR (b - a) = IZR b * (1 - rho)) by (rewrite minus_IZR, Hab'; ring).
  replace (unit * (TL / (1 - rho) + TB + TR / (1 - rho))) with (v * TB * IZR (b - a) + (v * TL + v * TR) * IZR b)
    by (unfold unit; fold v; rewrite Hbma; unfold v; field; lra).
  apply Rplus_le_compat; [apply Rmult_le_compat_r; lra|]. apply Rmult_le_compat_r; lra.
Qed.

(* the cost *)
Lemma copies_ok g x vs (al be ga : Z) : (0 <= al)%Z -> (0 <= be)%Z -> (forall c, (x <= c)%Z -> (0 <= al * c * c + be * c + ga)%Z) -> (1 <= x)%Z ->
  length vs = nn -> all_nonneg vs -> (forall c, 0 <= g c) ->
  (forall u, (0 <= u < n)%Z -> g (x + u)%Z = rho * IZR (at_index vs u)) ->
  (forall c, (x <= c)%Z -> g (c + Z.of_nat nn)%Z = rho * g c) ->
  forall K, wsum x (K * nn) (fun c => g c * IZR (al * c * c + be * c + ga)) <=
    IZR (copies vs x n a b al be ga) / IZR ((b - a) * (b - a) * (b - a)).
Proof.
  intros Hal Hbe Hga Hx Hlen Hvs Hg Hbase Hstep K. pose proof rho_unit as Hr.
  destruct tail_facts as (Hn & [Ha Hab] & _ & Hnn & _).
  rewrite (wsum_ext _ _ _ (fun c => g c * (IZR al * IZR c * IZR c + IZR be * IZR c + IZR ga))) by
    (intros; rewrite !plus_IZR, !mult_IZR; reflexivity).
  apply IZR_le in Hal as Hal', Hbe as Hbe'.
  assert (Hpos : forall c, (x <= c)%Z -> 0 <= IZR al * IZR c * IZR c + IZR be * IZR c + IZR ga).
  { intros c Hc. specialize (Hga c Hc). apply IZR_le in Hga. rewrite !plus_IZR, !mult_IZR in Hga. exact Hga. }
  eapply Rle_trans; [apply (copies_bound rho nn ltac:(lra) (IZR al) (IZR be) (IZR ga) Hal' Hbe' g Hg K x Hx Hpos Hstep)|].
  assert (HN : INR nn = IZR n) by (rewrite INR_IZR_INZ, Hnn; reflexivity). rewrite HN.
  assert (S : forall (F : Z -> Z), wsum x nn (fun c => g c * IZR (F c)) = rho * IZR (zdot F vs x 0)).
  { intros F. rewrite zdot_sum, Rplus_0_l, Hlen, <- wsum_scale.
    replace x with (0 + x)%Z at 1 by lia. rewrite <- wsum_shift. apply wsum_ext. intros i Hi.
    rewrite (Z.add_comm i), Hbase by lia. ring. }
  replace (wsum x nn (fun c => g c * (IZR al * IZR c * IZR c + IZR be * IZR c + IZR ga))) with
    (rho * IZR (zdot (fun c => al * c * c + be * c + ga)%Z vs x 0)).
  2:{ rewrite <- S. apply wsum_ext. intros. rewrite !plus_IZR, !mult_IZR. reflexivity. }
  replace (wsum x nn (fun c => g c * (IZR n * (2 * IZR al * IZR c + IZR be)))) with
    (rho * IZR (zdot (fun c => n * (2 * al * c + be))%Z vs x 0)).
  2:{ rewrite <- S. apply wsum_ext. intros. rewrite mult_IZR, plus_IZR, !mult_IZR. reflexivity. }
  replace (wsum x nn g) with (rho * IZR (total vs 0)).
  2:{ rewrite <- total_sum, Hlen, <- wsum_scale. replace x with (0 + x)%Z at 1 by lia. rewrite <- wsum_shift.
      apply wsum_ext. intros i Hi. rewrite (Z.add_comm i), Hbase by lia. reflexivity. }
  unfold copies. set (Z0 := zdot _ vs x 0). set (Z1 := zdot (fun c => n * (2 * al * c + be))%Z vs x 0). set (Z2 := total vs 0).
  rewrite !plus_IZR, !mult_IZR, !plus_IZR, !minus_IZR. unfold moments, rho, ratio. simpl fst; simpl snd.
  assert (0 < IZR a < IZR b) by (split; apply IZR_lt; lia). right. field. lra.
Qed.

Lemma tailed_loss (K : Z -> Z) ar br gr al bl gl : (0 <= ar)%Z -> (0 <= br)%Z -> (0 <= al)%Z -> (0 <= bl)%Z ->
  (first <= 0)%Z -> (1 <= first + len)%Z -> (forall c, (0 <= K c)%Z) ->
  (forall c, (first + len <= c)%Z -> K c = (ar * c * c + br * c + gr)%Z) ->
  (forall c, (1 - first <= c)%Z -> K (- c)%Z = (al * c * c + bl * c + gl)%Z) ->
  forall lo m, wsum lo m (fun c => W c * IZR (K c)) <=
    IZR (tail_cost first n ws a b K ar br gr al bl gl) / IZR ((b - a) * (b - a) * (b - a)).
Proof.
  intros Har Hbr Hal Hbl Hf1 Hf2 HK HR HL lo m. pose proof rho_unit as Hr.
  destruct tail_facts as (Hn & [Ha Hab] & Hw & Hnn & Hle).
  set (f := fun c => W c * IZR (K c)).
  assert (Hf : forall c, 0 <= f c) by (intros; apply Rmult_le_pos; [apply tailed_nonneg | apply IZR_le; auto]).
  set (k := Z.to_nat (Z.abs first + len + Z.abs lo + Z.of_nat m)).
  assert (Hk : (Z.of_nat k <= Z.of_nat (k * nn))%Z) by nia.
  apply Rle_trans with (wsum (first - Z.of_nat (k * nn)) (k * nn + (length ws + k * nn)) f).
  { apply wsum_within; auto; unfold len in *; lia. }
  rewrite !wsum_split. replace (first - Z.of_nat (k * nn) + Z.of_nat (k * nn))%Z with first by lia. fold len.
  assert (B : wsum first (length ws) f = IZR (zdot K ws first 0)).
  { rewrite zdot_sum, Rplus_0_l. replace first with (0 + first)%Z at 1 by lia. rewrite <- wsum_shift.
    apply wsum_ext. intros i Hi. unfold f. rewrite (Z.add_comm i), tailed_body by (unfold len; lia). reflexivity. }
  assert (R : wsum (first + len) (k * nn) f <= IZR (copies (skipn (length ws - nn) ws) (first + len) n a b ar br gr) / IZR ((b - a) * (b - a) * (b - a))).
  { rewrite (wsum_ext _ _ f (fun c => W c * IZR (ar * c * c + br * c + gr))) by (intros; unfold f; rewrite HR by lia; reflexivity).
    apply copies_ok; auto using right_length, all_skipn, tailed_nonneg, right_period, tailed_step_right.
    intros c Hc. rewrite <- HR by lia. apply HK. }
  assert (Lf : wsum (first - Z.of_nat (k * nn)) (k * nn) f <= IZR (copies (rev (firstn nn ws)) (1 - first) n a b al bl gl) / IZR ((b - a) * (b - a) * (b - a))).
  { rewrite wsum_reflect. replace (1 - (first - Z.of_nat (k * nn)) - Z.of_nat (k * nn))%Z with (1 - first)%Z by lia.
    rewrite (wsum_ext _ _ _ (fun c => (fun d => W (- d)%Z) c * IZR (al * c * c + bl * c + gl))) by (intros; unfold f; rewrite HL by lia; reflexivity).
    assert (Hrev : forall u, (0 <= u < n)%Z -> at_index (rev (firstn nn ws)) u = at_index (firstn nn ws) (n - 1 - u)).
    { intros u Hu. unfold at_index. destruct (Z.ltb_spec u 0), (Z.ltb_spec (n - 1 - u) 0); try lia.
      rewrite rev_nth by (rewrite left_length; lia). rewrite left_length. f_equal. lia. }
    apply copies_ok; auto; try lia.
    - intros c Hc. rewrite <- HL by lia. apply HK.
    - rewrite rev_length. apply left_length.
    - intros j. destruct (Z.ltb_spec j 0); [rewrite at_out by lia; lia|].
      destruct (Z.ltb_spec j n); [rewrite Hrev by lia; apply all_firstn | rewrite at_out; [lia|rewrite rev_length, left_length; lia]].
    - intros c. apply tailed_nonneg.
    - intros u Hu. rewrite Hrev by lia. rewrite <- left_period by lia. f_equal. lia.
    - intros c Hc. replace (- (c + Z.of_nat nn))%Z with (- c - Z.of_nat nn)%Z by lia. apply tailed_step_left. lia. }
  unfold tail_cost. fold nn len. rewrite B.
  assert (Hd : 0 < IZR ((b - a) * (b - a) * (b - a))) by (apply IZR_lt; repeat apply Z.mul_pos_pos; lia).
  set (d := ((b - a) * (b - a) * (b - a))%Z) in *.
  rewrite !plus_IZR, mult_IZR. unfold Rdiv in *. rewrite !Rmult_plus_distr_r, (Rmult_assoc _ (IZR d)), Rinv_r, Rmult_1_r by lra.
  lra.
Qed.
End Tail.
