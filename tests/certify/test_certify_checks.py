"""Each check of the checker against brute force and against known optima."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from fractions import Fraction
from itertools import chain, combinations
from typing import Any

import certify_brute as brute
import pytest
from certify_files import KINDS, good, good_text, meshed, searched
from certify_hostile import ADDITIVE
from hypothesis import given, settings
from hypothesis import strategies as st

from leastnoise.certify import AdditiveFile, ShiftCertificate, ShiftMultipliers, check, parse
from leastnoise.certify.certificates.duality import dual_bound
from leastnoise.certify.kinds.additive import Tail
from leastnoise.certify.noise.line.lattice_privacy import (
    lattice_hockey_sticks,
    mesh_hockey_sticks,
    run_hockey_sticks,
)
from leastnoise.certify.noise.line.release_loss import geometric_sums
from leastnoise.errors import FormatError
from leastnoise.exact import exp_lower
from leastnoise.losses import L1, L2, Huber, Loss, Piecewise, Pinball, Power

ONE = Fraction(1)
small_weights = st.lists(st.integers(0, 9), min_size=1, max_size=6)
budgets = st.sampled_from([Fraction(0), Fraction(1, 2), ONE, Fraction(3)])


@pytest.mark.parametrize("kind", KINDS)
def test_brute_force_confirms_the_good_files(kind: str) -> None:
    assert brute.holds(good(kind))


# -- privacy ----------------------------------------------------------------------------------


@given(small_weights, budgets, st.integers(1, 8))
def test_lattice_hockey_sticks_are_the_best_events(
    weights: list[int], epsilon: Fraction, n: int
) -> None:
    factor = exp_lower(epsilon)
    p = dict(enumerate(weights))
    for m, value in lattice_hockey_sticks(weights, epsilon, n):
        cells = list(p)
        events = chain.from_iterable(combinations(cells, k) for k in range(len(cells) + 1))
        best = max(
            sum(p[i] for i in event) - factor * sum(p.get(i - m, 0) for i in event)
            for event in events
        )
        assert value == best


@given(small_weights, budgets, st.integers(1, 8))
def test_symmetric_weights_need_one_sign(weights: list[int], epsilon: Fraction, n: int) -> None:
    both = dict(lattice_hockey_sticks([*weights, 99], epsilon, n))
    assert set(both) == {m for m in range(-n, n + 1) if m}
    whole = weights + weights[::-1]
    one = dict(lattice_hockey_sticks(whole, epsilon, n))
    assert set(one) == set(range(1, n + 1))
    factor = exp_lower(epsilon)
    for m, value in one.items():
        for sign in (1, -1):
            p = dict(enumerate(whole))
            assert value == sum(max(0, w - factor * p.get(i - sign * m, 0)) for i, w in p.items())


@given(
    st.lists(st.integers(0, 9), min_size=4, max_size=8),
    budgets,
    st.sampled_from([Fraction(1, 3), Fraction(2, 3)]),
    st.integers(1, 2),
)
def test_tails_are_the_limit_of_long_lists(
    weights: list[int], epsilon: Fraction, ratio: Fraction, n: int
) -> None:
    tail = parse(good_text("tail")).noise.tail
    assert tail is not None
    tail = type(tail)(n, ratio)
    periods = 40
    unit = ratio.denominator**periods
    left = [w * unit * ratio**k for k in range(periods, 0, -1) for w in weights[:n]]
    right = [w * unit * ratio**k for k in range(1, periods + 1) for w in weights[-n:]]
    listed = [int(w) for w in [*left, *(w * unit for w in weights), *right]]
    long = dict(lattice_hockey_sticks(listed, epsilon, n))
    for m, value in lattice_hockey_sticks(weights, epsilon, n, tail):
        # the cut-off ends hold at most this much more
        slack = 4 * sum(weights) * ratio ** (periods - 1)
        assert abs(long[m] / unit - value) <= slack


@given(
    st.lists(st.tuples(st.integers(0, 99), st.integers(1, 5)), min_size=4, max_size=9),
    budgets,
    st.sampled_from([None, Fraction(1, 3), Fraction(2, 3)]),
    st.integers(1, 2),
    st.booleans(),
)
def test_runs_of_equal_weights_hold_the_worst_shift(
    runs: list[tuple[int, int]], epsilon: Fraction, ratio: Fraction | None, n: int, fold: bool
) -> None:
    weights = [w for w, count in runs for _ in range(count)]
    weights += weights[::-1] if fold else []
    tail = None if ratio is None else Tail(n, ratio)
    every = dict(lattice_hockey_sticks(weights, epsilon, n, tail))
    some = dict(run_hockey_sticks(weights, epsilon, n, tail))
    assert max(some.values()) == max(every.values())
    assert all(value == every.get(m, every.get(-m)) for m, value in some.items())


@given(st.lists(st.integers(1, 5), min_size=1, max_size=6), st.data(), budgets, st.integers(1, 12))
def test_mesh_hockey_sticks_bound_every_real_shift(
    lengths: list[int], data: st.DataObject, epsilon: Fraction, reach: int
) -> None:
    weights = data.draw(st.lists(st.integers(0, 9), min_size=len(lengths), max_size=len(lengths)))
    marks = [0]
    for length in lengths:
        marks.append(marks[-1] + length)
    density = {
        2 * x + h: Fraction(w, 2 * length)
        for a, length, w in zip(marks, lengths, weights, strict=False)
        for x in range(a, a + length)
        for h in (0, 1)
    }
    factor = exp_lower(epsilon)
    direct = {
        Fraction(s, 2): sum(
            (max(Fraction(0), d - factor * density.get(x - s, 0)) for x, d in density.items()),
            Fraction(0),
        )
        for s in range(-2 * reach, 2 * reach + 1)
        if s
    }
    edges = [Fraction(mark) for mark in marks]
    found = dict(mesh_hockey_sticks(edges, weights, epsilon, Fraction(reach)))
    for shift, value in found.items():
        assert direct[shift] == value
    assert max(found.values()) == max(direct.values())


def test_the_two_ways_through_a_mesh_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = random.Random(5)
    for _ in range(30):
        marks = sorted(draw.sample(range(40), 6))
        weights = [draw.randrange(10) for _ in range(5)]
        edges = [Fraction(mark, 3) for mark in marks]
        worst = []
        for small in (True, False):
            monkeypatch.setattr(
                "leastnoise.certify.noise.line.lattice_privacy.on_small_lattice",
                lambda *_, small=small: small,
            )
            found = mesh_hockey_sticks(edges, weights, Fraction(1, 2), Fraction(4))
            worst.append(max(value for _, value in found))
        assert worst[0] == worst[1]


def test_a_lattice_written_as_a_mesh_is_checked_alike() -> None:
    document = parse(good_text("atom"))
    half = Fraction(1, 2)
    edges = tuple(document.noise.first - half + j for j in range(len(document.noise.weights) + 1))
    data = json.loads(document.dumps())
    data["noise"] = {
        "denominator": str(document.noise.denominator),
        "edges": [str(e) for e in edges],
        "weights": [str(w) for w in document.noise.weights],
        "atom": str(document.noise.atom),
    }
    mesh = parse(json.dumps(data))

    def worst(file: AdditiveFile) -> Fraction:
        return file.noise.worst_divergence(file.problem, file.epsilon)[1]

    assert worst(mesh) == worst(document)
    assert mesh.noise.release_loss(mesh.problem, L1()) == document.noise.release_loss(
        document.problem, L1()
    )
    assert check(mesh).exit_code == 0


# -- the upper bound --------------------------------------------------------------------------

LOSSES: list[Loss] = [
    L1(),
    L2(),
    Pinball("0.3"),
    Huber(Fraction(2, 3)),
    Power(Fraction(3)),
    Power(Fraction(3, 2)),
    Piecewise(((-1, 1), (0, "0.5"), ("0.3", 2), (1, 0)), (-3, 1)),
    L1() + 2 * Huber(Fraction(1, 2)),
]


@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.name)
@pytest.mark.parametrize("kind", ["atom", "mesh", "integer"])
def test_upper_covers_every_value_and_little_more(loss: Loss, kind: str) -> None:
    data = good(kind) | {"loss": loss.spec()}
    document = parse(json.dumps(data))
    bound = document.noise.release_loss(document.problem, loss)
    worst = brute.worst_loss(data)
    assert worst <= bound * (1 + Fraction(1, 10**30))
    assert bound <= worst * Fraction(6, 5)


@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.name)
@pytest.mark.parametrize("kind", ["tail", "integer tail"])
def test_upper_covers_tails(loss: Loss, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(brute, "PERIODS", 25)
    data = good(kind) | {"loss": loss.spec()}
    document = parse(json.dumps(data))
    bound = document.noise.release_loss(document.problem, loss)
    worst = brute.worst_loss(data, 2)
    assert worst <= bound <= worst * Fraction(6, 5)


@given(st.fractions(Fraction(1, 50), Fraction(4, 5)))
@settings(max_examples=20)
def test_geometric_sums(ratio: Fraction) -> None:
    for order, value in enumerate(geometric_sums(ratio, 6)):
        listed = sum(float(ratio) ** k * k**order for k in range(1, 400))
        assert float(value) == pytest.approx(listed, rel=1e-9)


# -- the lower bound --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("problem", "optimum"),
    [
        # Geng and Viswanath's staircase is optimal at delta = 0.
        ({"epsilon": 1, "delta": 0, "resolution": 12}, 2.718281828459045**0.5 / 1.718281828459045),
        # Rounded Tulap is optimal for counts; here delta = 0, the discrete Laplace: 2r/(1-r^2).
        (
            {"epsilon": 1, "delta": 0, "sensitivity": 1, "integer": True},
            2 * 2.718281828459045**-1 / (1 - 2.718281828459045**-2),
        ),
        # Pure delta on [-D/2/dlt, D/2/dlt]: uniform noise is optimal at even 1/delta.
        ({"epsilon": 0, "delta": "0.25", "resolution": 4}, 1.0),
    ],
)
def test_lower_bounds_never_pass_known_optima(problem: dict[str, Any], optimum: float) -> None:
    document = searched(**problem)
    assert isinstance(document.certificate, ShiftCertificate)
    bound = dual_bound(
        document.certificate,
        ((document.epsilon, document.delta),),
        document.sensitivity,
        document.loss,
        document.kind == "integer",
    )
    assert 0.97 * optimum < float(bound) <= optimum * (1 + 1e-12)
    assert float(document.upper) >= optimum * (1 - 1e-12)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "custom"])
def test_lower_agrees_with_the_obvious_sum(kind: str) -> None:
    data = good(kind)
    document = parse(json.dumps(data))
    assert isinstance(document.certificate, ShiftCertificate)
    bound = dual_bound(
        document.certificate,
        ((document.epsilon, document.delta),),
        document.sensitivity,
        document.loss,
        document.kind == "integer",
    )
    assert abs(bound - max(brute.dual_value(data), 0)) < Fraction(1, 10**25)


entries = st.lists(
    st.tuples(st.integers(-4, 4), st.fractions(0, 1, max_denominator=9)),
    max_size=5,
    unique_by=lambda pair: pair[0],
)


@given(
    st.lists(
        st.tuples(st.sampled_from([1, 2, -1, -2]), entries),
        max_size=3,
        unique_by=lambda pair: pair[0],
    ),
    st.sampled_from(["atom", "squared", "pinball", "piecewise"]),
)
def test_any_multipliers_stay_below_the_loss_of_private_noise(
    shifts: list[tuple[int, list[tuple[int, Fraction]]]], kind: str
) -> None:
    document = parse(good_text(kind))
    certificate = ShiftCertificate(
        document.sensitivity / 2,
        4,
        tuple(ShiftMultipliers(m, False, ONE, tuple(cells)) for m, cells in shifts),
    )
    bound = dual_bound(
        certificate,
        ((document.epsilon, document.delta),),
        document.sensitivity,
        document.loss,
        False,
    )
    assert bound <= document.upper


def test_mass_beyond_the_edge_may_be_cheaper_than_the_edge() -> None:
    """A loss that falls right beyond the last lattice point: its value there counts.

    Randomised rounding sends mass from there to the last point, so no more than the loss out
    there may be assumed of that point.
    """
    high, low = 100, 2
    points = [(-2, low), ("-1.2", low), (-1, high), (0, 0), (1, high), ("1.2", low), (2, low)]
    loss = Piecewise(tuple(points), (-1, 1))
    certificate = ShiftCertificate(ONE, 0, (ShiftMultipliers(1, True, ONE, ((0, ONE),)),))
    # k_1 = 100 - chord error 78.4 = 21.6, less 1 for the multiplier: far above theta = 2. But a
    # mechanism at 1.3 costs 2 and puts 0.7 of its mass on lattice point 1, where -1 was charged.
    assert loss.minorant(1, ONE) > 20
    bound = dual_bound(certificate, ((Fraction(0), Fraction(0)),), ONE, loss, False)
    assert bound == low - 1
    assert dual_bound(certificate, ((Fraction(0), Fraction(0)),), ONE, loss, True) == low


def test_dual_bound_takes_the_least_over_all_cells_exactly() -> None:
    certificate = ShiftCertificate(ONE, 1, ())
    high = Piecewise(((-1, 3), (1, "2.5")), (-1, 1))
    budget = ((ONE, Fraction(1, 2)),)
    # The minorant of a square is -1/4 at 0: less than nothing is proven, and 0 holds.
    for loss, least in ((L1(), 0), (L2(), 0), (Pinball("0.2"), 0), (high, Fraction(5, 2))):
        assert dual_bound(certificate, budget, ONE, loss, False) == least


# -- documents --------------------------------------------------------------------------------


def test_files_that_are_not_well_formed_are_rejected() -> None:
    document = parse(good_text("atom"))
    for change in (
        {"weights": (-1,)},
        {"grid": 2},
        {"step": Fraction(2, 7)},
        {"atom": -1},
        {"denominator": 0},
    ):
        with pytest.raises(FormatError):
            parse(document.with_noise(**change).dumps())
    for other in (
        document.with_problem(delta=ONE),
        document.with_problem(integer=True),
        replace(document, lower=Fraction(10**6)),
    ):
        with pytest.raises(FormatError):
            parse(other.dumps())
    with pytest.raises(FormatError):
        ShiftMultipliers(1, True, ONE, ((0, ONE), (0, ONE)))
    with pytest.raises(FormatError):
        ShiftMultipliers(1, True, ONE, ((0, Fraction(2)),))
    with pytest.raises(FormatError):
        ShiftCertificate(ONE, 0, (ShiftMultipliers(1, True, ONE, ((1, ONE),)),))


def test_meshes_of_other_losses() -> None:
    for loss in ("l2", "pinball:0.7"):
        document = meshed(loss)
        assert check(parse(document.dumps())).exit_code == 0
        assert brute.upper_holds(json.loads(document.dumps()))


def test_noise_that_is_all_atom_may_list_no_cell() -> None:
    noise = {"denominator": "1", "first": 0, "weights": [], "atom": "1"}
    report = check(parse(json.dumps({**ADDITIVE, "noise": noise})))
    assert report.verdict("distribution") == "proven" and report.verdict("privacy") == "refuted"
    assert dict(run_hockey_sticks([], Fraction(1), 3)) == {3: 0}
