"""Additive multipliers alone, where layers at the ends would be too large a program."""

from __future__ import annotations

from fractions import Fraction

import pytest

from leastnoise.ask import Question, Range
from leastnoise.certify.channel import ChannelCertificate, channel_dual_bound
from leastnoise.engine.channel.baselines import additive_bracket
from leastnoise.engine.kinds import made
from leastnoise.engine.search import Search
from leastnoise.engine.wide.boundary_layers import copied_lower
from leastnoise.losses import as_loss


@pytest.mark.parametrize(
    "epsilon,delta,loss,width,integer,lost",
    [
        ("7", "1e-6", "l2", 50, False, 0.06),  # two sensitivities of 50, and a little
        ("0.03", "2.36e-11", "l1", 5000, True, 0.06),
    ],
)
def test_copies_alone_lose_about_the_ends(
    epsilon: str, delta: str, loss: str, width: int, integer: bool, lost: float
) -> None:
    question = Question(
        Fraction(epsilon),
        Fraction(delta),
        Fraction(1),
        as_loss(loss),
        integer,
        range=Range(Fraction(0), Fraction(width)),
    )
    search = Search(made("range", question), 0.02, 30.0)
    lower = copied_lower(question, search, 10.0)
    noise = additive_bracket(question, 1e-3, 10.0, None, search)
    assert lower is not None and noise.upper is not None
    assert (1 - lost) * noise.upper.value < lower.value < noise.upper.value
    assert isinstance(lower.certificate, ChannelCertificate)
    assert channel_dual_bound(question, lower.certificate) >= lower.value
