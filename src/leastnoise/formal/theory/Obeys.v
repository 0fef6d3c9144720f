(* The noise of a file obeys its constraints. *)
Require Import Reals ZArith QArith Qreals List Bool Lra Lia FunctionalExtensionality.
Require Import Formal.Statements Formal.Laws Formal.Exp Formal.Masses Formal.Lists Formal.Cells Formal.Lattice
  Formal.Tail Formal.Mesh Formal.Lower Formal.Pieces Formal.Costs Formal.Losses Formal.Release Formal.Shape Formal.Peaks Formal.Means
  Formal.Moves Formal.Demands Formal.Computed.
Import ListNotations.
Open Scope R_scope.

(* ---- constraints ---- *)
Lemma within_bounds lo hi i : within lo hi i i = true -> match lo with Some l => (l <= i)%Z | None => True end /\ match hi with Some h => (i <= h)%Z | None => True end.
Proof. unfold within. rewrite andb_true_iff. destruct lo, hi; rewrite ?Z.leb_le; tauto. Qed.
Lemma noise_even_mass f : noise_ok f = true -> noise_even f = true -> forall i, mass f (- i) = mass f i.
Proof.
  intros Hn H. destruct (basics f Hn) as (_ & _ & Hg). apply mass_even. intros h. unfold noise_ok in Hn. rewrite !andb_true_iff in Hn. destruct Hn as [_ Hn].
  unfold noise_even in H. destruct (noise f) as [first ws|first ws n [a b]|edges ws]; cbn [half_step].
  - rewrite even_cell by auto. rewrite plain_even by auto. reflexivity.
  - rewrite andb_true_iff, Z.eqb_eq in H. destruct H as [H1 H2]. apply same_eq in H2. rewrite !andb_true_iff in Hn. destruct Hn as [[[[Ht _] _] _] _].
    rewrite even_cell by auto. rewrite (tailed_even first n a b ws Ht H1 H2 (Z.to_nat (Z.abs ((h + grid f) / (2 * grid f))))) by lia. reflexivity.
  - rewrite andb_true_iff in H. destruct H as [H1 H2]. apply same_eq in H1, H2. rewrite !andb_true_iff in Hn. destruct Hn as [[[_ _] Hm] _].
    fold (marks_of (grid f) edges) in *. rewrite !(mesh_weight_sum _ _ _ _ Hm). rewrite <- (mesh_sum_mirror _ ws h) by (apply (mesh_lengths _ _ _ Hm)).
    rewrite H1, H2. reflexivity.
Qed.
Lemma grid_length_facts f : noise_ok f = true -> positive (step f) = true -> let g := grid_length f in
  0 < ratio g /\ (0 < fst g)%Z /\ (0 < snd g)%Z /\ ratio g = match the_kind f with Integer => 1 | Additive => ratio (step f) / IZR (grid f) end.
Proof.
  intros Hn Hp. destruct (basics f Hn) as (_ & _ & Hg). unfold positive in Hp. rewrite andb_true_iff, !Z.ltb_lt in Hp. destruct Hp as [P1 P2].
  unfold grid_length. destruct (the_kind f); cbv zeta; unfold ratio; cbn [fst snd].
  - repeat split; try lia; lra || field.
  - apply IZR_lt in P1 as R1, P2 as R2, Hg as R3. rewrite mult_IZR. repeat split; auto; try (apply Z.mul_pos_pos; auto).
    + apply Rmult_lt_0_compat; auto. apply Rinv_0_lt_compat. apply Rmult_lt_0_compat; auto.
    + field. lra.
Qed.
Lemma period_seen f : noise_ok f = true -> period_ok f.
Proof.
  unfold noise_ok, period_ok. rewrite !andb_true_iff. intros [_ H]. destruct (noise f) as [first ws|first ws n [a b]|edges ws]; auto.
  rewrite !andb_true_iff in H. destruct (tail_facts n a b ws) as (Hn & _); [apply H|]. exact Hn.
Qed.
(* points of a lattice u between ends that are rounded inwards *)
Lemma between_ends low high u i j : sound_end low = true -> sound_end high = true -> 0 < ratio u -> (0 < fst u)%Z -> (0 < snd u)%Z -> (i <= j)%Z ->
  within (option_map (fun q => divide_up q u) low) (option_map (fun q => divide_down q u) high) i j = true ->
  allowed (Support low high) (IZR i * ratio u) /\ allowed (Support low high) (IZR j * ratio u).
