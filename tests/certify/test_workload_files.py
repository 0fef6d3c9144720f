"""Forged files of kind "workload": what is proven is true, by a judge that shares nothing."""

from __future__ import annotations

import copy
import json
import random
import subprocess
import sys
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from leastnoise import Workload, design
from leastnoise.certify import check_any, parse_any
from leastnoise.certify.matrices import product, root_up, transposed
from leastnoise.errors import FormatError
from leastnoise.gaussian import gaussian_delta
from leastnoise.noise.joint import JointNoise

SEEDS = {
    "prefix": (Workload.prefix(4), {"gdp": 1}),
    "largest": (Workload.prefix(3), {"gdp": 1, "loss": "largest"}),
    "zcdp": (Workload.ranges(3), {"zcdp": "0.5"}),
    "replace": (Workload.prefix(3), {"gdp": "0.7", "neighbors": "replace"}),
    "basis": (Workload([[1, 1, 0], [0, 1, 1], [1, 2, 1]]), {"gdp": 1}),
    "questions": (Workload([["1/2", 1, 0, 3], [0, 1, 1, 1]], weights=[1, 3]), {"gdp": 1}),
    "product": (Workload.product(Workload.prefix(2), Workload.identity(2)), {"gdp": 1}),
    "counts": (Workload.prefix(4), {"epsilon": 1, "delta": "1e-6"}),
    "sums": (Workload.prefix(16), {"epsilon": 1, "delta": 0}),
    "counts, replace": (Workload.identity(3), {"epsilon": 1, "delta": 0, "neighbors": "replace"}),
    "counts, singular": (Workload.marginals([2, 2], [[0], [1]]), {"epsilon": 1, "delta": 0}),
    "by a curve": (Workload.marginals([2] * 4), {"epsilon": 1, "delta": "0.2"}),
    "one law on counts": (Workload.prefix(3), {"epsilon": 1, "delta": "0.01"}),
    "answers": (Workload([[2, 1, 0, 1], [0, 1, 1, 2]]), {"epsilon": 1, "delta": "1e-6"}),
    "answers, replace": (
        Workload([[-1, 1, 0, 1, 1]]),
        {"epsilon": 1, "delta": 0, "neighbors": "replace"},
    ),
    "vectors": (Workload.prefix(8), {"epsilon": 1, "delta": "0.02"}),
    "each answer": (Workload.marginals([7, 6], 1), {"epsilon": 1, "delta": 0}),
    "tables": (Workload.marginals([2, 3], [[0, 1], [0]]), {"gdp": 1}),
}


@cache
def seed(name: str) -> str:
    workload, given = SEEDS[name]
    return design(workload=workload, **given).document.dumps()


def verdict(data: dict) -> str:
    """What becomes of a file: malformed, refuted or proven."""
    try:
        report = check_any(parse_any(json.dumps(data)))
    except FormatError:
        return "malformed"
    return "proven" if report.proven else "refuted"


# -- a judge: floats, eigenvalues, the matrix of the measurements written out -------------------


def matrix_of(spec: dict) -> tuple[np.ndarray, np.ndarray]:
    """(W, weights) of a workload in a file, read anew."""
    if "of" in spec:
        rows, weights = matrix_of(spec["of"])
        return rows, weights * np.array([float(Fraction(w)) for w in spec["weights"]])
    if "rows" in spec:
        rows = np.array(spec["rows"], dtype=float) / float(spec["denominator"])
    elif "product" in spec:
        one, two = (matrix_of(part)[0] for part in spec["product"])
        rows = np.kron(one, two)
    elif "marginals" in spec:
        cells = list(np.ndindex(*spec["marginals"]))
        rows = np.array(
            [
                [all(c[i] == v for i, v in zip(s, values, strict=True)) for c in cells]
                for s in spec["sets"]
                for values in np.ndindex(*(spec["marginals"][i] for i in s))
            ],
            dtype=float,
        )
    else:
        n = spec["cells"]
        ends = {
            "identity": [(i, i) for i in range(n)],
            "prefix": [(0, i) for i in range(n)],
            "ranges": [(i, j) for i in range(n) for j in range(i, n)],
            "total": [(0, n - 1)],
        }[spec["name"]]
        rows = np.array([[a <= k <= b for k in range(n)] for a, b in ends], dtype=float)
    return rows, np.ones(len(rows))


