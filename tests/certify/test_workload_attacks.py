"""Files of kind "workload" made by hand, and error bars of noise that is not Gaussian."""

from __future__ import annotations

import json
import math
import tracemalloc
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from leastnoise import Ball, Workload, design
from leastnoise.certify import check_any, parse_any
from leastnoise.cli.workload import release_workload
from leastnoise.errors import DataError, FormatError
from leastnoise.noise.bars import laplace_bars
from leastnoise.noise.plain import sums_bars

ONE = {"name": "identity", "cells": 1}
PLAIN = {"bits": 1, "triangle": [[2]]}
SHIFTS = {"shifts": [[0, 1]], "matrix": [[1]]}


def made(budget: dict, noise: dict, own: dict, copies: int = 1, upper: str = "1") -> dict:
    """A file about one count, or about a product of so many."""
    return {
        "format": "leastnoise/1",
        "kind": "workload",
        "workload": ONE if copies == 1 else {"product": [ONE] * copies},
        "neighbours": "add-remove",
        "budget": budget,
        "loss": {"name": "l2"},
        "largest": False,
        "noise": [noise] * copies,
        "upper": upper,
        "lower": "0",
        "certificate": [own] * copies,
    }


@pytest.mark.parametrize("rho", ["499", "501", "1000"])
def test_a_rho_whose_exponential_is_too_large(rho: str) -> None:
    assert check_any(parse_any(json.dumps(made({"zcdp": rho}, PLAIN, SHIFTS)))).proven


@pytest.mark.parametrize("copies", [1, 2, 30])
def test_laplace_noise_on_a_grid_finer_than_any_number(copies: int) -> None:
    fine = {"bits": 80, "rows": [[1 << 80]]}
    budget = {"epsilon": "0.000001", "delta": "0"}
    for upper, proven in (("2000000000001", True), ("1999999999998", False)):
        data = made(budget, fine, SHIFTS | {"inverse": [[1]]}, copies, upper)
        assert check_any(parse_any(json.dumps(data))).proven is proven


def test_a_short_file_about_a_large_table_takes_little_memory() -> None:
    tables = {"marginals": [2] * 13 + [1] * 480, "sets": [[]]}
    data = made({"epsilon": "1", "delta": "0"}, {"counts": True}, {}, upper="1000000")
    data["workload"] = {"weights": ["2"], "of": tables}
    text = json.dumps(data)
    tracemalloc.start()
    try:
        assert check_any(parse_any(text)).proven
        assert tracemalloc.get_traced_memory()[1] < 5_000_000
    finally:
        tracemalloc.stop()


def law_of_sum(rate: float, count: int) -> np.ndarray:
    """P(S = k) of a sum of discrete Laplace draws, k from -200 count on."""
    one = np.exp(-rate * np.abs(np.arange(-200, 201)))
    found = one = one / one.sum()
    for _ in range(count - 1):
        found = np.convolve(found, one)
    return found


