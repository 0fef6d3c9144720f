(* Noise of a file whose mean is 0: it is its own mirror image, or it is finite and its sum says so. *)
Require Import Reals ZArith List Bool Lra Lia FunctionalExtensionality.
Require Import Formal.Statements Formal.Laws Formal.Masses Formal.Lists Formal.Cells Formal.Tail Formal.Mesh Formal.Costs Formal.Shape Formal.Demands.
Import ListNotations.
Open Scope Z_scope.

(* ---- what is computed ---- *)
(* six times the sum of weight times grid point, in some unit *)
Definition itself : costs := {| base := Quad 0 1 0; turns := [] |}.
Definition noise_centred (f : file) : bool := noise_even f || match noise f with
  | Lattice first ws => zdot (cell_cost itself (grid f)) ws first 0 =? 0
  | Tailed _ _ _ _ => false
  | Mesh edges ws => let marks := map (mark (grid f)) edges in
      mesh_total (fun a b d => d * (running_half itself b - running_half itself a)) marks (densities (common marks 1) marks ws) =? 0
  end.

Open Scope R_scope.
Lemma itself_at j : at_point itself j = j.
Proof. unfold at_point, itself, at_quad. cbn [base turns at_turns qa qb qc]. lia. Qed.
Lemma wsum_around lo n a m f : (forall i, (i < a \/ a + Z.of_nat m <= i)%Z -> f i = 0) -> (lo <= a)%Z -> (a + Z.of_nat m <= lo + Z.of_nat n)%Z -> wsum lo n f = wsum a m f.
Proof.
  intros H0 H1 H2. replace n with (Z.to_nat (a - lo) + (m + Z.to_nat (lo + Z.of_nat n - (a + Z.of_nat m))))%nat by lia. rewrite !wsum_split.
  rewrite (wsum_zero (Z.to_nat (a - lo)) lo) by (intros; apply H0; lia). replace (lo + Z.of_nat (Z.to_nat (a - lo)))%Z with a by lia.
  rewrite (wsum_zero _ (a + Z.of_nat m)) by (intros; apply H0; lia). ring.
Qed.
(* sums over symmetric windows decide *)
Lemma masses_centred (X : zlaw) p K : has_masses X p -> distribution p ->
  (forall n M, (K <= n)%nat -> INR K <= M -> wsum (- Z.of_nat n) (2 * n + 1) (fun i => cut_off M (IZR i) * p i) = 0) -> centred IZR X.
