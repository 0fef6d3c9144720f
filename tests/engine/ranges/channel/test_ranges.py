"""Data dependent designs: brackets, privacy, releases, priors, bounds and whole numbers."""

from __future__ import annotations

import json
import math
import time
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import linprog

from leastnoise import (
    ArgumentError,
    FormatError,
    LossAtMost,
    MaxError,
    Monotone,
    Piecewise,
    Support,
    Unbiased,
    design_dependent,
)
from leastnoise import design as any_design
from leastnoise.certify import check
from leastnoise.certify.kinds.dependent import DEPENDENT
from leastnoise.certify.noise.ranges.clamped import ClampedAnswers
from leastnoise.certify.noise.ranges.rows import RowAnswers
from leastnoise.engine.ranges.channel.baselines import constant_upper
from leastnoise.problem.domain import problem_of
from leastnoise.sampling import InsecureSeededEntropy

BASE = {"epsilon": 1, "delta": 0.2, "sensitivity": 2, "bounds": (0, 4)}


@pytest.fixture(scope="module")
def base():
    return design_dependent(**BASE)


@pytest.fixture(scope="module")
def free():
    """As soon as it is within 5 %: what others are compared with."""
    return design_dependent(**BASE, gap=0.05)


def audit(design, values) -> float:
    """The largest hockey stick between laws at values within the sensitivity, in floats."""
    exp = math.exp(design.epsilon)
    worst = 0.0
    laws = {
        v: dict(zip(*(part.tolist() for part in design.noise.distribution(v)), strict=True))
        for v in values
    }
    for x in values:
        for y in values:
            if x != y and abs(x - y) <= design.sensitivity:
                other = laws[y]
                excess = sum(max(0.0, p - exp * other.get(a, 0.0)) for a, p in laws[x].items())
                worst = max(worst, excess)
    return worst


# The brackets of earlier prototypes for |x|, sensitivity 2, range of length 4.
@pytest.mark.parametrize(
    ("epsilon", "delta", "gap", "low", "high"),
    [
        (1, 0.2, 0.01, 0.64660, 0.65027),
        (0.2, 0.05, 0.01, 0.9394, 0.9439),
        (5, 0.25, 0.1, 0.0965, 0.10680),
    ],
)
def test_known_brackets(base, epsilon, delta, gap, low, high) -> None:
    asked = {**BASE, "epsilon": epsilon, "delta": delta}
    design = base if asked == BASE else design_dependent(**asked, gap=gap)
    assert design.converged and design.gap <= gap
    assert design.verify().proven
    assert design.lower <= high and low <= design.upper  # two brackets of one number meet
    assert design.upper <= high


def test_audit(base) -> None:
    step = float(base.document.noise.step)
    nodes = base.noise.nodes.tolist()[::3]
    between = [node + 0.37 * step for node in nodes[:-1]]
    ends = [0.0, 1e-9, 2.0, 4.0, 4 - 1e-9]
    worst = audit(base, sorted({*nodes, *between, *ends}))
    assert 0.1 <= worst <= 0.2 + 1e-9


@pytest.mark.parametrize("loss", ["l2", "pinball:0.8", "huber:0.5", "power:3/2"])
def test_losses(loss) -> None:
    design = design_dependent(**BASE, loss=loss, gap=0.1)
    assert design.converged and design.verify().proven
    values = (np.arange(2000) + 0.5) / 500
    mean = float(design.noise.expected_loss(values).mean())
    assert design.lower <= mean <= design.upper * (1 + 1e-4)


def test_never_worse_than_simple_answers(base) -> None:
    assert base.upper <= 1.0  # the constant answer
    assert base.upper <= 2 * 0.558745  # additive noise, optimal
    tiny = design_dependent(epsilon=0.01, delta=0.001, sensitivity=2, bounds=(0, 4))
    assert tiny.upper <= 1.0


def test_wider_ranges_approach_additive_noise() -> None:
    ratios = []
    for width in (2, 4, 8):
        design = design_dependent(epsilon=1, delta=0.2, sensitivity=1, bounds=(0, width), gap=0.05)
        ratios.append(design.upper / 0.558745)
    assert ratios == sorted(ratios) and ratios[-1] <= 1.05