Proof.
  intros S1 S2 G0 G1 G2 Hij H. unfold within in H. rewrite andb_true_iff in H. destruct H as [B1 B2]. apply IZR_le in Hij.
  assert (L : match low with Some q => ratio q <= IZR i * ratio u | None => True end).
  { destruct low as [q|]; auto. cbn [option_map sound_end] in *. rewrite Z.leb_le in B1. destruct (divide_exact q u S1 G0 G1 G2) as (_ & D & _).
    eapply Rle_trans; [exact D|]. apply Rmult_le_compat_r; [lra|]. apply IZR_le; auto. }
  assert (U : match high with Some q => IZR j * ratio u <= ratio q | None => True end).
  { destruct high as [q|]; auto. cbn [option_map sound_end] in *. rewrite Z.leb_le in B2. destruct (divide_exact q u S2 G0 G1 G2) as (D & _).
    eapply Rle_trans; [|exact D]. apply Rmult_le_compat_r; [lra|]. apply IZR_le; auto. }
  assert (IZR i * ratio u <= IZR j * ratio u) by (apply Rmult_le_compat_r; lra).
  cbn [allowed]. destruct low, high; repeat split; lra.
Qed.
Lemma whole_support f low high : noise_ok f = true -> positive (step f) = true -> the_kind f = Integer -> demand_ok f (Support low high) = true ->
  whole_obeys f (Support low high).
Proof.
  intros Hn Hp Hk H i Hi. destruct (basics f Hn) as (_ & _ & Hg). destruct (grid_length_facts f Hn Hp) as (G0 & G1 & G2 & G). rewrite Hk in G.
  cbn [demand_ok] in H. rewrite Hk in H. cbv zeta in H. rewrite !andb_true_iff in H. destruct H as [[S1 S2] H].
  destruct (between_ends low high _ i i S1 S2 G0 G1 G2 ltac:(lia) (mass_inside f _ _ i Hg (period_seen f Hn) H Hi)) as [K _]. rewrite G, Rmult_1_r in K. exact K.
Qed.
Lemma real_support f low high : noise_ok f = true -> positive (step f) = true -> the_kind f = Additive -> demand_ok f (Support low high) = true ->
  real_obeys f (Support low high).
Proof.
  intros Hn Hp Hk H. destruct (basics f Hn) as (_ & _ & Hg). destruct (grid_length_facts f Hn Hp) as (G0 & G1 & G2 & G). rewrite Hk in G.
  cbn [demand_ok] in H. rewrite Hk in H. cbv zeta in H. rewrite !andb_true_iff in H. destruct H as [[S1 S2] H].
  set (half := (fst (grid_length f), 2 * snd (grid_length f))%Z) in *. unfold real_obeys. rewrite <- G.
  assert (Eh : ratio half = ratio (grid_length f) / 2).
  { unfold half, ratio. cbn [fst snd]. rewrite mult_IZR. field. apply IZR_lt in G2. lra. }
  assert (Ph : 0 < ratio half) by lra. assert (Sh : (0 < snd half)%Z) by (unfold half; cbn [snd]; lia). rewrite <- Eh. split.
  - intros Ha. pose proof H as H'. unfold noise_inside in H'. rewrite andb_true_iff, orb_true_iff, Z.eqb_eq in H'. destruct H' as [[A|A] _]; [lia|].
    destruct (between_ends low high half 0 0 S1 S2 Ph G1 Sh ltac:(lia) A) as [K _]. rewrite Rmult_0_l in K. exact K.
  - intros h Hh. apply (between_ends low high half h (h + 1) S1 S2 Ph G1 Sh ltac:(lia)). exact (half_inside true f _ _ h Hg (period_seen f Hn) H Hh).
Qed.
Lemma max_error_holds f t : noise_ok f = true -> positive (step f) = true -> demand_ok f (MaxError t) = true ->
  forall i, mass f i <> 0 -> Rabs (IZR i) * ratio (grid_length f) + match the_kind f with Integer => 0 | Additive => ratio (grid_length f) end <= ratio t.