def measured(data: dict, w: np.ndarray) -> np.ndarray:
    """The matrix that a file measures, one column for each cell."""
    if "scales" in data["noise"][0]:
        sizes, spec = data["workload"]["marginals"], data["workload"]
        closure = sorted(
            {
                tuple(s[:i] + s[i + 1 :]) if i < len(s) else tuple(s)
                for s in spec["sets"]
                for i in range(len(s) + 1)
            }
            | {()}
            | {(i,) for s in spec["sets"] for i in s},
            key=lambda one: (len(one), one),
        )
        parts = []
        for chosen, scale in zip(closure, data["noise"][0]["scales"], strict=True):
            own = np.ones((1, 1))
            for i, n in enumerate(sizes):
                own = np.kron(own, np.eye(n) - 1 / n if i in chosen else np.ones((1, n)))
            parts.append(own * scale / 2.0 ** data["noise"][0]["bits"])
        return np.vstack(parts)
    found = np.ones((1, 1))
    replaced = data["neighbours"] == "replace"
    specs = data["workload"].get("product", [data["workload"]])
    for spec, noise in zip(specs, data["noise"], strict=True):
        own, _ = matrix_of(spec)
        n = own.shape[1]
        if "counts" in noise or "answers" in noise:
            found = np.kron(found, np.eye(n) if "counts" in noise else own)
            continue
        if "each" in noise:
            found = np.kron(
                found, np.vstack([np.diag(noise["each"]), sums_of(noise)]) / one_of(noise)
            )
            continue
        if "rows" in noise:
            frame = np.eye(n)[1:] if replaced else np.eye(n)
            found = np.kron(found, np.array(noise["rows"]) @ frame / 2.0 ** noise["bits"])
            continue
        r = len(noise["triangle"])
        y = np.zeros((r, r))
        for i, row in enumerate(noise["triangle"]):
            y[i, i:] = row
        where = noise.get("coordinates")
        if where == "questions":
            frame = own - own[:, :1] if replaced else own
        elif where is None:
            frame = np.eye(n)[1:] if replaced else np.eye(n)
        else:
            frame = np.zeros((r, n))
            frame[range(r), where["cells"]] = 1
            others = [j for j in range(n) if j not in where["cells"]]
            frame[:, others] = np.array(where["shares"], dtype=float).T / int(where["denominator"])
        found = np.kron(found, y @ frame / 2.0 ** noise["bits"])
    return found


def one_of(noise: dict) -> float:
    return 2.0 ** noise["bits"]


def sums_of(noise: dict) -> np.ndarray:
    """The weighted sums that are measured, as rows."""
    rows = np.zeros((len(noise["sums"]), len(noise["each"])))
    for row, entries in zip(rows, noise["sums"], strict=True):
        for cell, weight in entries:
            row[cell] = weight
    return rows


def estimate_of(noise: dict) -> np.ndarray:
    """The matrix that makes estimates of the counts from the measurements of sums."""
    one, sums = one_of(noise), sums_of(noise) / one_of(noise)
    own = np.array(noise["each"]) / one
    takes = (sums / own**2).T @ (np.array(noise["solution"]).reshape(len(sums), -1) / one)
    return np.hstack([(np.eye(len(own)) - takes @ sums) / own, takes])