def test_release_and_sample(base) -> None:
    answers = set(base.noise.answers.tolist())
    value = float(base.noise.nodes[5])
    draws = {base.release(value, entropy=InsecureSeededEntropy(j)) for j in range(200)}
    assert draws <= answers and value in draws
    near = {base.release(value + 1e-3, entropy=InsecureSeededEntropy(j)) for j in range(200)}
    assert value in near  # rounded to a node
    exact = base.release(Fraction(1, 3), exact=True, entropy=InsecureSeededEntropy(1))
    assert isinstance(exact, Fraction)
    sample = base.noise.sample(1.3, 40000, entropy=InsecureSeededEntropy(7))
    assert abs(np.abs(sample - 1.3).mean() - base.noise.expected_loss(1.3)) < 0.02
    assert abs(sample.mean() - 1.3 - base.noise.bias(1.3)) < 0.02
    assert abs(sample.std() - base.noise.spread(1.3)) < 0.02
    source = InsecureSeededEntropy(9)
    released = np.array(base.release([1.3] * 4000, entropy=source))
    assert abs(np.abs(released - 1.3).mean() - base.noise.expected_loss(1.3)) < 0.06
    assert base.release(np.full((2, 3), 1.3)).shape == (2, 3)
    series = pd.Series([1.3, 2.0], index=["a", "b"], name="x")
    held = base.release(series)
    assert held.index.equals(series.index) and held.name == "x" and held.between(0, 4).all()
    for bad in ([1.3, np.nan], {"31415926": 1}, "31415926", pd.Series(["31415926"])):
        with pytest.raises(ArgumentError, match="value must be") as caught:
            base.release(bad)
        assert "31415926" not in str(caught.value) + repr(vars(caught.value))


@pytest.mark.parametrize("value", [-0.01, 4.01, 5, Fraction(-1, 10**9), 1e300, -(10**40)])
def test_values_outside_are_answered_as_the_end(base, value) -> None:
    end = 0 if value < 0 else 4
    assert base.noise.exact_distribution(value) == base.noise.exact_distribution(end)
    one, two = (base.release(v, entropy=InsecureSeededEntropy(2)) for v in (value, end))
    assert one == two


def test_ends_given_as_floats() -> None:
    design = design_dependent(epsilon=1, delta=0.1, sensitivity=1, bounds=(0.1, 0.7), gap=0.1)
    for value in (0.1, 0.7):
        design.release(value)
    # The float 0.1 is above one tenth and stays what it is: nothing is moved away from it.
    assert design.noise.checked(0.1) == Fraction(0.1) > Fraction(1, 10)
    assert design.noise.checked(0.7) == Fraction(0.7) < Fraction(7, 10)


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("bounds", (4, 0), "low < high"),
        ("bounds", 3, "low < high"),
        ("prior", "flat", "uniform"),
        ("gap", 0, "1e-9"),
        ("delta", 1, "below 1"),
        ("loss", "l7", "l1"),
        ("prior", {"edges": [0, 4], "masses": [-1]}, "non-negative"),
        ("prior", [5.0], "samples"),
        ("resolution", 999, "at most 256"),
        ("instance_bound", -1, "positive"),
        ("crossing", (9, 1), "slope"),
        ("outputs", [], "answers"),
    ],
)
def test_bad_arguments(key, value, words) -> None:
    with pytest.raises(ArgumentError, match=words) as caught:
        design_dependent(**{**BASE, key: value})
    assert key in str(caught.value)


def test_priors(free) -> None:
    same = design_dependent(**BASE, gap=0.1, prior={"edges": [0, 1, 4], "masses": [1, 3]})
    assert same.lower <= free.upper and free.lower <= same.upper
    for prior in (lambda x: 1 + x, [1, 2, 2, 3], {"edges": [0, 1, 4], "masses": [3, 1]}):
        design = design_dependent(**BASE, prior=prior, gap=0.25)
        assert design.converged and design.verify().proven


def test_instance_bound(free) -> None:
    design = design_dependent(**BASE, gap=0.1, instance_bound=1.0)
    assert design.verify().verdict("instance") == "proven"
    values = np.linspace(0, 4, 401)
    assert design.noise.expected_loss(values).max() <= 1.0
    assert free.noise.expected_loss(values).max() > 1.0
    with pytest.raises(ArgumentError, match="instance_bound must be larger"):
        design_dependent(**BASE, gap=0.05, instance_bound=0.1, resolution=8)


