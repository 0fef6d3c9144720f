"""Decimals next to 0, too long to be written out, are released like any other number."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leastnoise import Cube, design
from leastnoise.certify.base import MechanismFile
from leastnoise.certify.kinds.vector import VectorCertificate
from leastnoise.certify.noise.vectors.shells import BallNoise
from leastnoise.design import Design
from leastnoise.errors import DataError
from leastnoise.losses import as_loss
from leastnoise.noise.rounding import UniformNumber, beside, exact_number, exact_value
from leastnoise.problem import Problem
from leastnoise.sampling import Entropy, InsecureSeededEntropy

#: Not to be written out at all; and not written out, though it could be.
ABSURD = [Decimal("1e-99999999"), Decimal("-1e-999999999999999999")]
LONG = [Decimal(sign + digits) for sign in ("", "-") for digits in ("1e-401", "3.7e-440", "1e-900")]
STEPS = st.fractions(min_value=Fraction(1, 10**9), max_value=10**6)


#: A ball or nothing, by hand: what is drawn matters here, not how private it is.
BALLS = MechanismFile(
    "vector",
    Problem(Fraction(1), Fraction(1, 2), Fraction(1), as_loss("l1"), dimension=2),
    BallNoise(Fraction(1, 64), 2, (Fraction(3),), (1,), 1),
    Fraction(9),
    Fraction(0),
    VectorCertificate.nothing(Fraction(1)),
)


class Filled(Entropy):
    """Bits that are all ones, or all zeros, and then a stream."""

    def __init__(self, fill: int, count: int) -> None:
        self.fill, self.count, self.rest = fill, count, InsecureSeededEntropy(5)

    def bytes(self, count: int) -> bytes:
        self.count -= 1
        return bytes([self.fill]) * count if self.count >= 0 else self.rest.bytes(count)


@given(
    st.sampled_from(LONG),
    STEPS,
    st.fractions(-3, 3),
    st.sampled_from([0, 1, 2**63, 2**64 - 2, 2**64 - 1]),
    st.sampled_from([0, 255]),
    st.integers(0, 60),
)
def test_the_same_number_leaves_as_if_it_were_written_out(value, g, start, word, fill, count):
    start = start if count % 2 else Fraction(0)
    near = UniformNumber(word, Filled(fill, count)).floor_of(value, g, start)
    assert near == UniformNumber(word, Filled(fill, count)).floor_of(Fraction(value), g, start)


@given(
    st.sampled_from([*LONG, Decimal("1e-400"), Decimal("-1e-410")]),
    st.one_of(st.integers(1, 10**30), st.integers(-2, 2).map(lambda k: 10**401 + k)),
    st.integers(-3, 3),
)
def test_what_stands_in_is_on_the_same_side_of_every_multiple(value, q, k):
    near, mark = beside(exact_number(value), q), Fraction(k, q)
    exact = Fraction(value)
    assert (near > mark) == (exact > mark) and (near < mark) == (exact < mark)


@pytest.fixture(scope="module")
def designs():
    asked = {"epsilon": 1, "delta": "0.2", "sensitivity": 1, "gap": 0.3}
    return {
        "additive": design(**asked),
        "joint": design(epsilon=1, delta=0, sensitivity=Cube(2)),
        "vector": Design(BALLS, BALLS.loss, True, "", {}),
        "range": design(**asked, bounds=(-1, 1)),
        "range above 0": design(**asked, bounds=("1e-9", 1)),
        # 0 is where what is told turns from one multiple to the next.
        "told": design(**(asked | {"epsilon": 4, "delta": "0.3"}), bounds=TOLD),
    }


TOLD = ("-1/30000", "59999/30000")
KINDS = ["additive", "joint", "vector", "range", "range above 0", "told"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("value", [*ABSURD, LONG[2], LONG[-1]])
def test_every_decimal_is_answered(designs, kind, value):
    found = designs[kind]
    several = kind in ("joint", "vector")
    row = [value, 0] if several else value
    assert kind != "told" or found.document.noise.finest / 2 == Fraction(1, 30000)
    for seed in range(20):
        released = found.release(row, exact=True, entropy=InsecureSeededEntropy(seed))
        if value in LONG:
            other = [Fraction(value), 0] if several else Fraction(value)
            assert released == found.release(other, exact=True, entropy=InsecureSeededEntropy(seed))
    assert found.release([row, row])[0] is not None


def test_what_is_no_release_says_so_without_the_value(designs):
    for asked in (
        designs["range"].noise.exact_distribution,
        designs["range"].noise.distribution,
        exact_value,
    ):
        with pytest.raises(DataError, match="at least 10") as caught:
            asked(ABSURD[0])
        assert "99999999" not in str(caught.value)
    assert len(designs["range"].noise.sample(ABSURD[1], 5)) == 5


def test_whole_numbers_refuse_what_is_not_whole_at_once():
    whole = design(epsilon=1, delta="0.2", sensitivity=1, integer=True, gap=0.1)
    ranged = design(epsilon=1, delta="0.2", sensitivity=1, integer=True, bounds=(0, 5), gap=0.1)
    clamped = whole.noise.clamped(0, 5)
    joint = design(epsilon=1, delta=0, sensitivity=Cube(2), integer=True)
    with pytest.raises(DataError, match="integers"):
        joint.release([ABSURD[0], 1])
    for ask in (whole.release, ranged.release, clamped.release, clamped.loss_at):
        with pytest.raises(DataError, match="integer"):
            ask(ABSURD[0])
        ask(Decimal("3.000"))