def truth(data: dict) -> tuple[float, float]:
    """(longest shift, cost of a release), in floats; the cost is infinite where it is biased."""
    w, weights = matrix_of(data["workload"])
    a = measured(data, w)
    if data["neighbours"] == "replace":
        n = w.shape[1]
        moved = np.array([a[:, i] - a[:, j] for i in range(n) for j in range(i)]).T
        kept = np.vstack([a, np.ones(n)])  # the number of units is known
    else:
        moved, kept = a, a
    law = data.get("law", {"kind": ""})
    squares = "gdp" in data["budget"] or "zcdp" in data["budget"] or law["kind"] == "vector"
    sizes = (moved**2 if squares else np.abs(moved)).sum(axis=0)
    if "answers" in data["noise"][0] and "law" not in data:  # Laplace noise for all that moves
        most = float(sizes.max())
        q = np.exp(-float(Fraction(data["budget"]["epsilon"])) / most)
        each = weights * 2 * q / (1 - q) ** 2
        return 1.0, float(each.max() if data["largest"] else each.sum())
    if law["kind"] == "joint":  # in parts of the width that the law is for
        sizes = np.abs(moved).max(axis=0) / float(
            Fraction(law["sensitivity"]["blocks"][0]["width"])
        )
        one_sign = (moved >= 0).all() or (moved <= 0).all()
        sizes = sizes if one_sign or not law["sensitivity"]["one_sided"] else np.full(1, np.inf)
        each = weights * law_variance(law)
        return float(sizes.max()), float(each.max() if data["largest"] else each.sum())
    if "each" in data["noise"][0]:
        answer = w @ estimate_of(data["noise"][0])
        assert np.abs(answer @ a - w).max() < 1e-6 * np.abs(w).max()
        cost = weights @ (answer**2).sum(axis=1) * variance(data)
        return float(sizes.max()), float(cost)
    answer = w @ np.linalg.pinv(kept, rcond=1e-12)
    if np.abs(answer @ kept - w).max() > 1e-6 * np.abs(w).max():
        return float(sizes.max()), np.inf
    if data["neighbours"] == "replace":
        # Least squares that takes the number of units for exact.
        base = np.eye(w.shape[1])[1:] - np.eye(w.shape[1])[:1]
        answer = (w @ base.T) @ np.linalg.pinv(a @ base.T, rcond=1e-12)
    one = variance(data)
    each = weights * (answer**2).sum(axis=1) * one
    cost = each.max() if data["largest"] else each.sum()
    return float(sizes.max()), float(cost)


def variance(data: dict) -> float:
    """That of one measurement."""
    held = {name: float(Fraction(value)) for name, value in data["budget"].items()}
    if "gdp" in held:
        return 1 / held["gdp"] ** 2
    if "zcdp" in held:
        return 0.5 / held["zcdp"]
    if "law" in data:
        return law_variance(data["law"])
    grid = 0.5 ** sum(one.get("bits", 0) for one in data["noise"])
    q = np.exp(-held["epsilon"] * grid)
    return float(grid**2 * 2 * q / (1 - q) ** 2)


def law_variance(law: dict) -> float:
    """That of the noise of a file inside the file; of joint noise by exact draws."""
    assert check_any(parse_any(json.dumps(law))).proven
    noise = law["noise"]
    if law["kind"] == "vector":
        shares = np.array(
            [float(Fraction(w) / int(noise["denominator"])) for w in noise["weights"]]
        )
        radii = np.array([float(Fraction(r)) for r in noise["radii"]])
        return float(shares @ radii**2 / (law["dimension"] + 2))
    if law["kind"] == "joint":
        return JointNoise(parse_any(json.dumps(law))).std ** 2
    weights = np.array([float(Fraction(w) / int(noise["denominator"])) for w in noise["weights"]])
    places = np.arange(noise["first"], noise["first"] + len(weights))
    assert "tail" not in noise and abs(weights @ places) < 1e-9  # (no bias)
    return float(weights @ places**2)


@cache
def best(name: str) -> float:
    return float(Fraction(json.loads(seed(name))["upper"]))


def judged(name: str, data: dict) -> None:
    """A file that is proven keeps what it says: of the forger's own budget and strategy."""
    if verdict(data) != "proven":
        return
    longest, cost = truth(data)
    assert longest <= 1 + 1e-9
    if {"gdp", "delta"} <= set(data["budget"]):
        held = {key: float(Fraction(value)) for key, value in data["budget"].items()}
        assert gaussian_delta(held["epsilon"], 1 / held["gdp"]) <= held["delta"] * (1 + 1e-9)
    assert float(Fraction(data["upper"])) >= cost * (1 - 1e-9)
    asked = {key: data[key] for key in ("workload", "neighbours", "budget", "largest")}
    if asked == {key: json.loads(seed(name))[key] for key in asked}:
        # The same question: no lower bound may pass what noise is known to cost.
        assert float(Fraction(data["lower"])) <= best(name) * (1 + 1e-9)


@pytest.mark.parametrize("name", SEEDS)
def test_the_judge_and_the_checker_agree(name: str) -> None:
    data = json.loads(seed(name))
    assert verdict(data) == "proven"
    longest, cost = truth(data)
    assert 1 - 1e-4 < longest <= 1 + 1e-12
    assert cost == pytest.approx(float(Fraction(data["upper"])), rel=3e-6)


