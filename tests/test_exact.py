"""Rationals from user input, roundings with a direction, and enclosures of e^x and x^p."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leastnoise import exact
from leastnoise.errors import ArgumentError
from leastnoise.exact import (
    exp_bounds,
    exp_lower,
    exp_upper,
    integer_root,
    nearest_float,
    power_bounds,
    rational,
    round_down,
    round_up,
    text_of,
    whole_part,
)

WIDTH = Fraction(1, 2**100)
rationals = st.fractions(max_denominator=10**6)


def decimal(x: Fraction) -> Decimal:
    return Decimal(x.numerator) / Decimal(x.denominator)


def brackets(lo: Fraction, hi: Fraction, value: Decimal, digits: int = 60) -> None:
    """lo <= value <= hi, the value being known to so many digits."""
    slack = abs(Fraction(value)) / 10**digits
    assert lo <= Fraction(value) + slack
    assert hi >= Fraction(value) - slack


@pytest.mark.parametrize(
    ("value", "means"),
    [
        (0.2, Fraction(1, 5)),
        ("0.2", Fraction(1, 5)),
        ("7/60", Fraction(7, 60)),
        (3, Fraction(3)),
        (1e-3, Fraction(1, 1000)),
        ("1e-3", Fraction(1, 1000)),
        (Decimal("0.1"), Fraction(1, 10)),
        (Fraction(1, 3), Fraction(1, 3)),
        (5e-324, Fraction(5, 10**324)),
        (" 2 ", Fraction(2)),
        (Decimal("1E+5"), Fraction(100000)),
    ],
)
def test_rational_is_what_the_user_means(value: object, means: Fraction) -> None:
    assert rational(value, "x") == means


@pytest.mark.parametrize(
    "value",
    [
        True,
        None,
        "",
        "x",
        "1/0",
        float("nan"),
        float("inf"),
        "nan",
        "1e999999999",
        "1e",
        [],
        Decimal("NaN"),
        Decimal("Infinity"),
        Decimal("1E+999999999"),
        Decimal("1E-999999999"),
        "9" * 4001,
        1j,
    ],
)
def test_rational_refuses_the_rest_at_once(value: object) -> None:
    with pytest.raises(ArgumentError, match="x must be a finite number"):
        rational(value, "x")


def test_numpy_scalars_are_numbers() -> None:
    numpy = pytest.importorskip("numpy")
    assert rational(numpy.float64(0.1), "x") == rational(numpy.float32(0.1), "x") == Fraction(1, 10)
    assert rational(numpy.int64(7), "x") == 7


@given(rationals)
def test_text_reads_back(value: Fraction) -> None:
    assert Fraction(text_of(value)) == value
    assert rational(text_of(value), "x") == value


@given(rationals, st.integers(1, 20))
def test_roundings_have_their_direction_and_their_digits(value: Fraction, digits: int) -> None:
    down, up = round_down(value, digits), round_up(value, digits)
    assert down <= value <= up
    if value:
        # The unit of the last of `digits` significant digits.
        unit = Fraction(10) ** (len(str(int(abs(value)))) - digits) if abs(value) >= 1 else None
        if unit is not None:
            assert (value / unit - down / unit) < 1 and (down / unit).denominator == 1
            assert (up / unit - value / unit) < 1 and (up / unit).denominator == 1
        assert max(abs(down - value), abs(up - value)) <= abs(value) * Fraction(10) ** (1 - digits)


@pytest.mark.parametrize("power", [-300, -16, -1, 0, 1, 15, 16, 22, 300])
def test_powers_of_ten_are_kept(power: int) -> None:
    ten = Fraction(10) ** power
    assert round_down(ten, 3) == round_up(ten, 3) == ten
    assert round_down(ten - ten / 10**9, 3) == ten * Fraction(999, 1000)


@given(st.fractions(-1000, 1000, max_denominator=10**9))
def test_exp_is_enclosed(x: Fraction) -> None:
    lo, hi = exp_bounds(x)
    assert (lo, hi) == (exp_lower(x), exp_upper(x))
    assert 0 < lo <= hi and hi - lo <= lo * WIDTH
    assert lo.denominator & (lo.denominator - 1) == 0
    with localcontext() as context:
        context.prec = 80
        brackets(lo, hi, decimal(x).exp(), 70)


@pytest.mark.parametrize(
    "x",
    [
        Fraction(0),
        Fraction(1),
        Fraction(1, 10**300),
        Fraction(-1, 10**300),
        Fraction(1000),
        Fraction(-1000),
        Fraction(1023, 1024),
        Fraction(693147180559945309417232, 10**24),
    ],
)
def test_exp_at_the_corners(x: Fraction) -> None:
    lo, hi = exp_bounds(x)
    assert 0 < lo <= hi and hi - lo <= lo * WIDTH
    with localcontext() as context:
        context.prec = 400
        brackets(lo, hi, decimal(x).exp(), 350)


def test_exp_refuses_large_exponents() -> None:
    with pytest.raises(ArgumentError, match="exponent"):
        exp_bounds(Fraction(1001))


@given(st.integers(0, 10**60), st.integers(1, 12))
def test_integer_roots(value: int, q: int) -> None:
    root = integer_root(value, q)
    assert root**q <= value < (root + 1) ** q


@given(st.fractions(0, 10**6, max_denominator=10**6), st.fractions(1, 16, max_denominator=50))
def test_powers_are_enclosed(x: Fraction, p: Fraction) -> None:
    lo, hi = power_bounds(x, p)
    assert lo**p.denominator <= x**p.numerator <= hi**p.denominator
    assert lo == hi if x == 0 or p.denominator == 1 else hi - lo <= lo * WIDTH


@pytest.mark.parametrize("p", [Fraction(3, 2), Fraction(1001, 1000), Fraction(15999, 1000)])
@pytest.mark.parametrize(
    "x",
    [
        Fraction(1),
        Fraction(10) ** 90,
        Fraction(1, 10**90),
        Fraction(2**200 - 1, 2**200),
        Fraction(7, 3),
    ],
)
def test_powers_by_guess_and_proof(x: Fraction, p: Fraction) -> None:
    lo, hi = power_bounds(x, p)
    assert lo < hi and hi - lo <= lo * WIDTH
    with localcontext() as context:
        context.prec = 120
        brackets(lo, hi, (decimal(x).ln() * decimal(p)).exp(), 100)


def test_a_wrong_guess_is_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The guess of a power is only a guess."""

    class Wrong:
        def divide(self, a: Decimal, b: Decimal) -> Decimal:
            return a / b

        def power(self, a: Decimal, b: Decimal) -> Decimal:
            return Decimal(3)

    monkeypatch.setattr(exact, "_GUESS", Wrong())
    x, p = Fraction(7, 3), Fraction(40, 17)
    lo, hi = power_bounds.__wrapped__(x, p)
    assert lo**17 <= x**40 <= hi**17 and hi - lo <= lo * WIDTH


@given(st.floats(allow_nan=False, allow_infinity=False), st.integers(1, 1 << 140))
def test_a_float_is_cut_as_an_exact_number(value: float, unit: int) -> None:
    assert whole_part(value, unit) == int(Fraction(value) * unit)


def test_nearest_float_never_overflows() -> None:
    assert nearest_float(Fraction(1, 3)) == 1 / 3
    assert nearest_float(Fraction(10) ** 400) == 1.7976931348623157e308
    assert nearest_float(-(Fraction(10) ** 400)) == -1.7976931348623157e308
    assert nearest_float(Fraction(1, 10**400)) == 0.0