def best_integers(most: float) -> float:
    """The least mean absolute error at (1, 0.2) on 0..4, sensitivity 2, squares at most `most`."""
    x = np.arange(5)
    answers = np.arange(25).reshape(5, 5)
    pairs = [(k, m) for k in x for m in x if 1 <= abs(k - m) <= 2]
    excess = 25 + np.arange(5 * len(pairs)).reshape(-1, 5)
    rows, limits = [], []
    for more, (k, m) in zip(excess, pairs, strict=True):
        for y in x:
            row = np.zeros(25 + excess.size)
            row[answers[k, y]], row[answers[m, y]], row[more[y]] = 1, -np.e, -1
            rows.append(row)
            limits.append(0.0)
        row = np.zeros(25 + excess.size)
        row[more] = 1
        rows.append(row)
        limits.append(0.2)
    for k in x:
        row = np.zeros(25 + excess.size)
        row[answers[k]] = (x - k) ** 2
        rows.append(row)
        limits.append(most)
    sums = np.zeros((5, 25 + excess.size))
    sums[x[:, None], answers] = 1
    costs = np.zeros(25 + excess.size)
    costs[:25] = np.abs(x[:, None] - x).ravel() / 5
    return float(linprog(costs, np.array(rows), limits, sums, np.ones(5)).fun)


def test_instance_bound_of_another_loss() -> None:
    asked = {"epsilon": 1, "delta": 0.2, "sensitivity": 2, "bounds": (0, 4), "integer": True}
    best = any_design(**asked, instance_bound=("l2", "1.3"))
    assert best.verify().proven and best.verify().verdict("instance") == "proven"
    truth = best_integers(1.3)
    assert best.lower <= truth + 1e-9 and truth <= best.upper + 1e-9 < truth * 1.001
    plain = any_design(**asked)
    assert sum(best.document.certificate.instance) > 0 and best.lower > plain.upper
    # (Without the bound's own loss the file would be a claim about absolute errors.)
    written = json.loads(best.document.dumps())
    assert written["instance_loss"] == {"name": "l2"}
    stricter = DEPENDENT.read({**written, "instance_bound": "1.25"})
    assert check(stricter).verdict("instance") == "refuted"
    for wrong in ({"instance_loss": {"name": "l1"}}, {"instance_bound": None}):
        data = {key: value for key, value in {**written, **wrong}.items() if value is not None}
        with pytest.raises(FormatError, match="instance_loss"):
            DEPENDENT.read(data)
    by_constraint = any_design(**asked, constraints=[LossAtMost("l2", "1.3")])
    assert by_constraint.document == best.document
    own = any_design(**asked, instance_bound=("l1", 1))
    assert own.document == any_design(**asked, instance_bound=1).document


@pytest.mark.parametrize(
    ("bound", "text"),
    [
        (("l2",), "a pair"),
        (("l2", 0), "positive"),
        (("power:1/2", 1), "p must be"),
        ((Piecewise([(-1, 0), (0, 1), (1, 2)], [-1, 1]), 1), "never decreases"),
        (("huber:1e-40", 1), "1e-30"),
    ],
)
def test_instance_bounds_that_mean_nothing(bound, text) -> None:
    with pytest.raises(ArgumentError, match=text):
        design_dependent(**BASE, instance_bound=bound)


def test_outputs_and_mesh_answers(free) -> None:
    design = design_dependent(**BASE, outputs=[0, 1, 2, 3, 4], gap=0.2, resolution=16)
    assert set(design.noise.answers.tolist()) <= {0.0, 1.0, 2.0, 3.0, 4.0}
    assert design.noise.revealing == 0 and design.verify().proven
    odd = design_dependent(**BASE, outputs=["1/3", "2", "3.3"], gap=0.2, resolution=8)
    assert (
        odd.document.noise.columns.outputs == (Fraction(1, 3), 2, Fraction(33, 10))
        and odd.verify().proven
    )
    lopsided = design_dependent(**BASE, outputs=[-5, 9], gap=0.2, resolution=12)
    assert lopsided.verify().proven and not lopsided.converged
    plain = design_dependent(**BASE, exact_answers=False, gap=0.05)
    assert plain.noise.revealing == 0 and plain.converged
    assert 0.1 < free.noise.revealing <= 0.2


