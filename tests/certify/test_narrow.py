"""Narrow events: what they state holds for private noise, and no file proves too much by them."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from certify_hostile import ADDITIVE, long, ratio
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.stats import norm

from leastnoise.certify import check, parse
from leastnoise.certify.certificates.duality import bound_on_noise, dual_bound
from leastnoise.certify.certificates.narrow import NarrowEvent
from leastnoise.certify.kinds.additive import ShiftCertificate, ShiftMultipliers
from leastnoise.errors import FormatError, LimitError
from leastnoise.losses import Piecewise, as_loss

Floats = NDArray[np.float64]
Density = Callable[[Floats], Floats]


def _side(rng: random.Random, parts: int) -> tuple[Fraction, Fraction]:
    inner, outer = sorted(rng.sample(range(parts + 1), 2))
    return Fraction(inner, parts), Fraction(outer, parts)


def _event(rng: random.Random, n: int, points: int = 1, parts: int = 16) -> NarrowEvent:
    """Any event that is moved by n steps at most."""
    first, last = sorted(rng.choices(range(1 - n, n), k=2))
    left, right = _side(rng, parts), _side(rng, parts)
    mirror, multiplier = rng.random() < 0.4, Fraction(rng.randrange(1, 99), 99)
    return NarrowEvent(rng.randrange(points), left, right, first, last, mirror, multiplier)


def _hat(x: Floats) -> Floats:
    return np.maximum(0.0, 1.0 - np.abs(x))


def _phi(event: NarrowEvent, x: Floats) -> Floats:
    (i, o), (ri, ro) = event.left, event.right
    left = (float(o) + x) / float(o - i)
    right = (float(ro) - x) / float(ro - ri)
    return np.asarray(np.clip(np.where(x < 0, left, right), 0.0, 1.0))


def _hats(event: NarrowEvent, x: Floats) -> Floats:
    """T of the proof, written out anew."""
    (i, o), (ri, ro) = (tuple(map(float, side)) for side in (event.left, event.right))
    area, after, before = (
        (i + o + ri + ro) / 2,
        (ri**2 + ri * ro + ro**2) / 6,
        (i**2 + i * o + o**2) / 6,
    )
    found = sum(area * _hat(x + m) for m in range(event.first, event.last + 1))
    found = found + after * _hat(x + event.first - 1) + before * _hat(x + event.last + 1)
    found = found + max(0.0, after - before) * _hat(x + event.first)
    found = found + max(0.0, before - after) * _hat(x + event.last)
    return np.asarray(found / (event.last - event.first + 1))


def test_the_hats_are_those_of_the_proof() -> None:
    rng, x = random.Random(1), np.arange(-6.0, 7.0)
    for _ in range(200):
        event = _event(rng, 4)
        weights = np.zeros(13)
        for cell, weight in event.weights():
            assert abs(cell) <= event.furthest <= 4
            weights[cell + 6] += float(weight)
        assert np.allclose(weights, _hats(event, x), atol=1e-14)


def test_the_moved_event_is_nowhere_above_its_hats() -> None:
    """The mean of phi(x + s) over the shifts, by a sum over fine cells; some places touch."""
    rng, fine, touched = random.Random(2), 64, 0
    v = (np.arange(-fine, fine) + 0.5) / fine
    for _ in range(60):
        event = _event(rng, 4)
        first, last, count = event.first, event.last, event.last - event.first + 1
        x = np.arange(-6 * 8, 6 * 8 + 1) / 8
        s = v[None, :] - x[:, None]
        kappa = np.clip(np.minimum(s - first + 1, last + 1 - s), 0.0, 1.0) / count
        moved = (kappa * _phi(event, v)).mean(axis=1) * 2
        room = _hats(event, x) - moved
        assert room.min() > -1e-3 / count  # of the sum over cells
        touched += int((room[moved > 0.01] < 1e-3).sum())
    assert touched > 100


def _staircase(epsilon: float, width: float) -> Density:
    def density(x: Floats) -> Floats:
        return np.asarray(np.exp(-epsilon * np.floor((np.abs(x) + 1 - width) / 1.0)))

    return density


@pytest.mark.parametrize("name", ["laplace", "peaked staircase", "wide staircase", "gauss"])
@pytest.mark.parametrize("n", [1, 4])
def test_private_noise_obeys_the_statement(name: str, n: int) -> None:
    epsilon = 1.5
    delta = norm.cdf(1 - epsilon / 2) - math.exp(epsilon) * norm.cdf(-1 - epsilon / 2)
    density: Density
    if name == "laplace":
        density, delta = lambda x: np.exp(-epsilon * np.abs(x)), 0.0
    elif name == "gauss":  # of mu = 2
        density = norm(scale=0.5).pdf
    else:
        width = 0.1 if name == "peaked staircase" else 0.6
        density, delta = _staircase(epsilon, width), 0.0
    x = (np.arange(-6000, 6000) + 0.5) / 600  # the sensitivity is 1
    mass = density(x) / density(x).sum()
    rng = random.Random(n)
    for _ in range(30):
        event = _event(rng, n)
        within, around = (float(mass @ f(event, x * n)) for f in (_phi, _hats))
        assert within <= math.exp(epsilon) * around + delta + 1e-4


LOSSES = [
    as_loss("l1"),
    as_loss("l2"),
    as_loss("pinball:0.8"),
    Piecewise(((-2, 1), ("-0.5", 3), (0, 2), ("0.3", 1), (1, 3), (2, 1)), (-1, 1)),
]


@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.name)
def test_a_bound_is_at_most_the_least_value_of_what_it_adds_up(loss: Any) -> None:
    """Loss and multipliers at many places, edges and beyond them included, written out anew."""
    rng, proven = random.Random(3), 0
    for _ in range(60):
        n, reach, size = rng.randrange(1, 5), rng.randrange(0, 4), rng.choice([1, 10, 100])
        points = ((Fraction(1), Fraction(1, 50)), (Fraction(0), Fraction(1, 9)))
        narrow = tuple(_event(rng, n, 2) for _ in range(rng.randrange(1, 4)))
        narrow = tuple(
            NarrowEvent(e.point, e.left, e.right, e.first, e.last, e.mirror, e.multiplier / size)
            for e in narrow
        )
        shifts = tuple(
            ShiftMultipliers(
                rng.choice([-1, 1]) * rng.randrange(1, n + 1),
                False,
                Fraction(1, 5 * size),
                tuple((i, Fraction(rng.randrange(9), 45 * size)) for i in range(-reach, reach + 1)),
                point,
            )
            for point in range(2)
        )
        certificate = ShiftCertificate(Fraction(1, n), reach, shifts, (), points, narrow)
        found = float(dual_bound(certificate, points, Fraction(1), loss, False))
        x = np.arange(-16 * (n + reach + 2), 16 * (n + reach + 2) + 1) / 16
        f = np.array([float(loss.lower(Fraction(place) / n)) for place in x])
        spent = 0.0
        for e in narrow:
            epsilon, delta = map(float, points[e.point])
            for side in (1, -1) if e.mirror else (1,):
                moved = math.exp(epsilon) * _hats(e, side * x)
                f += float(e.multiplier) * (_phi(e, side * x) - moved)
                spent += delta * float(e.multiplier)
        for entry in shifts:
            epsilon, delta = map(float, points[entry.point])
            spent += delta * float(entry.budget)
            for i, z in entry.cells:
                f += float(z) * (_hat(x - i) - math.exp(epsilon) * _hat(x - i + entry.shift))
        if loss.symmetric:
            f = (f + f[::-1]) / 2
        assert found <= max(0.0, f.min() - spent) + 1e-9
        proven += found > 0
    assert proven > 1


def _columns(
    events: list[NarrowEvent], points: list[tuple[Fraction, Fraction]], x: Floats
) -> tuple[Floats, Floats]:
    """What each event adds at the places, both sides' mean, and what it spends."""
    added, spent = [], []
    for e in events:
        epsilon, delta = map(float, points[e.point])
        one = _phi(e, x) - math.exp(epsilon) * _hats(e, x)
        added.append((one + one[::-1]) / 2)
        spent.append(delta)
    return np.array(added).T, np.array(spent)