@pytest.mark.parametrize("rate", [0.3, 1.0, 3.0])
@pytest.mark.parametrize("count", [1, 2, 5])
@pytest.mark.parametrize("beyond", [0.3, 0.05, 1e-4])
def test_bars_of_laplace_noise_hold(rate: float, count: int, beyond: float) -> None:
    law = law_of_sum(rate, count)
    size = np.abs(np.arange(len(law)) - len(law) // 2)
    (bar,) = laplace_bars(rate, np.array([float(count)]), beyond, count)
    assert law[size > bar + 1e-9].sum() <= beyond * (1 + 1e-9)
    if count == 1 and bar > 0:
        assert law[size > bar - 1].sum() > beyond  # and no smaller one does


@pytest.mark.parametrize("beyond", [0.3, 0.05, 1e-4])
@pytest.mark.parametrize("ratio", [1.0, 0.7])
def test_bars_on_a_fine_grid_hold_and_are_narrower(ratio: float, beyond: float) -> None:
    """Two terms: the tail of the sum of two Laplace numbers of scales 1 and ratio is known."""
    grid, many = 2.0**-20, 1 + ratio**2
    x = grid * laplace_bars(grid, np.array([many]), beyond, 2)[0]
    if ratio == 1:
        tail = math.exp(-x) * (1 + x / 2)
    else:
        tail = (math.exp(-x) - ratio**2 * math.exp(-x / ratio)) / (1 - ratio**2)
    assert tail <= beyond
    several = np.array([60.0])
    shares = np.linspace(0.02, 0.98, 49)
    chernoff = ((math.log(2 / beyond) - 60 * np.log1p(-(shares**2))) / shares).min()
    assert grid * laplace_bars(grid, several, beyond, 60)[0] < 0.97 * chernoff


def test_error_bars_are_not_those_of_the_normal_law() -> None:
    best = design(workload=Workload.prefix(3), epsilon=1, delta=0)
    assert "Laplace" in best.status and best.document.noise.grid(best.document.problem) == 1
    for level in (0.95, 0.99):
        for k, bar in enumerate(best.error_bound(level)):
            law = law_of_sum(1.0, k + 1)
            size = np.abs(np.arange(len(law)) - len(law) // 2)
            assert law[size <= bar + 1e-9].sum() >= level
    # (1.96 standard deviations of one count hold 92 % of errors, not 95 %.)
    law, size = law_of_sum(1.0, 1), np.abs(np.arange(-200, 201))
    assert law[size <= 1.96 * math.sqrt(1.8414)].sum() < 0.93
    assert float(Fraction(best.document.upper)) == pytest.approx(6 * 1.84135, rel=1e-4)


def test_answers_that_are_known_have_no_bars() -> None:
    best = design(workload=Workload.prefix(2), epsilon=1, delta=0, neighbors="replace")
    assert best.error_bound(0.95)[1] == 0 < best.error_bound(0.95)[0]


@pytest.mark.parametrize("word", ["--5", "-", "9" * 5000, "1.0", "1_0", "٣"])
def test_a_count_that_is_none_is_not_shown(word: str) -> None:
    best = design(workload=Workload.identity(1), gdp=1)
    with pytest.raises(DataError) as caught:
        release_workload(best, [[word]], False, False, {})
    assert str(caught.value) == ("values must be integer counts, got text (not shown: it is data)")


def test_an_empty_table_is_not_told_from_others_by_an_error() -> None:
    best = design(workload=Workload.marginals([2, 3], [[0], [1]]), gdp=1)
    assert len(best.release([])) == len(best.release([[0, 1]])) == 5


@pytest.mark.parametrize("count", [10**400, -(10**400), 1 << 801])
def test_counts_that_no_float_holds_are_refused_before_anything_is_drawn(count: int) -> None:
    best = design(workload=Workload.prefix(2), gdp=1)
    with pytest.raises(DataError, match=r"integer counts below 2\^800"):
        best.release([count, 1], entropy=None)
    assert len(best.release([1 << 799, 1])) == 2


# -- laws inside a file -------------------------------------------------------------------------


@cache
def lawful(kind: str) -> str:
    """A file whose noise has a file of its own."""
    four = Workload([[1, 1, 0, 0], [0, 1, 1, 0]])
    asked = {
        "integer": (Workload.prefix(3), {"delta": "0.01"}),
        "joint": (four, {"delta": "1e-6"}),
        "vector": (Workload.prefix(8), {"delta": "0.02"}),
    }
    workload, given = asked[kind]
    found = design(workload=workload, epsilon=1, **given)
    assert found.document.noise.law is not None and found.document.noise.law.kind == kind
    return found.document.dumps()


def verdicts(data: dict) -> dict[str, str]:
    try:
        return {one.name: one.verdict for one in check_any(parse_any(json.dumps(data))).claims}
    except FormatError:
        return {"file": "malformed"}


def moved_by_one(law: dict) -> dict:
    """The same noise with a bias of one."""
    return law | {"noise": law["noise"] | {"first": law["noise"]["first"] + 1}}


def lopsided(law: dict) -> dict:
    weights = [int(w) for w in law["noise"]["weights"]]
    weights[0], weights[-1] = weights[0] - 1, weights[-1] + 1
    return law | {"noise": law["noise"] | {"weights": [str(w) for w in weights]}}


@pytest.mark.parametrize(
    ("kind", "forge"),
    [
        ("integer", lambda d: d | {"law": moved_by_one(d["law"])}),
        ("integer", lambda d: d | {"law": lopsided(d["law"])}),
        ("integer", lambda d: d | {"law": d["law"] | {"upper": "1", "lower": "0"}, "upper": "7"}),
        ("integer", lambda d: d | {"law": d["law"] | {"epsilon": "2"}}),
        ("integer", lambda d: d | {"law": d["law"] | {"delta": "0.02"}}),
        ("integer", lambda d: d | {"law": d["law"] | {"loss": {"name": "l1"}}}),
        ("integer", lambda d: d | {"neighbours": "replace"}),
        ("integer", lambda d: d | {"noise": [{"answers": True}]}),
        ("integer", lambda d: d | {"budget": {"gdp": "1"}}),
        ("integer", lambda d: d | {"budget": d["budget"] | {"epsilon": "0.9"}}),
        ("integer", lambda d: {k: v for k, v in d.items() if k != "law"}),
        ("joint", lambda d: d | {"workload": {"rows": [[2, 1, 0, 0], [0, 1, 1, 0]],
                                              "denominator": "1"}}),
        ("joint", lambda d: d | {"workload": {"rows": [[-1, 1, 0, 0], [0, 1, 1, 0]],
                                              "denominator": "1"}}),
        ("joint", lambda d: d | {"workload": {"rows": [[1, 1, 0, 0], [0, -1, -1, 0]],
                                              "denominator": "1"}}),
        ("joint", lambda d: d | {"workload": {"rows": [[1, 1, 0, 0]] * 3, "denominator": "1"}}),
        ("joint", lambda d: d | {"workload": {"rows": [[1, 1, 0, 0]], "denominator": "1"}}),
        ("joint", lambda d: d | {"workload": {"rows": [[1, 1, 0, 0], [0, 1, 1, 0]],
                                              "denominator": "2"}}),
        ("joint", lambda d: d | {"neighbours": "replace", "certificate": [{}], "lower": "0"}),
        ("joint", lambda d: d | {"noise": [{"counts": True}]}),
        ("joint", lambda d: d | {"law": d["law"] | {"epsilon": "1.1"}}),
        ("joint", lambda d: d | {"law": d["law"] | {"largest": True}}),
        ("joint", lambda d: {k: v for k, v in d.items() if k != "law"}),
        ("vector", lambda d: d | {"law": d["law"] | {"dimension": 5}}),
        ("vector", lambda d: d | {"law": d["law"] | {"sensitivity": "1/2"}}),
        ("vector", lambda d: d | {"law": d["law"] | {"grid": "1/2"}}),
        ("vector", lambda d: d | {"law": d["law"] | {"loss": {"name": "l1"}}}),
        ("vector", lambda d: {k: v for k, v in d.items() if k != "law"}),
        ("vector", lambda d: d | {"law": json.loads(lawful("integer"))["law"]}),
        ("vector", lambda d: d | {"law": d}),
    ],
)  # fmt: skip
def test_a_law_that_is_not_for_this_is_refused(kind: str, forge) -> None:
    data = json.loads(lawful(kind))
    assert set(verdicts(data).values()) == {"proven"}
    assert {"refuted", "malformed"} & set(verdicts(forge(data)).values())


def test_a_file_whose_law_fails_is_not_private() -> None:
    data = json.loads(lawful("integer"))
    weak = data["law"] | {"noise": data["law"]["noise"] | {"weights": ["0", "1", "0"], "first": -1,
                                                          "denominator": "1"}}  # fmt: skip
    report = check_any(parse_any(json.dumps(data | {"law": weak})))
    assert report.verdict("law") == "refuted" and not report.private and report.exit_code == 1


def test_stairs_as_a_law_cost_what_they_cost() -> None:
    """Their file lists no balls, and their variance is not 0."""
    data = json.loads(design(workload=Workload.prefix(4), gdp=1).document.dumps())
    stairs = design(epsilon=1, delta=0, sensitivity=Ball(4, 1), loss="l2").document
    data |= {"budget": {"epsilon": "1", "delta": "0"}, "law": stairs.to_json(), "lower": "0"}
    true = Fraction(data["upper"]) * stairs.upper / 4  # Gaussian noise of the file has variance 1
    for part, verdict in ((Fraction(99, 100), "refuted"), (Fraction(101, 100), "proven")):
        found = verdicts(data | {"upper": str(true * part)})
        assert found.pop("upper") == verdict and set(found.values()) == {"proven"}


@pytest.mark.parametrize("name", ["identity", "prefix", "ranges", "total"])
@pytest.mark.parametrize("weight", ["2/3", "1000"])
def test_weights_of_weights_cost_what_their_product_does(name: str, weight: str) -> None:
    """Nested weights may leave a factor in common in K and d, which running sums of K x lack."""
    part = {"name": name, "cells": 2}
    nested = {"weights": [weight], "of": {"weights": [str(1 / Fraction(weight))], "of": part}}
    own = {"shifts": [[0, 1], [1, 1]], "matrix": [[1, 0], [0, 1]]}
    data = made({"gdp": "1"}, {"bits": 10, "triangle": [[700, 0], [700]]}, own, upper="1000")
    plain, weighted = (
        check_any(parse_any(json.dumps(data | {"workload": workload})))
        for workload in (part, nested)
    )
    slacks = [[float(claim.slack) for claim in report.claims] for report in (plain, weighted)]
    assert slacks[1] == pytest.approx(slacks[0], rel=1e-12)


@pytest.mark.parametrize("rows", [[2**59] * 3, [1, 2**59, 1]])
def test_rows_so_large_that_columns_vanish_are_malformed(rows: list[int]) -> None:
    noise = {"bits": 20, "roots": True, "row_scales": rows}
    data = made({"gdp": "1"}, noise, {}, upper="1" + "0" * 301)
    assert verdicts(data | {"workload": {"name": "prefix", "cells": 3}}) == {"file": "malformed"}


@pytest.mark.parametrize(
    ("workload", "false", "true"),
    [
        (Workload.prefix(2), "4.6", "0"),  # the last sum is the number of units: public
        (Workload.identity(1), "1.8", "0"),
        (Workload.marginals([2, 2], 0), "1.8", "0"),
        (Workload.marginals([2, 2], [[], [0]]), "5.3", "2.4"),
        (Workload.identity(3), "5.6", "5.5"),
    ],
)
def test_where_units_are_replaced_columns_bound_nothing(
    workload: Workload, false: str, true: str
) -> None:
    data = made({"epsilon": "1", "delta": "0"}, {"answers": True}, {}, upper="1000")
    data |= {"workload": workload.part.to_json(), "neighbours": "replace"}
    for lower, proven in ((false, False), (true, True)):
        assert check_any(parse_any(json.dumps(data | {"lower": lower}))).proven is proven


def test_bars_of_sums_of_many_wide_draws_are_not_far_wider_than_these(
    recwarn: pytest.WarningsRecorder,
) -> None:
    law = design(
        epsilon="0.02", delta="1e-6", sensitivity=1, integer=True, loss="l2", gap=0.1, time_limit=1
    ).document
    (bar,) = sums_bars(law, [((1.0, 10_000),)], 0.05)
    assert 1.9 < bar / (100 * math.sqrt(law.upper)) < 2.01  # that of the normal law: 1.96
    assert not recwarn.list