def test_crossing_costs_more(free) -> None:
    crossed = design_dependent(**BASE, gap=0.05, crossing=(2, 10))
    assert crossed.verify().proven and crossed.upper > free.upper
    values = (np.arange(4000) + 0.5) / 1000
    assert float(crossed.noise.expected_loss(values).mean()) <= crossed.upper * (1 + 1e-6)
    assert float(crossed.noise.expected_loss(values).mean()) >= crossed.lower


def ghosh(epsilon: float, count: int) -> float:
    """The geometric mechanism clamped to 0..count: optimal up to post-processing for |x|."""
    ratio = math.exp(-epsilon)
    total = 0.0
    best = np.zeros((count + 1, count + 1))
    for k in range(count + 1):
        law = np.array([(1 - ratio) / (1 + ratio) * ratio ** abs(y - k) for y in range(count + 1)])
        law[0], law[-1] = ratio**k / (1 + ratio), ratio ** (count - k) / (1 + ratio)
        best[k] = law
    # The best post-processing answers the posterior median of what the geometric mechanism says.
    for y in range(count + 1):
        total += min(
            sum(best[k, y] * abs(k - answer) for k in range(count + 1))
            for answer in range(count + 1)
        )
    return total / (count + 1)


@pytest.mark.parametrize(("epsilon", "count"), [(1, 5), (0.5, 10), (2, 12), (1, 30)])
def test_counts_without_delta_agree_with_ghosh(epsilon, count) -> None:
    design = design_dependent(
        epsilon=epsilon, delta=0, sensitivity=1, bounds=(0, count), integer=True, gap=1e-4
    )
    assert design.converged and design.verify().proven
    optimum = ghosh(epsilon, count)
    assert design.lower <= optimum * (1 + 1e-9) and optimum <= design.upper * (1 + 1e-9)
    assert isinstance(design.release(3), int)


def test_counts_with_delta() -> None:
    design = design_dependent(
        epsilon=1, delta=0.1, sensitivity=2, bounds=(0, 20), integer=True, gap=1e-4
    )
    assert design.converged and design.verify().proven
    with pytest.raises(ArgumentError, match="integer"):
        design.release(2.5)


def test_more_budget_never_costs_more() -> None:
    losses = [
        design_dependent(epsilon=e, delta=d, sensitivity=2, bounds=(0, 4), gap=0.1)
        for e, d in ((0.5, 0.1), (1, 0.1), (1, 0.3))
    ]
    assert losses[0].upper >= losses[1].lower and losses[1].upper >= losses[2].lower


def test_scaling(free) -> None:
    ten = design_dependent(epsilon=1, delta=0.2, sensitivity=20, bounds=(-20, 20), gap=0.05)
    assert ten.lower == pytest.approx(10 * free.lower, rel=1e-9)
    assert ten.upper == pytest.approx(10 * free.upper, rel=1e-9)


def test_awkward_sensitivity_and_small_range() -> None:
    awkward = design_dependent(
        epsilon=1, delta=0.1, sensitivity="0.37", bounds=(0, 1), gap=0.1, time_limit=20
    )
    assert awkward.verify().proven and awkward.gap < 0.3 and awkward.sensitivity == 0.37
    worse = design_dependent(
        epsilon=1, delta=0.1, sensitivity="0.3717", bounds=(0, 1), gap=0.1, time_limit=20
    )
    assert worse.sensitivity >= 0.3717 and "private up to a sensitivity" in worse.status
    everything = design_dependent(epsilon=1, delta=0.1, sensitivity=5, bounds=(0, 1), gap=0.05)
    assert everything.converged
    hidden = design_dependent(epsilon=0, delta=0.1, sensitivity=1, bounds=(0, 1), gap=0.05)
    assert hidden.converged


def test_save_and_show(base, tmp_path) -> None:
    path = base.save(tmp_path / "channel.json")
    document = DEPENDENT.read(json.loads(path.read_text()))
    assert document == base.document and check(document).proven
    assert "bounds=(0, 4)" in repr(base) and "gap" in base.status
    for kind in ("family", "heatmap"):
        base.plot(tmp_path / f"{kind}.png", kind=kind)
        assert (tmp_path / f"{kind}.png").stat().st_size > 5000


def test_time_limit() -> None:
    design = design_dependent(
        epsilon=5, delta=0.25, sensitivity=2, bounds=(0, 4), gap=1e-4, time_limit=0.2
    )
    assert not design.converged and "time limit" in design.status
    assert design.verify().proven


