"""Releases: exact arithmetic, one grid for all values, refusal before any randomness."""

from __future__ import annotations

import math
import pickle
import time
import traceback
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest

from leastnoise import ArgumentError, design
from leastnoise.certify import Tail
from leastnoise.noise import AdditiveNoise, release_many, release_one
from leastnoise.sampling import Entropy, GridOverflowError, InsecureSeededEntropy


class NoEntropy(Entropy):
    """Fails the test if anything is drawn."""

    def bytes(self, count: int) -> bytes:
        raise AssertionError("randomness was drawn")


@pytest.fixture(scope="module")
def found():
    return design(epsilon=1, delta=0.2, sensitivity=1, gap=1e-2)


@pytest.mark.parametrize(
    "value",
    [
        float("nan"),
        float("inf"),
        -float("inf"),
        Decimal("NaN"),
        Decimal("-Infinity"),
        True,
        "12",
        None,
        1j,
        np.longdouble("inf"),
        np.float32("nan"),
        np.bool_(True),
        {"a": 1},
        {3.0},
        b"12",
        [1.0],
        np.datetime64("2020-01-01"),
        np.timedelta64(3, "s"),
        np.timedelta64(3, "ns"),
    ],
)
def test_refused_before_any_randomness(found, value):
    if not isinstance(value, list):
        with pytest.raises(ArgumentError, match="value must be"):
            found.release(value, entropy=NoEntropy())
    with pytest.raises(ArgumentError, match="value must be"):
        found.release([1.0, value], entropy=NoEntropy())


def test_integer_designs_take_whole_values_only():
    found = design(epsilon=1, delta=0.2, sensitivity=1, integer=True)
    with pytest.raises(ArgumentError, match="an integer"):
        found.release(0.5, entropy=NoEntropy())
    assert isinstance(found.release(3), int) and isinstance(found.release(np.int64(3)), int)


@pytest.mark.parametrize(
    "value", [3, 0.1, -2.5, Fraction(1, 3), Decimal("1.1"), np.float64(0.3), np.int32(4), 10**9]
)
def test_every_release_lies_on_one_grid(found, value):
    g = found.noise.grid_step
    for _ in range(5):
        exact = found.release(value, exact=True)
        assert (exact / g).denominator == 1
        assert isinstance(found.release(value), float)


HUGE = [
    1e300,
    10**40,
    -(10**40),
    1.7976931348623157e308,
    -1.7976931348623157e308,
    10**500,
    Fraction(10**600, 1),
    Decimal("1e999"),
    Decimal("-1e999999999"),
    Decimal("1e-999999999"),
    5e-324,
    np.longdouble("1e4000"),
    2.0**52,
    -(2.0**63),
    2**63,
    2**53 + 1,
]


@pytest.mark.parametrize("value", HUGE, ids=lambda v: type(v).__name__)
def test_every_finite_value_is_answered(found, value):
    """A refusal would tell a value from its neighbor with certainty."""
    one = found.release(value)
    assert isinstance(one, float) and math.isfinite(one)
    assert all(math.isfinite(x) for x in found.release([1.5, value]))
    assert (found.release(value, exact=True) / found.noise.grid_step).denominator == 1
    whole = design(epsilon=1, delta=0.2, sensitivity=1, integer=True)
    if value != 5e-324 and value != Decimal("1e-999999999"):
        assert isinstance(whole.release(value), int)
        assert all(isinstance(x, int) for x in whole.release([3, value]))


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.uint64, np.int8])
def test_arrays_of_extreme_values_are_answered(found, dtype):
    info = np.finfo(dtype) if np.dtype(dtype).kind == "f" else np.iinfo(dtype)
    values = np.array([info.min, 0, 1, info.max], dtype=dtype)
    released = found.release(values)
    assert released.dtype == np.float64 and np.isfinite(released).all()
    assert abs(released[1]) < 10 and abs(released[2] - 1) < 10
    whole = design(epsilon=1, delta=0.2, sensitivity=1, integer=True).release(values)
    assert all(abs(int(a) - int(b)) < 100 for a, b in zip(whole, values, strict=True))


def test_huge_values_are_released_exactly(found):
    exact = found.release(10**40, exact=True)
    assert abs(exact - 10**40) < 10