def numbers(data, path=()):
    """Every place in a file that holds a number."""
    if isinstance(data, dict):
        for key, value in data.items():
            yield from numbers(value, (*path, key))
    elif isinstance(data, list):
        for k, value in enumerate(data):
            yield from numbers(value, (*path, k))
    elif isinstance(data, int) and not isinstance(data, bool):
        yield path


def changed(data: dict, path: tuple, value) -> dict:
    made = copy.deepcopy(data)
    place = made
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value(place[path[-1]])
    return made


@pytest.mark.parametrize("name", SEEDS)
def test_changed_numbers_prove_nothing_false(name: str) -> None:
    data, rng = json.loads(seed(name)), random.Random(name)
    places = list(numbers(data))
    for _ in range(60):
        path = rng.choice(places)
        how = rng.choice(
            [
                lambda x: x + 1,
                lambda x: -x,
                lambda x: 0,
                lambda x: x // 2,
                lambda x: 2 * x,
                lambda x: x + (1 << 30),
                lambda x: int(x * 1.000001),
            ]
        )
        made = changed(data, path, how)
        if rng.random() < 0.5:  # and claims a little more
            made["lower"] = str(Fraction(made["lower"]) * Fraction(1001, 1000))
            made["upper"] = str(max(Fraction(made["upper"]), Fraction(made["lower"])))
        judged(name, made)


@pytest.mark.parametrize("name", SEEDS)
def test_bolder_claims_are_refuted(name: str) -> None:
    data = json.loads(seed(name))
    up, low = Fraction(data["upper"]), Fraction(data["lower"])
    assert (
        verdict(data | {"upper": str(up * Fraction(10**6 - 1, 10**6)), "lower": "0"}) == "refuted"
    )
    bolder = low * (1 + Fraction(1, 10**6))
    assert verdict(data | {"lower": str(bolder), "upper": str(max(up, bolder))}) == "refuted"
    key = next(one for one in ("gdp", "zcdp", "epsilon") if one in data["budget"])
    # More privacy than the noise has: the costs, which follow from the budget, are refuted.
    less = data["budget"] | {key: str(Fraction(data["budget"][key]) / 2)}
    assert verdict(data | {"budget": less}) == "refuted"
    if "delta" in less and key == "gdp":
        assert verdict(data | {"budget": data["budget"] | {"delta": "0"}}) == "refuted"
        assert verdict(data | {"budget": data["budget"] | {"epsilon": "0.5"}}) == "refuted"
    if "replace" not in name:
        other = "replace" if data["neighbours"] == "add-remove" else "add-remove"
        assert verdict(data | {"neighbours": other}) in ("malformed", "refuted")
    assert verdict(data | {"largest": not data["largest"]}) in ("malformed", "refuted")


@pytest.mark.parametrize(
    ("where", "value"),
    [
        (("kind",), "joint"),
        (("epsilon",), "1"),
        (("budget",), {"gdp": "1", "zcdp": "1"}),
        (("budget",), {"epsilon": "1"}),
        (("budget",), {"epsilon": "1", "delta": "0"}),
        (("budget",), {"epsilon": "1", "delta": "1", "gdp": "1"}),
        (("budget",), {"gdp": 1}),
        (("budget",), {"gdp": "0"}),
        (("loss",), {"name": "l1"}),
        (("workload",), {"name": "suffix", "cells": 4}),
        (("workload",), {"name": "prefix", "cells": 5}),
        (("workload",), {"name": "prefix", "cells": True}),
        (("workload",), {"name": "prefix", "cells": 4, "more": 1}),
        (("workload",), {"rows": [[0] * 4], "denominator": "1"}),
        (("workload",), {"rows": [[1] * 4], "denominator": "0"}),
        (("workload",), {"stack": [{"name": "prefix", "cells": 4}]}),
        (("workload",), {"weights": ["-1"], "of": {"name": "prefix", "cells": 4}}),
        (("workload",), {"marginals": [2, 2], "sets": [[0, 0]]}),
        (("workload",), {"product": [{"name": "identity", "cells": 1000}] * 3}),
        (("noise",), []),
        (("noise", 0, "bits"), 10**9),
        (("noise", 0, "triangle"), [[1]]),
        (("noise", 0, "triangle", 0, 0), 1.5),
        (("noise", 0, "triangle", 0, 0), True),
        (("noise", 0, "triangle", 0, 0), 1 << 300),
        (("noise", 0, "triangle", 3, 0), -5),
        (("noise", 0, "scales"), [1]),
        (("noise", 0, "coordinates"), "answers"),
        (("certificate", 0, "shifts"), [[0, -1]]),
        (("certificate", 0, "shifts"), [[0, 1], [0, 2]]),
        (("certificate", 0, "shifts"), [[9, 1]]),
        (("certificate", 0, "matrix"), [[1, 2]]),
        (("certificate", 0, "questions"), [1, 1, 1, 1]),
        (("certificate",), [{}]),
        (("lower",), "-1"),
        (("lower",), "1e9"),
    ],
    ids=str,
)
def test_malformed_files(where: tuple, value) -> None:
    data = json.loads(seed("prefix"))
    place = data
    for key in where[:-1]:
        place = place[key]
    place[where[-1]] = value
    assert verdict(data) == "malformed"