@pytest.mark.parametrize("mu", [1, 4])
def test_the_best_multipliers_prove_no_more_than_gaussian_noise_costs(mu: int) -> None:
    """Narrow events alone, by a linear program: what they prove is positive, and no more."""
    n = 4
    points = []
    for k in range(8):
        epsilon = mu * (mu + 1) * k / 14
        delta = norm.cdf(mu / 2 - epsilon / mu) - math.exp(epsilon) * norm.cdf(
            -mu / 2 - epsilon / mu
        )
        points.append((Fraction(epsilon), Fraction(math.ceil(delta * 10**9) + 1, 10**9)))
    radii = [Fraction(0), *(Fraction(1, 2**k) for k in range(6, -1, -1))]
    events = [
        NarrowEvent(j, (a, b), (a, b), first, last, False, Fraction(0))
        for a, b in pairwise(radii)
        for first, last in ((0, 0), (1, 1), (1, 3), (2, 3), (3, 3), (-3, 3), (-1, 2))
        for j in range(len(points))
    ]
    x = np.array(sorted({*range(-n, n + 1), *map(float, radii), *(-float(r) for r in radii)}))
    added, spent = _columns(events, points, x)
    rows = np.column_stack([np.ones(len(x)), -added])
    solved = linprog(
        np.append(-1.0, spent), rows, np.abs(x) / n, bounds=[(None, 1), *[(0, None)] * len(events)]
    )
    narrow = tuple(
        NarrowEvent(
            e.point, e.left, e.right, e.first, e.last, False, Fraction(round(u * 1e9), 10**9)
        )
        for e, u in zip(events, solved.x[1:], strict=True)
        if u > 1e-9
    )
    certificate = ShiftCertificate(Fraction(1, n), 0, (), (), tuple(points), narrow)
    found = dual_bound(certificate, points, Fraction(1), as_loss("l1"), False)
    assert found == pytest.approx(-solved.fun, abs=1e-5)
    assert 0.1 < float(found) * mu / math.sqrt(2 / math.pi) < 1