Proof.
  intros HX Hp H e He. exists (INR K). intros M HM. pose proof (pos_INR K).
  assert (Hle : forall s, s = 1 \/ s = -1 -> mean X (fun i => s * cut_off M (IZR i)) <= 0).
  { intros s Hs. apply le_epsilon. intros e' He'. destruct Hp as (Hp0 & _ & Hpe).
    destruct (Hpe (e' / (M + 1))) as (lo & m & Hw); [apply Rmult_lt_0_compat; auto; apply Rinv_0_lt_compat; lra|].
    set (n := (K + Z.to_nat (Z.abs lo) + m)%nat).
    pose proof (window_above X p HX (- Z.of_nat n) (2 * n + 1) (fun i => s * cut_off M (IZR i)) M) as W.
    assert (Hb : forall i, Rabs (s * cut_off M (IZR i)) <= M).
    { intros i. pose proof (cut_bounded M (IZR i) ltac:(lra)) as C. rewrite Rabs_mult. destruct Hs as [-> | ->]; [rewrite Rabs_R1|rewrite Rabs_left by lra]; lra. }
    specialize (W Hb). rewrite (wsum_ext _ _ _ (fun i => s * (cut_off M (IZR i) * p i))) in W by (intros; ring).
    rewrite wsum_scale, H in W by (auto; unfold n; lia).
    assert (wsum lo m p <= wsum (- Z.of_nat n) (2 * n + 1) p).
    { apply wsum_within; [apply Hp0|..]; unfold n; lia. }
    assert (M * (1 - wsum (- Z.of_nat n) (2 * n + 1) p) <= M * (e' / (M + 1))) by (apply Rmult_le_compat_l; lra).
    assert (M * (e' / (M + 1)) <= e').
    { apply Rmult_le_reg_r with (M + 1); [lra|]. replace (M * (e' / (M + 1)) * (M + 1)) with (M * e') by (field; lra). lra. }
    lra. }
  assert (G : good Z Z Z.add (fun _ => True) X (fun i => cut_off M (IZR i))) by (split; [apply meas_basic; exact I | exists M; intros; apply cut_bounded; lra]).
  pose proof (Hle 1 ltac:(auto)) as A. pose proof (Hle (-1) ltac:(auto)) as B. unfold mean in A, B. rewrite (ex_times Z Z Z.add (fun _ => True) X) in A, B by auto.
  assert (E : ex X (fun x => cut_off M (IZR x)) = 0) by lra. rewrite E, Rabs_R0. lra.
Qed.

Section Noise.
Variable f : file.
Hypothesis Hr : (0 < grid f)%Z.
Hypothesis Hp : distribution (mass f).
Hypothesis Hden : 0 < IZR (denominator f).
Notation q := (half_step (noise f) (grid f)).
Lemma even_centred (X : zlaw) : has_masses X (mass f) -> (forall i, mass f (- i) = mass f i) -> centred IZR X.
Proof.
  intros HX He. apply (masses_centred X (mass f) 0); auto. intros n M _ HM. cbn [INR] in HM.
  set (g := fun i => cut_off M (IZR i) * mass f i). pose proof (wsum_reflect (2 * n + 1) (- Z.of_nat n) g) as R.
  replace (1 - - Z.of_nat n - Z.of_nat (2 * n + 1))%Z with (- Z.of_nat n)%Z in R by lia.
  rewrite (wsum_ext _ _ (fun c => g (- c)%Z) (fun c => -1 * g c)) in R.
  - rewrite wsum_scale in R. lra.
  - intros i _. unfold g. rewrite He, opp_IZR. replace (cut_off M (- IZR i)) with (- cut_off M (IZR i)); [ring|].
    unfold cut_off, Rmax, Rmin. repeat destruct Rle_dec; lra.
Qed.
(* finite noise: half steps A, ..., B - 1 *)
Lemma finite_centred (X : zlaw) A B : has_masses X (mass f) -> (A <= B)%Z -> (forall h, (h < A \/ B <= h)%Z -> q h = 0) ->
  wsum A (Z.to_nat (B - A)) (fun h => q h * (6 * IZR ((h + 1) / 2))) = 0 -> centred IZR X.
Proof.
  intros HX HAB H0 Hsum. set (K := (Z.to_nat (Z.abs A) + Z.to_nat (Z.abs B) + 1)%nat).
  assert (Hout : forall i, (Z.of_nat K < Z.abs i)%Z -> mass f i = 0).
  { intros i Hi. unfold mass. rewrite !H0 by (unfold K in *; lia). destruct (Z.eqb_spec i 0); [lia|]. unfold Rdiv. ring. }
  apply (masses_centred X (mass f) K); auto. intros n M Hn HM.
  rewrite (wsum_ext _ _ _ (fun i => IZR i * mass f i)).
  2:{ intros i _. destruct (Z_lt_ge_dec (Z.of_nat K) (Z.abs i)) as [Hi|Hi]; [rewrite Hout by auto; ring|]. f_equal.
      assert (Rabs (IZR i) <= M) by (rewrite <- abs_IZR; eapply Rle_trans; [|exact HM]; rewrite INR_IZR_INZ; apply IZR_le; lia).
      unfold cut_off. unfold Rabs in H. destruct Rcase_abs in H; rewrite Rmin_right, Rmax_right by lra; reflexivity. }
  set (g := fun h => q h * (6 * IZR ((h + 1) / 2))) in *.
  rewrite (wsum_ext _ _ _ (fun i => / (6 * IZR (denominator f)) * (g (2 * i - 1)%Z + g (2 * i)%Z))).
  - rewrite wsum_scale, wsum_pairs. rewrite (wsum_around _ _ A (Z.to_nat (B - A)) g); [rewrite Hsum; ring| |unfold K in *; lia..].
    intros h Hh. unfold g. rewrite H0 by lia. ring.
  - intros i _. unfold g. replace ((2 * i - 1 + 1) / 2)%Z with i by (replace (2 * i - 1 + 1)%Z with (i * 2)%Z by lia; rewrite Z.div_mul; lia).
    replace ((2 * i + 1) / 2)%Z with i by (replace (2 * i + 1)%Z with (1 + i * 2)%Z by lia; rewrite Z.div_add by lia; simpl; lia).
    unfold mass. destruct (Z.eqb_spec i 0) as [->|]; field; lra.
Qed.
(* the sum over whole cells *)
Lemma lattice_sum first ws : let W := plain_weight first ws in let r := grid f in let N := (2 * r)%Z in
  wsum (first * N - r) (length ws * Z.to_nat N) (fun h => spread W r h * (6 * IZR ((h + 1) / 2))) = IZR (zdot (cell_cost itself r) ws first 0) / IZR N.
Proof.
  intros W r N. assert (HN : (0 < N)%Z) by (unfold N, r; lia). assert (Hnat : Z.of_nat (Z.to_nat N) = N) by lia. assert (HNr : 0 < IZR N) by (apply IZR_lt; auto).
  set (g := fun h => spread W r h * (6 * IZR ((h + 1) / 2))).
  replace (first * N - r)%Z with (first * Z.of_nat (Z.to_nat N) + - r)%Z by lia. rewrite <- (wsum_shift _ (- r) _ g), <- wsum_rows, zdot_sum, Rplus_0_l.
  replace first with (0 + first)%Z at 1 by lia. rewrite <- (wsum_shift _ first). unfold Rdiv. rewrite (Rmult_comm _ (/ IZR N)), <- wsum_scale. apply wsum_ext. intros j _. rewrite Hnat.
  rewrite (wsum_shift _ (- r) _ g). set (c := (j + first)%Z). unfold g. rewrite (wsum_ext _ _ _ (fun h => W c / IZR N * (IZR (running_half itself (h + 1)) - IZR (running_half itself h)))).
  - rewrite wsum_scale, (wsum_telescope _ (fun h => IZR (running_half itself h))), Hnat. unfold W, plain_weight.
    replace (c - first)%Z with j by (unfold c; lia). unfold cell_cost. replace (first + j)%Z with c by (unfold c; lia). rewrite minus_IZR.
    replace (c * N + - r + N)%Z with ((2 * c + 1) * r)%Z by (unfold N; ring). replace (c * N + - r)%Z with ((2 * c - 1) * r)%Z by (unfold N; ring). field. lra.
  - intros h Hh. rewrite Hnat in Hh. unfold spread. fold N. replace (h + r)%Z with (c * N + (h + r - c * N))%Z by lia.
    replace ((c * N + (h + r - c * N)) / N)%Z with c by (rewrite Z.add_comm, Z.div_add, Z.div_small by lia; lia).
    rewrite <- minus_IZR, <- running_half_step, itself_at, mult_IZR. reflexivity.
Qed.
Lemma mesh_sum_exact L marks ws : (0 < L)%Z -> mesh_ok L marks ws = true -> let ds := densities L marks ws in
  wsum (hd 0%Z marks) (Z.to_nat (last marks 0%Z - hd 0%Z marks)) (fun h => mesh_weight marks ws h * (6 * IZR ((h + 1) / 2)))
  = IZR (mesh_total (fun a b d => d * (running_half itself b - running_half itself a))%Z marks ds) / IZR L /\ (hd 0 marks <= last marks 0)%Z.
Proof.
  intros HL Hm ds. pose proof (Mesh.rises L HL marks ws Hm) as Hri. fold ds in Hri. apply IZR_lt in HL as RL.
  set (g := fun h => IZR (dz marks ds h) * (6 * IZR ((h + 1) / 2))).
  assert (Hcell : forall s a b d, (a < b)%Z -> (forall h, (a <= h < b)%Z -> dz marks ds h = d) ->
    wsum a (Z.to_nat (b - a)) (fun h => s * g h) = s * IZR (d * (running_half itself b - running_half itself a))).
  { intros s a b d Hab Hd. rewrite wsum_scale. f_equal. rewrite (wsum_ext _ _ _ (fun h => IZR d * (IZR (running_half itself (h + 1)) - IZR (running_half itself h)))).
    - rewrite wsum_scale, (wsum_telescope _ (fun h => IZR (running_half itself h))), mult_IZR, minus_IZR. do 3 f_equal. f_equal. lia.
    - intros h Hh. unfold g. rewrite Hd by lia. rewrite <- minus_IZR, <- running_half_step, itself_at, mult_IZR. reflexivity. }
  destruct (mesh_sum (fun h => 1 * g h) (fun a b d => d * (running_half itself b - running_half itself a))%Z (dz marks ds) marks ds Hri ltac:(auto)) as [U U'].
  { intros a b d Hab _ Hd. rewrite (Hcell 1 a b d Hab Hd). lra. }
  destruct (mesh_sum (fun h => -1 * g h) (fun a b d => - (d * (running_half itself b - running_half itself a)))%Z (dz marks ds) marks ds Hri ltac:(auto)) as [V _].
  { intros a b d Hab _ Hd. rewrite (Hcell (-1) a b d Hab Hd), opp_IZR. lra. }
  rewrite wsum_scale in U, V. rewrite mesh_total_opp, opp_IZR in V. split; auto.
  rewrite (wsum_ext _ _ _ (fun h => / IZR L * g h)).
  - rewrite wsum_scale. unfold Rdiv. rewrite (Rmult_comm _ (/ IZR L)). f_equal. lra.
  - intros h _. unfold g. rewrite (ok_density marks ws L HL Hm). fold ds. field. lra.
Qed.
Hypothesis Hcells : match noise f with
  | Lattice _ _ => True
  | Tailed _ ws n (a, b) => tail_ok n ws a b = true
  | Mesh edges ws => let marks := map (mark (grid f)) edges in (0 < common marks 1)%Z /\ mesh_ok (common marks 1) marks ws = true end.
Theorem noise_centred_ok : noise_centred f = true -> (noise_even f = true -> forall i, mass f (- i) = mass f i) ->
  forall X : zlaw, has_masses X (mass f) -> centred IZR X.
Proof.
  unfold noise_centred. rewrite orb_true_iff. intros [H|H] He X HX; [apply even_centred; auto|]. clear He.
  destruct (noise f) as [first ws|first ws n [a b]|edges ws] eqn:En; [|discriminate|].
  - rewrite Z.eqb_eq in H. pose proof (lattice_sum first ws) as S. cbv zeta in S. rewrite H in S.
    apply (finite_centred X (first * (2 * grid f) - grid f) (first * (2 * grid f) - grid f + Z.of_nat (length ws) * (2 * grid f))); auto; [nia| |].
    + intros h Hh. rewrite En. cbn [half_step]. unfold plain_weight. rewrite at_out; [unfold Rdiv; ring|].
      pose proof (Z.div_mod (h + grid f) (2 * grid f) ltac:(lia)). pose proof (Z.mod_pos_bound (h + grid f) (2 * grid f) ltac:(lia)). nia.
    + rewrite En. cbn [half_step].
      replace (Z.to_nat (first * (2 * grid f) - grid f + Z.of_nat (length ws) * (2 * grid f) - (first * (2 * grid f) - grid f))) with (length ws * Z.to_nat (2 * grid f))%nat by nia.
      etransitivity; [exact S|]. unfold Rdiv. ring.
  - destruct Hcells as [HL Hm]. cbv zeta in H. set (marks := map (mark (grid f)) edges) in *. set (L := common marks 1) in *. rewrite Z.eqb_eq in H.
    destruct (mesh_sum_exact L marks ws HL Hm) as [S S']. rewrite H in S.
    apply (finite_centred X (hd 0%Z marks) (last marks 0%Z)); auto; rewrite En; cbn [half_step]; fold marks.
    + intros h Hh. apply (q_out marks ws L HL Hm). auto.
    + etransitivity; [exact S|]. unfold Rdiv. ring.
Qed.
End Noise.