@pytest.mark.parametrize(
    "change",
    [
        {"price": "0"},
        {"steps": 3},
        {"steps": 0},
        {"values": [0]},
        {"values": [1, 2, 3]},
        {"values": [0, 1 << 40] * 20},
        {"more": 1},
    ],
    ids=str,
)
def test_malformed_functions(change) -> None:
    data = json.loads(seed("zcdp"))
    assert verdict(data | {"entropy": data["entropy"] | change}) == "malformed"
    bare = {key: value for key, value in data.items() if key != "entropy"}
    assert verdict(bare) == "refuted" and verdict(bare | {"lower": "0"}) == "proven"
    other = json.loads(seed("prefix"))
    assert verdict(other | {"entropy": data["entropy"]}) == "malformed"


def test_no_multipliers_prove_nothing() -> None:
    data = json.loads(seed("prefix"))
    data["certificate"][0]["shifts"] = []
    assert verdict(data | {"lower": "0"}) == "malformed"  # no inverse can be made of it
    data = json.loads(seed("prefix"))
    data["certificate"][0]["matrix"] = [[0] * 4 for _ in range(4)]
    assert verdict(data | {"lower": "0"}) == "malformed"


def test_shares_that_are_wrong_are_refused() -> None:
    data = json.loads(seed("basis"))
    shares = data["noise"][0]["coordinates"]["shares"]
    assert len(shares) == 1
    shares[0][0] += 1
    assert verdict(data) == "malformed"


def test_too_much_work_is_refused_at_once() -> None:
    data = json.loads(seed("tables"))
    data["workload"] = {"marginals": [2] * 12, "sets": [list(range(12))]}
    data["noise"] = [{"bits": 40, "triangle": [[1]]}]
    assert verdict(data) == "malformed"


def test_it_needs_the_standard_library_only(tmp_path) -> None:
    path = tmp_path / "w.json"
    path.write_text(seed("product"))
    code = (
        "import sys; from leastnoise.certify.__main__ import main; code = main([sys.argv[1]]); "
        "assert not {'numpy', 'scipy'} & set(sys.modules); raise SystemExit(code)"
    )
    subprocess.run([sys.executable, "-c", code, str(path)], check=True, timeout=60)


def test_products_of_whole_matrices() -> None:
    rng = random.Random(3)
    for bits in (1, 20, 70):
        a, b = (
            [[rng.randint(-(1 << bits), 1 << bits) for _ in range(7)] for _ in range(7)]
            for _ in range(2)
        )
        plain = [[sum(x * y for x, y in zip(r, c, strict=True)) for c in transposed(b)] for r in a]
        assert product(a, b) == plain
    zero = [[0] * 3 for _ in range(3)]
    assert product(zero, zero) == zero
    most = [[-(1 << 8)] * 256 for _ in range(2)]  # sums on the edge of what a place holds
    assert product(most, transposed(most)) == [[256 << 16] * 2] * 2
    for x in (Fraction(0), Fraction(2), Fraction(1, 10**40), Fraction(10**40, 3)):
        root = root_up(x)
        assert (
            root > 0
            and root**2 > x
            and root**2 <= x * (1 + Fraction(1, 2**70)) + Fraction(1, 2**70)
        )
