"""Every bound that a loss promises, against its values on fine walks."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leastnoise.errors import ArgumentError
from leastnoise.losses import (
    L1,
    L2,
    Huber,
    Loss,
    Piecewise,
    Pinball,
    Power,
    WeightedSum,
    loss_from_spec,
)

TINY = Fraction(1, 10**25)


def fractions(low: object, high: object, most: int) -> st.SearchStrategy[Fraction]:
    """Those from low to high with denominators up to `most`.

    (As st.fractions, which chooses within a choice and takes four times as long.)
    """
    low, high = Fraction(low), Fraction(high)

    def one(drawn: tuple[int, int]) -> Fraction:
        parts, k = drawn
        first, count = math.ceil(low * parts), math.floor(high * parts) - math.ceil(low * parts) + 1
        return Fraction(first + k % count, parts) if count > 0 else low

    return st.tuples(st.integers(1, most), st.integers(0, 999)).map(one)


places = fractions(-3, 3, 12)
values = fractions(0, 4, 6)
slopes = fractions(Fraction(1, 6), 4, 6)


@st.composite
def piecewise(draw: st.DrawFn) -> Piecewise:
    xs = sorted(draw(st.sets(places, min_size=1, max_size=5)))
    return Piecewise(tuple((x, draw(values)) for x in xs), (-draw(slopes), draw(slopes)))


powers = fractions(1, 5, 4).map(Power)
simple = st.one_of(
    st.just(L1()),
    st.just(L2()),
    fractions(Fraction(1, 9), Fraction(8, 9), 9).map(Pinball),
    powers,
    fractions(Fraction(1, 6), 3, 6).map(Huber),
    piecewise(),
)
sums = st.lists(st.tuples(fractions(Fraction(1, 4), 3, 4), simple), min_size=1, max_size=3).map(
    lambda terms: WeightedSum(tuple(terms))
)
losses = st.one_of(simple, sums)
steps = fractions(Fraction(1, 12), 2, 12)
indices = st.integers(-12, 12)


def walk(lo: Fraction, hi: Fraction, parts: int = 24) -> list[Fraction]:
    return [lo + (hi - lo) * Fraction(j, parts) for j in range(parts + 1)]


@given(losses, places)
def test_lower_and_upper_enclose_and_agree_with_floats(loss: Loss, x: Fraction) -> None:
    assert 0 <= loss.lower(x) <= loss.upper(x) <= loss.lower(x) * (1 + TINY)
    assert loss(float(x)) == pytest.approx(float(loss.lower(x)), abs=1e-9)


@given(losses, indices, steps)
def test_the_minorant_is_nowhere_above_the_loss(loss: Loss, i: int, step: Fraction) -> None:
    left, right = loss.minorant(i, step), loss.minorant(i + 1, step)
    several = list(loss.minorants(i, i + 9, step))  # some losses have a shorter way
    assert several[:2] == [left, right]
    assert several == list(Loss.minorants(loss, i, i + 9, step))
    values = [loss.lower(j * step) for j in range(i, i + 10)]
    assert list(loss.on_lattice(i, i + 9, step)) == values
    for x in walk(i * step, (i + 1) * step):
        share = x / step - i
        assert (1 - share) * left + share * right <= loss.upper(x)


@given(losses, indices, steps)
def test_the_chord_error_is_enough(loss: Loss, i: int, step: Fraction) -> None:
    lo, hi = i * step, (i + 1) * step + step / 3
    error = loss.chord_error(lo, hi)
    assert error >= 0
    for x in (*walk(lo, hi), *(t for t in loss.kinks if lo < t < hi)):
        share = (x - lo) / (hi - lo)
        chord = (1 - share) * loss.lower(lo) + share * loss.lower(hi)
        assert chord - loss.upper(x) <= error


@given(fractions(Fraction(1, 6), 3, 6), places, steps)
def test_the_chord_error_of_huber_is_the_largest_excess(
    width: Fraction, lo: Fraction, length: Fraction
) -> None:
    loss, hi = Huber(width), lo + length
    slope = (loss.lower(hi) - loss.lower(lo)) / length
    at = min(max(slope, lo), hi)
    assert loss.chord_error(lo, hi) == loss.lower(lo) + slope * (at - lo) - loss.lower(at)


@given(losses, places, steps)
def test_the_cell_mean_is_at_least_the_mean(loss: Loss, lo: Fraction, width: Fraction) -> None:
    # Between two neighbors of a walk the loss is at least its chord less the chord's error.
    nodes = walk(lo, lo + width, 32)
    below = [
        (loss.lower(a) + loss.lower(b)) / 2 - loss.chord_error(a, b) for a, b in pairwise(nodes)
    ]
    assert sum(below) / 32 <= loss.cell_mean(lo, lo + width)
    # And it is not much more than the trapezoids.
    trapezoids = [(loss.upper(a) + loss.upper(b)) / 2 for a, b in pairwise(nodes)]
    assert loss.cell_mean(lo, lo + width) <= sum(trapezoids) / 32 + width * 40 / 32


def worst_release(loss: Loss, x: Fraction, g: Fraction, parts: int = 16) -> Fraction:
    """The largest expected loss over values j/parts of a grid step above the grid."""
    return max(
        (1 - f) * loss.lower(x - f * g) + f * loss.lower(x + (1 - f) * g)
        for f in (Fraction(j, parts) for j in range(parts))
    )


@given(losses, places, steps)
def test_release_point_covers_every_value(loss: Loss, x: Fraction, g: Fraction) -> None:
    assert worst_release(loss, x, g) <= loss.release_point(x, g)


@given(losses, indices, steps, st.sampled_from([1, 3, 5]))
def test_release_cell_covers_every_value(loss: Loss, i: int, step: Fraction, grid: int) -> None:
    g = step / grid
    points = [i * step + j * g for j in range(-(grid // 2), grid // 2 + 1)]
    bound = loss.release_cell(i, step, grid)
    each = [
        sum((1 - f) * loss.lower(x - f * g) + f * loss.lower(x + (1 - f) * g) for x in points)
        for f in (Fraction(j, 8) for j in range(8))
    ]
    assert max(each) / grid <= bound
    # Not loose: no more than the mean over points that rounding reaches.
    reach = max(loss.upper(x + s * g) for x in points for s in (-1, 0, 1))
    assert bound <= reach * Fraction(3, 2) + TINY


@given(losses, steps, st.sampled_from([1, 3]))
def test_cells_are_added_up(loss: Loss, step: Fraction, grid: int) -> None:
    weights = {i: 1 + i % 7 for i in range(-9, 10)}  # kinks lie in cells, and between them
    one_by_one = (w * loss.release_cell(i, step, grid) for i, w in weights.items())
    assert loss.release_cells(weights, step, grid) == sum(one_by_one)


@given(losses, places, st.integers(1, 6), steps)
def test_release_run_is_at_least_the_mean_of_points(
    loss: Loss, first: Fraction, count: int, g: Fraction
) -> None:
    points = [first + j * g for j in range(count)]
    middle = first + (count - 1) * g / 2
    if isinstance(loss, Piecewise):  # there it is exactly that
        mean = sum(loss.release_point(x, g) for x in points) / count
        assert loss.release_run(middle, count, g) == mean
    f = Fraction(1, 2)
    total = sum((1 - f) * loss.lower(x - f * g) + f * loss.lower(x + f * g) for x in points)
    assert total / count <= loss.release_run(middle, count, g)


@given(losses, places, st.integers(1, 6), steps)
def test_run_mean_is_the_mean_of_points(
    loss: Loss, first: Fraction, count: int, g: Fraction
) -> None:
    points = [first + j * g for j in range(count)]
    mean = loss.run_mean(first + (count - 1) * g / 2, count, g)
    assert mean is None or mean == sum(loss.lower(x) for x in points) / count


@given(losses, st.integers(-5, 5))
def test_smeared_covers_every_whole_number(loss: Loss, k: int) -> None:
    half = Fraction(1, 2)
    if loss.smeared is not None:
        assert loss.cell_mean(k - half, k + half) - loss.lower(Fraction(k)) <= loss.smeared


@given(losses, places)
def test_mirror(loss: Loss, x: Fraction) -> None:
    assert loss.mirror().lower(x) == loss.lower(-x)
    assert loss.mirror().mirror().lower(x) == loss.lower(x)
    assert not loss.symmetric or loss.lower(x) == loss.lower(-x)


@given(losses, fractions(0, 5, 6), st.sampled_from([1, -1]))
def test_the_outer_minimum_is_below_everything_out_there(
    loss: Loss, edge: Fraction, side: int
) -> None:
    least = loss.outer_minimum(side, edge)
    assert all(least <= loss.upper(side * x) for x in walk(edge, edge + 12, 96))


@given(losses, fractions(Fraction(1, 6), 5, 6), st.sampled_from([1, -1]))
def test_the_tail_is_above_the_loss_and_convex(loss: Loss, start: Fraction, side: int) -> None:
    try:
        polynomial = loss.tail(side, start)
    except ArgumentError as error:
        assert "kink" in str(error)
        return
    assert all(a >= 0 for a in polynomial[2:])
    for t in walk(start, start * 20):
        value = sum((a * t**power for power, a in enumerate(polynomial)), Fraction(0))
        assert loss.lower(side * t) <= value


@given(losses, places, steps)
def test_the_infimum_is_below_and_reached(loss: Loss, lo: Fraction, width: Fraction) -> None:
    least = loss.infimum(lo, lo + width)
    inside = sorted({*walk(lo, lo + width), *(t for t in loss.kinks if lo < t < lo + width)})
    assert all(least <= loss.upper(x) for x in inside)
    if not isinstance(loss, WeightedSum):  # it is at an end, at a kink, or at 0
        ends = [*inside, *([Fraction(0)] if lo < 0 < lo + width else [])]
        assert least == min(loss.lower(x) for x in ends)


@given(losses, fractions(0, 5, 6), st.sampled_from([1, -1]))
def test_no_slope_beyond_the_edge_is_less_than_the_steepness(
    loss: Loss, edge: Fraction, side: int
) -> None:
    steepness = loss.steepness(side, edge)
    for a, b in pairwise(walk(edge, edge + 6, 48)):
        slope = (loss.upper(side * b) - loss.lower(side * a)) / (b - a)
        assert steepness <= slope
    if isinstance(loss, Piecewise):  # there it is the least of the slopes
        ends = sorted({edge, *(side * t for t in loss.kinks if side * t > edge), Fraction(99)})
        values = [(t, loss.lower(side * t)) for t in ends]
        assert steepness == min((d - c) / (b - a) for (a, c), (b, d) in pairwise(values))


@given(losses, places, steps)
def test_shapes(loss: Loss, lo: Fraction, width: Fraction) -> None:
    hi, middle = lo + width, lo + width / 2
    if loss.convex:
        assert loss.lower(middle) <= (loss.upper(lo) + loss.upper(hi)) / 2
    if loss.falls_nowhere and lo >= 0:
        assert all(loss.lower(side * lo) <= loss.upper(side * hi) for side in (1, -1))
    form = loss.quadratic_form
    if form is not None:
        folded = (loss(float(hi)) + loss(-float(hi))) / 2
        size = abs(float(hi))
        assert form[0] + form[1] * size + form[2] * size**2 == pytest.approx(folded)


@given(piecewise())
def test_convexity_is_found_exactly(loss: Piecewise) -> None:
    ends = [Fraction(-99), *loss.kinks, Fraction(99)]
    slopes = [(loss.lower(b) - loss.lower(a)) / (b - a) for a, b in pairwise(ends)]
    assert loss.convex == (slopes == sorted(slopes))


def test_which_losses_two_moments_settle() -> None:
    assert L1().quadratic_form == (0.0, 1.0, 0.0) == Power(1).quadratic_form
    assert L2().quadratic_form == (0.0, 0.0, 1.0)
    assert Pinball("0.8").quadratic_form == (0.0, 0.5, 0.0)
    assert Piecewise(((0, 3),), (-1, 2)).quadratic_form == (3.0, 1.5, 0.0)
    assert (2 * L1() + "1/4" * L2()).quadratic_form == (0.0, 2.0, 0.25)
    for other in (Power(3), Huber(1), Piecewise(((1, 0),), (-1, 1)), L1() + Huber(1)):
        assert other.quadratic_form is None


@given(losses)
def test_specifications_read_back(loss: Loss) -> None:
    again = loss_from_spec(json.loads(json.dumps(loss.spec())))
    for x in walk(Fraction(-4), Fraction(4)):
        assert again.lower(x) == loss.lower(x)
    assert loss.effort > 0
    assert loss.effort_at(4000) >= loss.effort_at(64)


@given(piecewise())
def test_falls_nowhere(loss: Piecewise) -> None:
    places = sorted({abs(x) for x, _ in loss.points} | {Fraction(0), Fraction(9)})
    right, left = [loss.lower(x) for x in places], [loss.lower(-x) for x in places]
    assert loss.falls_nowhere == (right == sorted(right) and left == sorted(left))


def test_a_loss_beyond_floats_is_refused() -> None:
    with pytest.raises(ArgumentError, match="floats"):
        Piecewise(((0, Fraction(10) ** 400),), (-1, 1))


def test_thousand_kinks_are_found_quickly() -> None:
    loss = Piecewise(tuple((x, x * x) for x in range(-500, 500)), (-1000, 1000))
    assert loss.lower(Fraction(7, 2)) == Fraction(9 + 16, 2)
    assert loss.cell_mean(Fraction(0), Fraction(2)) == Fraction(3, 2)