EVENT = {
    "point": 0,
    "left": ["0", "0.5"],
    "right": ["0", "0.5"],
    "first": -1,
    "last": 2,
    "mirror": False,
    "multiplier": "0.1",
}


def _file(events: object, steps: int = 3, **more: Any) -> str:
    certificate = {
        "step": f"1/{steps}",
        "reach": 0,
        "points": [["1", "0.9"]],
        "shifts": [],
        "narrow": events,
    }
    gdp = {"mu": "2", "points": [["0", "0.9"], ["9", "0"]], "thresholds": ["1"]}
    return json.dumps({**ADDITIVE, "gdp": gdp, "certificate": certificate, **more})


def test_a_file_with_narrow_events_is_read_and_written() -> None:
    document = parse(_file([EVENT]))
    assert isinstance(document.certificate, ShiftCertificate)
    assert len(document.certificate.narrow) == 1
    assert parse(document.dumps()) == document
    assert check(document).verdict("lower") == "proven"


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"point": 1}, "point"),
        ({"point": True}, "point"),
        ({"left": ["0", "0"]}, "inner"),
        ({"left": ["-0.1", "0.5"]}, "inner"),
        ({"right": ["0.5", "1.1"]}, "inner"),
        ({"right": ["0.5"]}, "right"),
        ({"right": ["0", "0." + "1" * 99]}, "right"),
        ({"first": 3}, "first"),
        ({"last": 3}, "beyond the sensitivity"),
        ({"first": -3}, "beyond the sensitivity"),
        ({"last": 10**9}, "last"),
        ({"mirror": 0}, "mirror"),
        ({"multiplier": "-0.1"}, "multiplier"),
        ({"multiplier": 0.1}, "multiplier"),
        ({"more": 1}, "narrow"),
    ],
)
def test_a_forged_event_is_refused(changes: dict[str, Any], word: str) -> None:
    with pytest.raises(FormatError, match=word):
        parse(_file([{**EVENT, **changes}]))


@pytest.mark.parametrize("events", [[], {}, None, [1]])
def test_a_list_without_events_is_refused(events: object) -> None:
    with pytest.raises(FormatError, match="narrow"):
        parse(_file(events))


def test_narrow_events_are_for_noise_below_a_curve() -> None:
    plain = json.loads(_file([EVENT]))
    del plain["gdp"]
    with pytest.raises(FormatError, match="curve"):
        parse(json.dumps(plain))
    whole = json.loads(_file([EVENT], 1, kind="integer"))
    whole["certificate"]["narrow"][0] |= {"first": 0, "last": 0}
    with pytest.raises(FormatError, match="curve"):
        parse(json.dumps(whole))


def test_a_point_that_the_curve_does_not_promise_proves_nothing() -> None:
    data = json.loads(_file([EVENT]))
    data["certificate"]["points"] = [["1", "0.1"]]
    (claim,) = (c for c in check(parse(json.dumps(data))).claims if c.name == "lower")
    assert claim.verdict == "refuted" and "not claimed" in claim.detail


def test_whole_numbers_may_hide_in_one_place_at_any_step() -> None:
    """Their privacy says nothing of the shifts between whole ones, which a narrow event uses."""
    side = (Fraction(0), Fraction(1, 10))
    event = NarrowEvent(0, side, side, 0, 0, False, Fraction(1))
    for step in (1, 2):
        certificate = ShiftCertificate(Fraction(step), 3, (), (), (), (event,))
        with pytest.raises(FormatError, match="real noise"):
            bound_on_noise(certificate, [(Fraction(1), Fraction(0))], Fraction(4), LOSSES[0], True)


@pytest.mark.parametrize(
    ("steps", "events"),
    [
        (60_000, [{**EVENT, "first": -59_999, "last": 59_999, "multiplier": ratio(400, 1)}]),
        (400, [{**EVENT, "first": 0, "multiplier": ratio(400, k)} for k in range(2000)]),
        (400, [{**EVENT, "left": [f"0.{k:04}", f"0.9{long(90, k)}"]} for k in range(500)]),
    ],
    ids=["a long window", "long multipliers", "many radii"],
)
def test_a_file_that_would_take_long_is_left(steps: int, events: list[Any]) -> None:
    with pytest.raises(LimitError):
        check(parse(_file(events, steps)))