Proof.
  intros Hn Hp H i Hi. destruct (basics f Hn) as (_ & _ & Hg). destruct (grid_length_facts f Hn Hp) as (G0 & G1 & G2 & _).
  cbn [demand_ok] in H. rewrite andb_true_iff in H. destruct H as [S1 H]. destruct (within_bounds _ _ _ (mass_inside f _ _ i Hg (period_seen f Hn) H Hi)) as [B1 B2].
  destruct (divide_exact t (grid_length f) S1 G0 G1 G2) as (D & _). eapply Rle_trans; [|exact D]. rewrite <- abs_IZR.
  assert (Hm : (Z.abs i <= match the_kind f with Integer => divide_down t (grid_length f) | Additive => divide_down t (grid_length f) - 1 end)%Z) by lia.
  apply IZR_le in Hm. apply Rmult_le_compat_r with (r := ratio (grid_length f)) in Hm; [|lra]. destruct (the_kind f); [|rewrite minus_IZR in Hm]; lra.
Qed.
(* a function that vanishes where the noise is has mean 0 *)
Lemma mean_vanishes f (X : zlaw) A : noise_ok f = true -> has_masses X (mass f) -> (forall j, A j = 0 \/ A j = 1) -> (forall j, mass f j <> 0 -> A j = 0) -> mean X A = 0.
Proof.
  intros Hn HX H01 H. assert (Hb : bounded A).
  { exists 1. intros j. destruct (H01 j) as [-> | ->]; rewrite Rabs_right; lra. }
  apply Rle_antisym.
  - apply (masses_loss X (mass f) HX (noise_distribution f Hn) A); auto; [|intros; lra]. intros lo n. rewrite (wsum_zero n lo); [lra|].
    intros i _. destruct (Req_dec (mass f i) 0) as [E|E]; [rewrite E; ring | rewrite (H i E); ring].
  - apply (ex_nonneg Z Z Z.add (fun _ => True) X A); [split; auto; apply meas_basic; exact I|]. intros j. destruct (H01 j) as [-> | ->]; lra.
Qed.
(* what the check has seen of the cells *)
Lemma cells_seen f : noise_ok f = true -> match noise f with
  | Lattice _ _ => True
  | Tailed _ ws n (a, b) => tail_ok n ws a b = true
  | Mesh edges ws => let marks := map (mark (grid f)) edges in (0 < common marks 1)%Z /\ mesh_ok (common marks 1) marks ws = true end.
Proof.
  unfold noise_ok. rewrite !andb_true_iff. intros [_ H]. destruct (noise f) as [first ws|first ws n [a b]|edges ws]; auto.
  - rewrite !andb_true_iff in H. apply H.
  - rewrite !andb_true_iff, Z.ltb_lt in H. destruct H as [[[_ H1] H2] _]. split; auto.
Qed.
Lemma whole_peaked f a : noise_ok f = true -> positive (step f) = true -> the_kind f = Integer -> demand_ok f (Unimodal a) = true -> whole_obeys f (Unimodal a).
Proof.
  intros Hn Hp Hk H. destruct (grid_length_facts f Hn Hp) as (G0 & G1 & G2 & G). rewrite Hk in G. destruct (basics f Hn) as (Hden & Hat & Hg).
  cbn [demand_ok] in H. rewrite Hk, !andb_true_iff, orb_true_iff, !Z.eqb_eq in H. destruct H as [[Sa Ha] H]. pose proof (noise_peaked_ok f Hg (cells_seen f Hn) _ _ H) as K.
  destruct (divide_exact a (grid_length f) Sa G0 G1 G2) as (_ & _ & D3 & D4). rewrite G in D3, D4. cbn [whole_obeys]. intros i. unfold mass.
  assert (Hi : 0 < / IZR (denominator f)) by (apply Rinv_0_lt_compat; auto).
  assert (Za : ratio a = 0 \/ IZR (atom f) = 0) by (destruct Ha as [-> | E]; [right; auto|left; unfold ratio; rewrite E; unfold Rdiv; ring]).
  replace (2 * (i + 1) - 1)%Z with (2 * i + 1)%Z by lia. replace (2 * (i + 1))%Z with (2 * i + 2)%Z by lia.
  pose proof (K (2 * i)%Z) as [A1 B1]. pose proof (K (2 * i + 1)%Z) as [A2 B2]. pose proof (K (2 * i + 2)%Z) as [A3 B3].
  replace (2 * i + 1 - 1)%Z with (2 * i)%Z in * by lia. replace (2 * i + 2 - 1)%Z with (2 * i + 1)%Z in * by lia.
  split; intros Hle; apply Rmult_le_compat_r; try lra.
  - specialize (D4 i ltac:(lra)). specialize (A1 ltac:(lia)). specialize (A2 ltac:(lia)). specialize (A3 ltac:(lia)).
    destruct Za as [Z0|Z0]; [rewrite Z0 in Hle; apply le_IZR in Hle|]; destruct (Z.eqb_spec (i + 1) 0), (Z.eqb_spec i 0); try lia; lra.
  - specialize (D3 (i + 1)%Z ltac:(lra)). specialize (B1 ltac:(lia)). specialize (B2 ltac:(lia)). specialize (B3 ltac:(lia)).
    destruct Za as [Z0|Z0]; [rewrite Z0 in Hle; apply le_IZR in Hle|]; destruct (Z.eqb_spec (i + 1) 0), (Z.eqb_spec i 0); try lia; lra.