def test_closed_forms_stand_in_when_time_is_short() -> None:
    design = design_dependent(
        epsilon=0.5,
        delta=0,
        sensitivity=2,
        bounds=(0, 100),
        integer=True,
        loss="l2",
        time_limit=0.05,
    )
    assert design.verify().proven and design.upper < 40


@pytest.mark.parametrize(
    ("epsilon", "delta", "integer"), [(7, 0.1, False), (7, 0, False), (6, 1e-6, True)]
)
def test_additive_noise_stands_in_where_rows_are_too_coarse(epsilon, delta, integer) -> None:
    options = {"epsilon": epsilon, "delta": delta, "sensitivity": 1, "integer": integer}
    design = design_dependent(**options, bounds=(0, 20), gap=0.05, time_limit=0.1)
    additive = any_design(**options, gap=0.02)
    assert design.verify().proven and design.upper <= 1.05 * additive.upper
    if isinstance(design.document.noise, ClampedAnswers):
        assert "additive" in design.status
        assert DEPENDENT.read(json.loads(design.document.dumps())) == design.document
        draws = design.noise.sample(20, 2000, entropy=InsecureSeededEntropy(2))
        assert draws.max() <= 20 and np.abs(draws - 20).mean() <= 1.2 * design.upper
        assert 0 <= design.release(0) <= 20 and design.noise.expected_loss(10) <= 1.1 * design.upper


def test_the_front_door() -> None:
    found = any_design(**BASE, gap=0.1, prior="uniform")
    assert found.kind == "dependent" and found.converged
    assert found.certified and found.loss_name == "l1" and "<svg" in found._repr_svg_()
    with pytest.raises(ArgumentError, match="prior must be left out without bounds"):
        any_design(epsilon=1, delta=0.1, sensitivity=1, prior={"edges": [0, 1], "masses": [1]})
    with pytest.raises(ArgumentError, match="colour"):
        any_design(epsilon=1, delta=0.1, sensitivity=1, colour="red")
    with pytest.raises(ArgumentError, match="colour"):
        any_design(epsilon=1, delta=0.1, sensitivity=1, bounds=(0, 1), colour="red")


@pytest.mark.parametrize(
    "options",
    [
        {**BASE, "gap": 0.05},
        {"epsilon": 1, "delta": 0.1, "sensitivity": 2, "bounds": (0, 20), "integer": True},
        {"epsilon": 7, "delta": 0.1, "sensitivity": 1, "bounds": (0, 20), "time_limit": 0.1},
    ],
)
def test_answers_can_be_proven_to_grow_with_the_value(options) -> None:
    design = design_dependent(**options, monotone=True)
    assert design.verify().verdict("monotone") == "proven" and design.verify().proven
    plain = design_dependent(**options)
    # With a limit of time, how far each search comes depends on the machine: 2 % here.
    rel = 0.05 if "time_limit" in options else 1e-6
    assert design.upper == pytest.approx(plain.upper, rel=rel)
    if isinstance(design.document.noise, RowAnswers):
        upside = design.document.with_noise(rows=design.document.noise.rows[::-1])
        assert check(upside).verdict("monotone") == "refuted"
    values = np.linspace(*design.noise.bounds, 21)
    laws = [design.noise.distribution(round(v) if design.integer else float(v)) for v in values]
    below = [float(masses[answers <= values[7]].sum()) for answers, masses in laws]
    assert all(b <= a + 1e-9 for a, b in pairwise(below))


def test_counts_up_to_a_thousand() -> None:
    design = design_dependent(
        epsilon=1, delta=0.1, sensitivity=1, bounds=(0, 1000), integer=True, gap=0.01
    )
    assert design.converged and design.verify().proven and design.gap < 0.005
    assert all(0 <= design.release(v) <= 1000 for v in (0, 500, 1000))


@pytest.mark.parametrize(
    "delta,sensitivity,high,releases",
    [("1e-6", 1, 6698, 1), (0, 1, 5000, 1), ("1e-4", 3, 10**6 - 1, 2)],
)
def test_counts_of_thousands_come_at_once(
    delta: str, sensitivity: int, high: int, releases: int
) -> None:
    start = time.process_time()
    found = any_design(
        epsilon=1,
        delta=delta,
        sensitivity=sensitivity,
        bounds=(0, high),
        integer=True,
        releases=releases,
    )
    assert time.process_time() - start < 5
    assert found.converged and found.gap < 0.01 and found.verify().proven
    assert all(0 <= found.release(v) <= high for v in (0, 500, high))