def test_arrays_keep_their_shape(found):
    assert found.release(np.zeros((2, 3))).shape == (2, 3)
    assert len(found.release([1, 2.0, Fraction(1, 3)])) == 3
    assert found.release(np.zeros(2), exact=True).dtype == object
    assert found.release(np.zeros((0, 3))).shape == (0, 3) and found.release([]) == []
    assert found.release(np.array(2.5)).shape == ()


SECRET = "31415926"


@pytest.mark.parametrize(
    "value",
    [
        SECRET,
        [SECRET],
        {SECRET: 31415926},
        {31415926},
        (31415926, None),
        [31415926.0, math.nan],
        np.array([31415926.0, np.inf]),
        np.array([SECRET]),
        np.array([31415926 + 2j]),
        np.ma.masked_array([31415926.0, 1.0], mask=[False, True]),
        np.array([[31415926, None]]),
        pd.Series([31415926.0, np.nan]),
        pd.Series([SECRET]),
        pd.Series([31415926, None], dtype="Int64"),
        pd.Series([True]),
        pd.DataFrame({"a": [31415926]}),
        pl.Series([31415926, None]),
        pl.Series([SECRET]),
        pl.DataFrame({"a": [31415926]}),
        pd.Index([31415926]),
        31415926.5j,
    ],
    ids=lambda v: type(v).__name__,
)
def test_no_error_shows_data(found, value):
    whole = design(epsilon=1, delta=0.2, sensitivity=1, integer=True)
    for one in (found, whole, whole.noise.clamped(0, 9)):
        with pytest.raises(ArgumentError) as caught:
            one.release(value)
        error = caught.value
        shown = "".join(traceback.format_exception_only(error))
        assert SECRET not in shown + repr(vars(error)) + repr(error.args)
        assert error.__cause__ is None and (error.__context__ is None or error.__suppress_context__)
        assert pickle.loads(pickle.dumps(error)).args == error.args


@pytest.mark.parametrize(
    "value",
    [
        31415926.5,
        [1, 31415926.5],
        np.array([31415926.5]),
        Fraction(31415926, 7),
        [Decimal("31415926.5")],
    ],
)
def test_no_error_shows_what_is_not_whole(value):
    whole = design(epsilon=1, delta=0.2, sensitivity=1, integer=True)
    for one in (whole, whole.noise.clamped(0, 9)):
        with pytest.raises(ArgumentError, match="an integer") as caught:
            one.release(value)
        assert "3141592" not in str(caught.value) + repr(vars(caught.value))


def test_a_series_keeps_its_index_and_name(found):
    counts = pd.DataFrame({"Gender": ["f", "m", "f"]})["Gender"].value_counts()
    released = found.release(counts)
    assert isinstance(released, pd.Series) and released.dtype == np.float64
    assert released.index.equals(counts.index) and released.name == counts.name
    assert list(released.index) == ["f", "m"] and abs(released["f"] - 2) < 10
    whole = design(epsilon=1, delta=0.2, sensitivity=1, integer=True)
    assert whole.release(counts).dtype == np.int64
    assert whole.noise.clamped(0, 5).release(counts).between(0, 5).all()
    nullable = whole.release(counts.astype("Int64"))
    assert nullable.index.equals(counts.index) and nullable.dtype == np.int64
    assert found.release(counts, exact=True).map(type).eq(Fraction).all()
    empty = found.release(pd.Series([], dtype=float, name="x"))
    assert len(empty) == 0 and empty.name == "x"


def test_a_polars_series_keeps_its_name(found):
    series = pl.DataFrame({"pay": [1.5, 2.0, 31.0]})["pay"]
    released = found.release(series)
    assert isinstance(released, pl.Series)
    assert released.name == "pay" and released.dtype == pl.Float64 and len(released) == 3
    whole = design(epsilon=1, delta=0.2, sensitivity=1, integer=True)
    assert whole.release(pl.Series("n", [1, 2])).dtype == pl.Int64
    exact = pl.Series("d", ["1.5"]).cast(pl.Decimal(10, 2))
    assert len(found.release(exact)) == 1


@pytest.mark.parametrize(
    "value", [np.float32(1.5), np.int8(3), np.uint64(2**64 - 1), np.longdouble(1.5), np.float64(2)]
)
def test_numpy_scalars(found, value):
    assert isinstance(found.release(value), float)