Qed.
Lemma real_peaked f a : noise_ok f = true -> positive (step f) = true -> the_kind f = Additive -> demand_ok f (Unimodal a) = true -> real_obeys f (Unimodal a).
Proof.
  intros Hn Hp Hk H. destruct (grid_length_facts f Hn Hp) as (G0 & G1 & G2 & G). rewrite Hk in G. destruct (basics f Hn) as (_ & _ & Hg).
  cbn [demand_ok] in H. rewrite Hk, !andb_true_iff, orb_true_iff, !Z.eqb_eq in H. destruct H as [[Sa Ha] H]. pose proof (noise_peaked_ok f Hg (cells_seen f Hn) _ _ H) as K.
  set (half := (fst (grid_length f), 2 * snd (grid_length f))%Z) in *. unfold real_obeys. rewrite <- G.
  assert (Eh : ratio half = ratio (grid_length f) / 2).
  { unfold half, ratio. cbn [fst snd]. rewrite mult_IZR. field. apply IZR_lt in G2. lra. }
  assert (Ph : 0 < ratio half) by lra. destruct (divide_exact a half Sa Ph G1 ltac:(unfold half; cbn [snd]; lia)) as (D1 & D2 & _). rewrite Eh in *.
  split; [destruct Ha as [-> | E]; [left; auto|right; unfold ratio; rewrite E; unfold Rdiv; ring]|]. intros h. destruct (K h) as [A B]. split; intros Hlt; [apply A|apply B].
  - assert (divide_down a half < h)%Z; [|lia]. apply lt_IZR. apply Rmult_lt_reg_r with (ratio (grid_length f) / 2); lra.
  - assert (h < divide_up a half)%Z; [|lia]. apply lt_IZR. apply Rmult_lt_reg_r with (ratio (grid_length f) / 2); lra.
Qed.
Lemma means_hold f : noise_ok f = true -> demand_ok f Unbiased = true -> forall X : zlaw, has_masses X (mass f) -> centred IZR X.
Proof.
  intros Hn H. destruct (basics f Hn) as (Hden & _ & Hg).
  apply (noise_centred_ok f Hg (noise_distribution f Hn) Hden (cells_seen f Hn) H). intros E. apply noise_even_mass; auto.
Qed.
Lemma whole_loss f l bound : noise_ok f = true -> the_kind f = Integer -> loss_ok l = true -> upper_ok f l bound = true ->
  forall X : zlaw, has_masses X (mass f) -> loss_at_most X (fun i => cost l (IZR i)) (ratio bound).
Proof.
  intros Hn Hk Hl HU X HX. destruct (upper_integer f l bound Hn Hl Hk HU) as (P & HP1 & HP2).
  intros g _ Hgb Hgc. apply (masses_loss X (mass f) HX (noise_distribution f Hn) P); auto. intros i. eapply Rle_trans; [apply Hgc | apply HP2].