@pytest.mark.parametrize("more", [{"sensitivity": 21}, {"gdp": 1}, {"prior": [1, 2]}])
def test_counts_of_thousands_with_more_to_ask_are_refused_with_what_to_do(more: dict) -> None:  # type: ignore[type-arg]
    asked = {"sensitivity": 1} | ({} if "gdp" in more else {"epsilon": 1, "delta": 0.1}) | more
    with pytest.raises(ArgumentError, match=r"at most 1024 integers .*leave bounds out"):
        any_design(bounds=(0, 5000), integer=True, **asked)


def test_wide_ranges_without_a_core_come_close_to_additive_noise() -> None:
    """Both sides of the bracket, over the additive optimum: the limit of a wide range is 1."""
    additive = any_design(epsilon=1, delta=0.2, sensitivity=1, gap=1e-3)
    shares = []
    for width in (25, 100):
        design = design_dependent(
            epsilon=1, delta=0.2, sensitivity=1, bounds=(0, width), gap=0.1 if width < 50 else 0.02
        )
        assert design.verify().proven and design.upper <= 1.005 * additive.upper
        shares.append(design.lower / additive.upper)
    assert 0.9 < shares[0] < shares[1] and shares[1] > 0.97


def test_the_best_constant() -> None:
    """At almost no budget the best answer ignores the data: the median of the prior."""
    prior = {"edges": [0, 1, 4], "masses": [3, 1]}
    found = constant_upper(
        problem_of(
            epsilon=0.01,
            delta=0.0001,
            sensitivity=4,
            loss="l1",
            bounds=(0, 4),
            prior=prior,
            integer=False,
            instance_bound=None,
            crossing=None,
        ),
        None,
    )
    low, high = (np.arange(3000) + 0.5) / 3000, 1 + 3 * (np.arange(1000) + 0.5) / 1000
    values = np.concatenate([low, high])  # with median 2/3
    assert float(found.value) == pytest.approx(np.abs(values - 2 / 3).mean(), rel=1e-3)


def test_answers_within_a_distance(free) -> None:
    design = design_dependent(**BASE, gap=0.05, max_error=2.5)
    assert design.verify().verdict("max_error") == "proven" and design.verify().proven
    assert design.upper >= free.lower
    for value in (0.0, 0.011, 1.7, 2.0, 4.0):
        answers, masses = design.noise.distribution(value)
        assert np.abs(answers[masses > 0] - value).max() <= 2.5
    answers, masses = free.noise.distribution(0.0)
    assert answers[masses > 0].max() > 2.5
    # The lower bound uses it: with whole numbers both are exact, and nearer answers cost more.
    counts = {"epsilon": 1, "delta": 0.1, "sensitivity": 2, "bounds": (0, 6), "integer": True}
    wide, near = design_dependent(**counts), design_dependent(**counts, max_error=3)
    assert wide.converged and near.converged and near.verify().proven
    assert near.lower > wide.upper
    with pytest.raises(ArgumentError, match="max_error must be larger"):
        design_dependent(**BASE, max_error=0.1, resolution=8)


def test_constraints_hold_for_every_value() -> None:
    asked = {"epsilon": 1, "delta": 0.2, "sensitivity": 2, "bounds": (0, 4), "gap": 0.1}
    near = any_design(**asked, constraints=[MaxError(3)])
    assert near.document == any_design(**asked, max_error=3).document
    assert near.verify().proven
    fair = any_design(**asked, constraints=[LossAtMost("l1", "1.1")])
    assert fair.document.problem.instance_bound == Fraction("1.1")
    assert fair.noise.expected_loss(np.linspace(0, 4, 33)).max() <= 1.1 + 1e-9


@pytest.mark.parametrize(
    ("constraint", "text"),
    [
        (Support(-1, 1), "constraints must be MaxError"),
        (Monotone(), "constraints must be without Monotone"),
        (Unbiased(), "constraints must be without"),
        (MaxError(2), "constraints must be left out when max_error is given"),
    ],
)
def test_constraints_that_mean_nothing_with_bounds(constraint, text) -> None:
    with pytest.raises(ArgumentError, match=text):
        any_design(
            epsilon=1,
            delta=0.2,
            sensitivity=1,
            bounds=(0, 4),
            constraints=[constraint],
            max_error=3,
        )