def test_integer_noise_beyond_64_bits():
    whole = design(epsilon=1, delta=0.2, sensitivity=1, integer=True)
    released = whole.release(np.array([2**63 - 1, -(2**63)]))
    assert all(abs(int(a) - b) < 100 for a, b in zip(released, (2**63 - 1, -(2**63)), strict=True))
    assert whole.release([10**300])[0] > 10**299
    assert abs(int(whole.release(np.array([1e18]))[0]) - 10**18) < 100


def test_tails_that_may_leave_64_bits_are_drawn_one_by_one():
    """A ratio next to 1: the vectorised sampler refuses, a release does not."""
    near = 1 - Fraction(1, 2**60)
    document = design(epsilon=1, delta=0, sensitivity=1, integer=True).document.with_noise(
        first=-1, weights=(1, 1, 1), tail=Tail(1, near), denominator=1
    )
    noise = AdditiveNoise(document)
    with pytest.raises(GridOverflowError):
        noise.grid_sample(1000, InsecureSeededEntropy(1))
    drawn = release_many(noise, [0] * 200, entropy=InsecureSeededEntropy(1))
    assert max(abs(k) for k in drawn) > 2**58


def test_fast_and_exact_paths_have_the_same_law(found):
    """The same values as floats and as fractions: the same bits give the same releases."""
    values = np.random.default_rng(0).normal(size=500) * 100
    fast = release_many(found.noise, values, exact=True, entropy=InsecureSeededEntropy(4))
    slow = release_many(
        found.noise,
        [Fraction(v) for v in values.tolist()],
        exact=True,
        entropy=InsecureSeededEntropy(4),
    )
    assert fast == slow
    floats = release_many(found.noise, values, entropy=InsecureSeededEntropy(4))
    assert floats.tolist() == [float(x) for x in slow]


@pytest.mark.parametrize(
    "budget",
    [
        {"epsilon": 1, "delta": 0.2, "sensitivity": 1},
        {"epsilon": 1, "delta": 0.2, "sensitivity": 0.37},
        {"epsilon": 1, "delta": 0, "sensitivity": 90},
    ],
)
def test_speed(budget):
    """100,000 values in 0.1 s and one in 10 microseconds; a factor of 5 for busy machines."""
    noise = design(**budget, gap=0.1).noise
    values = np.random.default_rng(0).normal(size=100_000) * 100
    release_many(noise, values)
    start = time.process_time()
    release_many(noise, values)
    assert time.process_time() - start < 0.5
    start = time.process_time()
    for _ in range(2000):
        release_one(noise, 41.7)
    assert time.process_time() - start < 2000 * 5e-5


def test_rounding_is_unbiased_and_at_random(found):
    """value = 1/3 of a grid step: rounded up in a third of all releases."""
    g = found.noise.grid_step
    values = [Fraction(1, 3) * g] * 30_000
    entropy, other = InsecureSeededEntropy(1), InsecureSeededEntropy(1)
    noise = found.noise.grid_sample(len(values), other)
    released = release_many(found.noise, values, exact=True, entropy=entropy)
    up = np.array([int(r / g) for r in released]) - noise
    assert set(up.tolist()) == {0, 1}
    assert abs(up.mean() - 1 / 3) < 0.015


def test_low_bits_do_not_depend_on_the_value():
    """A small case, enumerated: neighbors share every float both can produce."""
    found = design(epsilon=1, delta=0.3, sensitivity=1, resolution=2, gap=0.5)
    g, document = found.noise.grid_step, found.document
    far = (1 - document.noise.first) * document.noise.grid
    reach = range(-far, far)
    for one, two in [(0.1, 0.7), (1 / 3, 1.0), (-0.25, 0.75)]:
        outputs = []
        for value in (one, two):
            base = Fraction(value) / g // 1
            multiples = [int(base) + up + k for up in (0, 1) for k in reach]
            outputs.append({float(m * g): m for m in multiples})
        shared = set(outputs[0]) & set(outputs[1])
        common = set(outputs[0].values()) & set(outputs[1].values())
        assert len(shared) == len(common)  # same multiple, same float; nothing else in common
        assert all(outputs[0][x] == outputs[1][x] for x in shared)
