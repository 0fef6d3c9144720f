"""What the checker's parts say of a file of answers that depend on the value."""

from __future__ import annotations

from fractions import Fraction

from leastnoise.certify import DependentFile


def worst_divergence(file: DependentFile) -> tuple[str, Fraction]:
    """That of its answers, at its epsilon."""
    return file.noise.worst_divergence(file.problem, file.epsilon)


def expected_loss(file: DependentFile) -> Fraction:
    """That of its answers."""
    loss = file.noise.expected_loss(file.problem)
    assert isinstance(loss, Fraction)
    return loss
