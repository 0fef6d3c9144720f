(* The release of a real value: privacy and loss follow from those of the noise on the grid. *)
Require Import Reals ZArith List Bool Lra Lia.
Require Import Formal.Statements Formal.Laws Formal.Masses.
Open Scope R_scope.

Lemma frac_bounds x : 0 <= frac_part x < 1.
Proof. destruct (base_fp x). lra. Qed.
Lemma split_at x : x = IZR (Int_part x) + frac_part x.
Proof. unfold frac_part. ring. Qed.

Section Release.
Variables (X : zlaw) (g : R).
Hypothesis Hg : 0 < g.

(* Values at most N grid steps apart round to grid points at most N apart, pair by pair. *)
Theorem released_private (N : Z) E d v v' A :
  (forall B s, (forall j, B j = 0 \/ B j = 1) -> (Z.abs s <= N)%Z -> mean X B <= E * mean X (fun j => B (j + s)%Z) + d) ->
  Rabs (v - v') <= IZR N * g -> (forall x, A x = 0 \/ A x = 1) ->
  released X g v A <= E * released X g v' A + d.
Proof.
  intros HX Hv HA. unfold released.
  set (x := v / g). set (x' := v' / g).
  assert (Hx : - IZR N <= x - x' <= IZR N).
  { assert (Hvv : (x - x') * g = v - v') by (unfold x, x'; field; lra).
    assert (- (IZR N * g) <= (x - x') * g <= IZR N * g).
    { rewrite Hvv. unfold Rabs in Hv. destruct Rcase_abs; lra. }
    split; apply Rmult_le_reg_r with g; auto; lra. }
  pose proof (split_at x) as Ex. pose proof (split_at x') as Ex'.
  pose proof (frac_bounds x) as Bu. pose proof (frac_bounds x') as Bu'.
  set (i := Int_part x) in *. set (i' := Int_part x') in *.
  set (u := frac_part x) in *. set (u' := frac_part x') in *.
  assert (Hpair : forall a b, (Z.abs (b - a) <= N)%Z ->
    mean X (fun j => A (IZR (a + j) * g)) <= E * mean X (fun j => A (IZR (b + j) * g)) + d).
  { intros a b Hab. pose proof (HX (fun j => A (IZR (a + j) * g)) (b - a)%Z (fun j => HA _) Hab) as K. cbv beta in K.
    replace (mean X (fun j => A (IZR (b + j) * g))) with (mean X (fun j => A (IZR (a + (j + (b - a))) * g))); auto.
    assert (Hb : forall c : Z -> Z, bounded (fun j => A (IZR (c j) * g))).
    { intros c. exists 1. intros j. destruct (HA (IZR (c j) * g)) as [-> | ->]; rewrite Rabs_right; lra. }
    unfold mean. apply Rle_antisym; apply ex_mono; try (apply meas_basic; exact I); try (apply (Hb (fun j => a + (j + (b - a)))%Z)); try (apply (Hb (fun j => b + j)%Z));
      intros j; replace (a + (j + (b - a)))%Z with (b + j)%Z by lia; lra. }
  assert (Hk : forall a b : Z, -IZR N - 1 < IZR a - IZR b < IZR N + 1 -> (Z.abs (b - a) <= N)%Z).
  { intros a b [K1 K2]. rewrite <- minus_IZR in K1, K2.
    assert (-N - 1 < a - b)%Z by (apply lt_IZR; rewrite !minus_IZR, opp_IZR in *; lra).
    assert (a - b < N + 1)%Z by (apply lt_IZR; rewrite plus_IZR; lra). lia. }
  set (M0 := mean X (fun j => A (IZR (i + j) * g))) in *.
  set (M1 := mean X (fun j => A (IZR (i + 1 + j) * g))) in *.
  set (W0 := mean X (fun j => A (IZR (i' + j) * g))) in *.
  set (W1 := mean X (fun j => A (IZR (i' + 1 + j) * g))) in *.
  assert (P11 : M1 <= E * W1 + d -> M0 <= E * W0 + d ->
    (u < u' -> M0 <= E * W1 + d) -> (u' < u -> M1 <= E * W0 + d) ->
    (1 - u) * M0 + u * M1 <= E * ((1 - u') * W0 + u' * W1) + d).
  { intros Q11 Q00 Q01 Q10. destruct (Rtotal_order u u') as [Hlt|[Heq|Hgt]].
    - specialize (Q01 Hlt).
      apply Rmult_le_compat_l with (r := 1 - u') in Q00; [|lra].
      apply Rmult_le_compat_l with (r := u' - u) in Q01; [|lra].
      apply Rmult_le_compat_l with (r := u) in Q11; [|lra]. lra.
    - rewrite Heq. apply Rmult_le_compat_l with (r := 1 - u') in Q00; [|lra].
      apply Rmult_le_compat_l with (r := u') in Q11; [|lra]. lra.
    - specialize (Q10 Hgt).
      apply Rmult_le_compat_l with (r := 1 - u) in Q00; [|lra].
      apply Rmult_le_compat_l with (r := u - u') in Q10; [|lra].
      apply Rmult_le_compat_l with (r := u') in Q11; [|lra]. lra. }
  apply P11.
  - apply Hpair, Hk. rewrite !plus_IZR. lra.
  - apply Hpair, Hk. lra.
  - intros. apply Hpair, Hk. rewrite !plus_IZR. lra.
  - intros. apply Hpair, Hk. rewrite !plus_IZR. lra.
Qed.

(* Noise of j grid steps costs at most P j, whatever the value. *)
Theorem released_loss (c : R -> R) (P : Z -> R) U v k : 
  (forall h, bounded h -> (forall j, h j <= P j) -> mean X h <= U) ->
  (forall j u, 0 <= u < 1 -> (1 - u) * c ((IZR j - u) * g) + u * c ((IZR j + 1 - u) * g) <= P j) ->
  bounded k -> (forall x, k x <= c (x - v)) -> released X g v k <= U.
Proof.
  intros HX HP [M HM] Hk. unfold released.
  pose proof (split_at (v / g)) as Ex. pose proof (frac_bounds (v / g)) as Bu.
  set (i := Int_part (v / g)) in *. set (u := frac_part (v / g)) in *.
  assert (Hv : v = (IZR i + u) * g) by (rewrite <- Ex; field; lra).
  set (h0 := fun j => k (IZR (i + j) * g)). set (h1 := fun j => k (IZR (i + 1 + j) * g)).
  assert (B0 : bounded h0) by (exists M; intros; apply HM). assert (B1 : bounded h1) by (exists M; intros; apply HM).
  replace ((1 - u) * mean X h0 + u * mean X h1) with (mean X (fun j => (1 - u) * h0 j + u * h1 j)).
  2:{ unfold mean. rewrite (ex_add X (fun j => (1 - u) * h0 j) (fun j => u * h1 j)), !ex_scale; auto;
      try (apply meas_basic; exact I); apply bounded_scale; auto. }
  apply HX.
  - apply (bounded_add Z (fun j => (1 - u) * h0 j)); apply bounded_scale; auto.
  - intros j. eapply Rle_trans; [|apply (HP j u Bu)].
    apply Rplus_le_compat; apply Rmult_le_compat_l; try lra; unfold h0, h1; (eapply Rle_trans; [apply Hk|]); right; f_equal; rewrite Hv, !plus_IZR; ring.
Qed.
End Release.