Qed.
Lemma real_loss f l bound : noise_ok f = true -> positive (step f) = true -> the_kind f = Additive -> loss_ok l = true -> upper_ok f l bound = true ->
  forall X : zlaw, has_masses X (mass f) -> forall v c, bounded c -> (forall x, c x <= cost l (x - v)) -> released X (ratio (step f) / IZR (grid f)) v c <= ratio bound.
Proof.
  intros Hn Hp Hk Hl HU X HX v c Hb Hc. destruct (upper_additive f l bound Hn Hl Hp Hk HU) as (P & HP1 & HP2).
  destruct (grid_length_facts f Hn Hp) as (G0 & _ & _ & G). rewrite Hk in G. rewrite G in G0.
  apply (released_loss X _ G0 (cost l) P); auto. intros h Hh Hle. apply (masses_loss X (mass f) HX (noise_distribution f Hn) P); auto.
Qed.
Lemma whole_demands f d : noise_ok f = true -> positive (step f) = true -> the_kind f = Integer -> demand_ok f d = true -> whole_obeys f d.
Proof.
  intros Hn Hp Hk H. destruct (grid_length_facts f Hn Hp) as (_ & _ & _ & G). rewrite Hk in G. destruct d as [low high|t| |a| |l bound].
  - apply whole_support; auto.
  - cbn [whole_obeys]. intros i Hi. pose proof (max_error_holds f t Hn Hp H i Hi) as K. rewrite Hk, G in K. cbn [allowed]. lra.
  - intros i. apply noise_even_mass; auto.
  - apply whole_peaked; auto.
  - exact (means_hold f Hn H).
  - cbn [demand_ok] in H. rewrite andb_true_iff in H. destruct H as [H1 H2]. exact (whole_loss f l bound Hn Hk H1 H2).
Qed.
Lemma real_demands f d : noise_ok f = true -> positive (step f) = true -> the_kind f = Additive -> demand_ok f d = true -> real_obeys f d.
Proof.
  intros Hn Hp Hk H. destruct (grid_length_facts f Hn Hp) as (G0 & _ & _ & G). rewrite Hk in G. destruct d as [low high|t| |a| |l bound].
  - apply real_support; auto.
  - unfold real_obeys; rewrite <- ?G. intros X HX v A H01 HA. pose proof (max_error_holds f t Hn Hp H) as K. rewrite Hk in K. set (g := ratio (grid_length f)) in *.
    unfold released. pose proof (split_at (v / g)) as Ex. pose proof (frac_bounds (v / g)) as Bu.
    set (k := Int_part (v / g)) in *. set (u := frac_part (v / g)) in *.
    assert (Hv : v = (IZR k + u) * g) by (rewrite <- Ex; field; lra).
    assert (Hz : forall w, (w = 0 \/ w = 1)%Z -> mean X (fun j => A (IZR (k + w + j) * g)) = 0).
    { intros w Hw. apply (mean_vanishes f); auto. intros j Hj. apply HA. specialize (K j Hj).
      replace (IZR (k + w + j) * g - v) with ((IZR j + (IZR w - u)) * g) by (rewrite Hv, !plus_IZR; ring).
      rewrite Rabs_mult, (Rabs_right g) by lra. eapply Rle_trans; [|exact K].
      pose proof (Rabs_triang (IZR j) (IZR w - u)) as T.
      assert (Rabs (IZR w - u) <= 1) by (destruct Hw as [-> | ->]; unfold Rabs; destruct Rcase_abs; lra).
      replace (Rabs (IZR j) * g + g) with ((Rabs (IZR j) + 1) * g) by ring. apply Rmult_le_compat_r; lra. }
    pose proof (Hz 0%Z ltac:(auto)) as Z0. pose proof (Hz 1%Z ltac:(auto)) as Z1. rewrite Z1.
    replace (k + 0)%Z with k in Z0 by lia. rewrite Z0. ring.
  - intros i. apply noise_even_mass; auto.
  - apply real_peaked; auto.
  - exact (means_hold f Hn H).
  - cbn [demand_ok] in H. rewrite andb_true_iff in H. destruct H as [H1 H2]. exact (real_loss f l bound Hn Hp Hk H1 H2).
Qed.
