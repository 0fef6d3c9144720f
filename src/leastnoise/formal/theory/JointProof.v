(* Why the check of a file of kind "joint" is right. *)
Require Import Reals ZArith List Bool Lra Lia.
Require Import Formal.Statements Formal.Exp Formal.Laws Formal.Joint Formal.JointNoise Formal.JointMean Formal.JointLargest.
Open Scope R_scope.

Theorem joint_lower_sound f w : (0 < numbers f)%nat -> joint_lower_check f w = true -> joint_lower_claim f.
Proof.
  unfold joint_lower_check. intros Hk. destruct (f_ratio w) as [a m]. rewrite andb_true_iff, Z.ltb_lt, orb_true_iff. intros [Hl [H|H]].
  - intros Y HY B HB. apply IZR_lt in Hl. apply Z.leb_le, IZR_le in H. apply Rle_trans with 0.
    + unfold ratio, Rdiv. assert (IZR (fst (j_lower f)) * / IZR (snd (j_lower f)) <= 0 * / IZR (snd (j_lower f))) by (apply Rmult_le_compat_r; auto; left; apply Rinv_0_lt_compat; auto). lra.
    + apply (loss_nonneg _ _ _ _ Y (fun x => error_of (j_error f) x)); auto. intros x. apply error_nonneg; auto.
  - rewrite !andb_true_iff, Z.eqb_eq, !Z.ltb_lt, !Z.leb_le in H. destruct H as [[[[[HD Ha] Ham] Hen] Hex] H].
    assert (Hqe : IZR a / IZR m * exp (ratio (j_epsilon f)) <= 1).
    { pose proof (ratio_between a m Ha Ham) as Hq. destruct (enclosure_sound _ Hen) as (_ & _ & HE). apply IZR_le in Hex. rewrite !mult_IZR in Hex. assert (U : 0 < IZR (2 ^ kept)) by (apply IZR_lt; reflexivity).
      apply Rle_trans with (IZR a / IZR m * (IZR (snd (enclosure (j_epsilon f))) / IZR (2 ^ kept))); [apply Rmult_le_compat_l; lra|]. apply IZR_lt in Ha, Ham.
      apply Rmult_le_reg_r with (IZR m * IZR (2 ^ kept)); [apply Rmult_lt_0_compat; lra|].
      replace (IZR a / IZR m * (IZR (snd (enclosure (j_epsilon f))) / IZR (2 ^ kept)) * (IZR m * IZR (2 ^ kept))) with (IZR a * IZR (snd (enclosure (j_epsilon f)))) by (field; lra). lra. }
    destruct (j_error f) eqn:E; [apply (rates_sound f w a m)|apply (rates_sound f w a m)|apply (largest_sound f a m)]; auto; rewrite E; discriminate.
Qed.
Theorem joint_sound f w : joint_check f w = true -> joint_claims f.
Proof.
  unfold joint_check. rewrite andb_true_iff. intros [H1 H2]. split; [apply joint_noise_sound; auto|]. apply joint_lower_sound with w; auto.
  unfold joint_noise_check in H1. destruct (j_ratio f), (errors f) as [d scale]. destruct (series_of _ _ (counts f)), (series_of _ _ d). rewrite !andb_true_iff, !Z.ltb_lt in H1. lia.
Qed.
