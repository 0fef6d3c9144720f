"""What the golden files answer: small questions of every kind, by name."""

from __future__ import annotations

from typing import Any

from leastnoise import (
    L1,
    L2,
    Blocks,
    Cube,
    Custom,
    Distinguishing,
    Huber,
    LossAtMost,
    MaxError,
    Monotone,
    Piecewise,
    Pinball,
    Sparse,
    Support,
    Symmetric,
    Unbiased,
    Unimodal,
    Workload,
)

Questions = dict[str, dict[str, Any]]  #: arguments of `design`, or of `keyed`, by name

FALLING = Piecewise([(-2, 1), (-1, 2), (0, 0), (1, 2), (2, 1)], slopes=(-1, 1))
KINKED = Piecewise([(-1, 2), (0, 0), (1, 1)], slopes=(-2, 3))
MIXED = 0.5 * L1() + 0.3 * L2() + 2 * Huber("0.7") + Pinball("0.9")
LOSSES: dict[str, Any] = {
    "l1": "l1",
    "l2": "l2",
    "pinball": "pinball:0.8",
    "huber": "huber:0.5",
    "power3": "power:3",
    "power1.5": "power:1.5",
    "piecewise": KINKED,
    "falling": FALLING,
    "sum": MIXED,
}
FREE: dict[str, Any] = {"epsilon": None, "delta": None}
PROFILE = [(1, "0.2"), (2, "0.05"), ("0.5", "0.3")]


def combined(base: dict[str, Any], prefix: str, more: Questions) -> Questions:
    """The questions with what they share, their names with a prefix."""
    return {f"{prefix}{name}": {**base, **given} for name, given in more.items()}


def without(problems: Questions, *names: str) -> Questions:
    """The others: those named have no small design."""
    return {name: given for name, given in problems.items() if name not in names}


def additive() -> Questions:
    """Real noise that does not depend on the value."""
    base = {"epsilon": 1, "delta": "0.2", "sensitivity": 1, "gap": 0.3, "resolution": 4}
    losses: Questions = {name: {"loss": loss} for name, loss in LOSSES.items()}
    demands: Questions = {
        "support": {"constraints": [Support(-3, 2)]},
        "one end": {"constraints": [Support(-2, None)]},
        "max-error": {"constraints": [MaxError(2)]},
        "monotone": {"constraints": [Monotone()]},
        "monotone, pinball": {"constraints": [Monotone()], "loss": "pinball:0.8"},
        "unimodal": {"constraints": [Unimodal("1/2")]},
        "symmetric": {"constraints": [Symmetric()], "loss": "pinball:0.8"},
        "unbiased": {"constraints": [Unbiased()], "loss": "pinball:0.8"},
        "distinguishing": {"constraints": [Support(-2, 2), Distinguishing("0.15")]},
        "loss at most": {"constraints": [LossAtMost(L2(), "0.6")]},
        "several": {"constraints": [Symmetric(), Monotone(), MaxError(3)]},
        "support, pure": {"constraints": [Support(None, 9)], "delta": "0.05", "epsilon": 2},
    }
    budgets: Questions = {
        "epsilon 0.1": {"epsilon": "0.1", "delta": "0.3"},
        "epsilon 4": {"epsilon": 4, "delta": "0.1"},
        "epsilon 3, delta 0.4": {"epsilon": 3, "delta": "0.4"},
        "epsilon 0": {"epsilon": 0, "delta": "0.25"},
        "small delta": {"epsilon": 2, "delta": "1e-3", "gap": 0.5},
        "profile": {"profile": PROFILE, **FREE},
        "gdp": {"gdp": 1, **FREE, "gap": 0.9},
        "gdp, l2": {"gdp": 1, **FREE, "gap": 0.9, "loss": "l2"},
        "releases, pure": {"releases": 2, "delta": 0, "resolution": None},
        "output step": {"output_step": "1/4", "resolution": None},
        "custom": {"loss": Custom(abs, convex=True)},
        "sensitivity 2/3": {"sensitivity": "2/3"},
        "sensitivity 200": {"sensitivity": 200},
        "finer": {"resolution": 7, "gap": 0.1},
        "edges": {"epsilon": 6, "delta": "1e-3", "resolution": None, "gap": 0.2},
    }
    return {
        **combined(base, "", losses),
        **combined({**base, "delta": 0}, "pure, ", without(losses, "power1.5", "sum")),
        **combined({**base, "epsilon": 2, "delta": "0.05"}, "small, ", losses),
        **combined(base, "", demands),
        **combined(base, "", budgets),
    }


def integer() -> Questions:
    """Noise on the integers."""
    base = {"epsilon": 1, "delta": "0.1", "sensitivity": 2, "gap": 0.1, "integer": True}
    losses: Questions = {name: {"loss": loss} for name, loss in LOSSES.items()}
    demands: Questions = {
        "support": {"constraints": [Support(-4, 5)]},
        "unimodal": {"constraints": [Unimodal(1)]},
        "monotone": {"constraints": [Monotone()]},
        "symmetric": {"constraints": [Symmetric()], "loss": "pinball:0.8"},
        "unbiased": {"constraints": [Unbiased()], "loss": "pinball:0.8"},
        "max-error": {"constraints": [MaxError(4)]},
        "distinguishing": {"constraints": [Support(-4, 4), Distinguishing("0.15")]},
        "loss at most": {"constraints": [LossAtMost("l2", 8)]},
        "half": {"constraints": [Unimodal("0.5"), LossAtMost("l1", 3)], "loss": "pinball:0.8"},
    }
    budgets: Questions = {
        "sensitivity 1": {"sensitivity": 1},
        "sensitivity 5": {"sensitivity": 5},
        "small delta": {"sensitivity": 1, "delta": "1e-3"},
        "epsilon 4": {"epsilon": 4, "delta": "1e-6", "sensitivity": 1},
        "epsilon 0.1": {"epsilon": "0.1", "delta": "0.3"},
        "profile": {"profile": PROFILE, **FREE},
        "gdp": {"gdp": 1, **FREE, "sensitivity": 1},
        "gdp, l2": {"gdp": 2, **FREE, "loss": "l2"},
        "releases, pure": {"releases": 3, "delta": 0},
        "custom": {"loss": Custom(abs, convex=True)},
        "runs": {"sensitivity": 1000, "gap": 0.3},
        "runs, pinball": {"sensitivity": 1000, "gap": 0.3, "loss": "pinball:0.8"},
        "runs, edges": {"sensitivity": 10**6, "delta": "1e-6", "epsilon": 4, "gap": 0.3},
    }
    return {
        **combined(base, "", losses),
        **combined({**base, "delta": 0}, "pure, ", without(losses, "power1.5")),
        **combined(base, "", demands),
        **combined(base, "", budgets),
    }


def dependent() -> Questions:
    """Answers within a range, real ones and integers."""
    base: dict[str, Any] = {"epsilon": 1, "delta": "0.2", "sensitivity": 2, "bounds": (0, 4)}
    real = {**base, "gap": 0.3, "resolution": 4}
    whole = {**base, "delta": "0.1", "bounds": (0, 6), "integer": True, "gap": 0.2}
    unit = {**base, "sensitivity": 1, "gap": 0.3}
    losses = without({name: {"loss": loss} for name, loss in LOSSES.items()}, "falling")
    prior = {"edges": [0, 1, "5/2", 4], "masses": ["0.5", "0.3", "0.2"]}
    demands: Questions = {
        "prior": {"prior": prior},
        "outputs": {"outputs": [0, 1, "5/2", 4]},
        "output step": {"output_step": "1/2"},
        "crossing": {"crossing": (1, 1)},
        "monotone": {"monotone": True},
        "blurred": {"exact_answers": False},
        "core": {"core": (1, 3), "sensitivity": 1, "resolution": None, "gap": 0.9},
        "profile": {"profile": PROFILE, **FREE},
        "gdp": {"gdp": 1, **FREE, "gap": 0.9},
        "gdp, l2": {"gdp": 1, **FREE, "gap": 0.9, "loss": "l2"},
        "releases": {"releases": 2, "gap": 0.9},
    }
    ranges: Questions = {
        "long steps": {"bounds": (0, 400), "epsilon": "0.02"},
        "intervals": {"bounds": (0, 2), "epsilon": 5, "delta": 0},
        "intervals, revealed": {"bounds": (0, 2), "epsilon": 5, "delta": "1e-3"},
        "intervals, epsilon 8": {"bounds": (0, 1), "epsilon": 8, "delta": 0},
    }
    counts: Questions = {
        "prior": {"prior": {"masses": ["0.1"] * 5 + ["0.2", "0.3"]}},
        "instance": {"instance_bound": "1.01"},
        "instance, l2": {"instance_bound": 3, "loss": "l2"},
        "instance of another loss": {"instance_bound": ("l2", "1.95")},
        "max-error": {"max_error": 4},
        "loss at most": {"constraints": [LossAtMost("l1", "1.05")]},
        "constraint": {"constraints": [MaxError(5)], "loss": "l2"},
        "monotone": {"monotone": True},
        "monotone, instance": {"monotone": True, "instance_bound": "1.2"},
        "crossing": {"crossing": (2, "1/2")},
        "profile": {"profile": PROFILE, **FREE},
        "gdp": {"gdp": 1, **FREE},
        "releases": {"releases": 2, "gap": 0.9},
        "wide": {"bounds": (0, 400), "gap": 0.5},
        "long steps": {"bounds": (0, 400), "sensitivity": 1, "epsilon": "0.02", "delta": "0.001"},
        "small": {"bounds": (0, 1), "sensitivity": 1},
        "sensitivity 4": {"bounds": (0, 7), "sensitivity": 4},
        "all alike": {"bounds": (0, 3), "sensitivity": 9},
        "epsilon 3": {"epsilon": 3, "delta": "1e-4"},
    }
    return {
        **combined(real, "", losses),
        **combined({**real, "delta": 0}, "pure, ", {"l2": {"loss": "l2"}}),
        **combined(real, "", demands),
        **combined(unit, "", ranges),
        **combined(whole, "integer, ", losses),
        **combined({**whole, "delta": 0}, "integer, pure, ", losses),
        **combined(whole, "integer, ", counts),
    }


def vector() -> Questions:
    """Noise for vectors of a Euclidean sensitivity."""
    base = {"epsilon": 4, "delta": "0.1", "sensitivity": 1, "dimension": 8, "gap": 0.9}
    losses: Questions = {
        name: {"loss": LOSSES[name]} for name in ("l1", "l2", "huber", "power3", "power1.5")
    }
    more: Questions = {
        "four": {"dimension": 4},
        "twelve": {"dimension": 12},
        "twelve, l2": {"dimension": 12, "loss": "l2"},
        "five": {"dimension": 5, "loss": "l2", "epsilon": 1, "delta": "0.2"},
        "fifty": {"dimension": 50, "delta": "1e-3"},
        "sensitivity 5": {"sensitivity": 5},
        "sensitivity 2/3": {"sensitivity": "2/3", "loss": "l2"},
    }
    pure: Questions = {
        "three": {"dimension": 3},
        "ten": {"dimension": 10, "loss": "l2"},
        "epsilon 1": {"epsilon": 1},
        "epsilon 0.1": {"epsilon": "0.1", "dimension": 2},
        "power4": {"loss": "power:4"},
    }
    return {
        **combined(base, "", losses),
        **combined(base, "", more),
        **combined({**base, "delta": 0}, "pure, ", without(losses, "power1.5") | pure),
    }


def joint() -> Questions:
    """Noise for several numbers at once."""
    base: dict[str, Any] = {"epsilon": 1, "delta": 0, "integer": True, "gap": 0.5, "time_limit": 60}
    shapes: dict[str, Any] = {
        "cube": Cube(2),
        "cube 5": Cube(5),
        "wide cube": Cube(3, width=4),
        "one-sided": Cube(3, one_sided=True),
        "sparse": Sparse(4, 2),
        "sparse, one-sided": Sparse(3, 1, one_sided=True),
        "blocks": Blocks(Cube(2), Cube(1, width=3)),
        "blocks, one-sided": Blocks(Sparse(3, 2, one_sided=True), Cube(2, width=2, one_sided=True)),
    }
    levels = {
        f"{name}, {loss}": {"sensitivity": shape, "loss": loss}
        for name, shape in shapes.items()
        for loss in ("l1", "l2")
    }
    more: Questions = {
        "largest": {"sensitivity": Cube(2), "loss": "largest"},
        "largest, delta": {"sensitivity": Cube(3), "loss": "largest", "delta": "1e-3"},
        "largest, real": {"sensitivity": Cube(2), "loss": "largest", "integer": False},
        "real": {"sensitivity": Cube(3, width="1/2"), "integer": False},
        "real, one-sided": {"sensitivity": Cube(2, one_sided=True), "integer": False},
        "weights": {"sensitivity": Cube(2), "loss": "l2", "epsilon": "0.25", "weights": [100, 1]},
        "weights, blocks": {
            "sensitivity": Blocks(Cube(2), Cube(1, width=3)),
            "weights": [1, 1, "1/3"],
        },
        "sums": {"sensitivity": Cube(3), "loss": "l2", "delta": "1e-4"},
        "bases": {"sensitivity": Cube(4, one_sided=True), "loss": "l2"},
        "bases, delta": {"sensitivity": Cube(3, one_sided=True), "delta": "1e-4"},
        "bases, moves": {
            "sensitivity": Cube(3, one_sided=True),
            "loss": "l2",
            "epsilon": "0.1",
            "gap": 0.06,
        },
        "sums, five": {"sensitivity": Cube(5), "loss": "l2", "delta": "1e-6"},
        "flow at delta": {"sensitivity": Cube(3, one_sided=True), "loss": "l2", "delta": "1e-6"},
        "volume": {"sensitivity": Cube(16), "loss": "l2", "delta": "1e-6"},
        "Euclidean, many": {"sensitivity": Cube(40), "loss": "l2", "delta": "0.01"},
        "Euclidean, blocks": {
            "sensitivity": Blocks(Sparse(6, 2, one_sided=True), Cube(2, width=3, one_sided=True)),
            "epsilon": "0.2",
            "delta": "0.05",
            "loss": "l2",
        },
        "eight": {"sensitivity": Cube(8), "loss": "l2", "delta": "1e-3"},
        "Euclidean, one-sided": {"sensitivity": Cube(16, one_sided=True), "delta": "1e-3"},
        "Euclidean, real": {
            "sensitivity": Cube(3, width="1/2"),
            "integer": False,
            "loss": "l2",
            "delta": "0.1",
        },
        "sparse at delta": {"sensitivity": Sparse(10, 3), "delta": "1e-3", "loss": "l2"},
        "quick": {"sensitivity": Cube(5, one_sided=True), "time_limit": 0.01},
        "epsilon 3": {"sensitivity": Cube(2), "epsilon": 3},
    }
    return combined(base, "", levels | more)


def keyed() -> Questions:
    """Partition selection: keys that are not public."""
    base = {"epsilon": 2, "delta": "0.01"}
    return {
        **combined(
            base,
            "",
            {
                "plain": {},
                "l2": {"loss": "l2"},
                "huber": {"loss": "huber:2"},
                "power": {"loss": "power:3"},
                "sum": {"loss": L1() + 0.5 * L2()},
                "epsilon 0.5": {"epsilon": "0.5"},
                "epsilon 5": {"epsilon": 5, "delta": "1e-6"},
                "epsilon 0": {"epsilon": 0, "delta": "0.1"},
                "small delta": {"delta": "1e-9"},
                "replace": {"neighbors": "replace"},
                "groups": {"max_groups": 2},
                "groups, large": {"max_groups": 5, "group_size": 1000},
                "six groups": {"max_groups": 6},
            },
        ),
        "profile": {"profile": [("1", "0.01"), ("0.5", "0.05"), ("2", "0.001")]},
        "profile, groups": {"profile": [("1", "0.01"), ("2", "0.001")], "max_groups": 2},
        "profile, l2": {"profile": [("3", "0.01"), ("1", "0.1")], "loss": "l2"},
        "gdp": {"gdp": 1, "failure": "0.01"},
        "gdp 0.5": {"gdp": "0.5", "failure": "1e-3"},
        "gdp, groups": {"gdp": 1, "failure": "0.01", "max_groups": 4},
        "gdp, l2": {"gdp": 2, "failure": "1e-6", "loss": "l2"},
    }


def workload() -> Questions:
    """Noise for many linear queries about counts."""
    prefix, largest = Workload.prefix, {"loss": "largest"}
    pairs = Workload.marginals([2, 3], [[0, 1], [0]])
    matrix = Workload([[1, 1, 0], [0, 1, 1], [1, 2, 1]])
    products = Workload.product(prefix(2), Workload.identity(2))
    gaussian: Questions = {
        "prefix": {"workload": prefix(4)},
        "prefix, largest": {"workload": prefix(3), **largest},
        "prefix, replace": {"workload": prefix(3), "neighbors": "replace"},
        "prefix, largest, replace": {"workload": prefix(3), **largest, "neighbors": "replace"},
        "identity": {"workload": Workload.identity(3)},
        "ranges": {"workload": Workload.ranges(3)},
        "total": {"workload": Workload.total(4)},
        "basis": {"workload": matrix},
        "basis, largest": {"workload": matrix, **largest},
        "queries": {"workload": Workload([["1/2", 1, 0, 3], [0, 1, 1, 1]], weights=[1, 3])},
        "product": {"workload": products},
        "product, replace": {"workload": products, "neighbors": "replace"},
        "stack": {"workload": Workload.stack(prefix(3), Workload.total(3))},
        "weighted": {"workload": prefix(3).weighted([1, 2, 3])},
        "tables": {"workload": pairs},
        "tables, largest": {"workload": pairs, **largest},
        "tables, replace": {"workload": pairs, "neighbors": "replace"},
        "tables, weighted": {"workload": Workload.marginals([2, 2, 2], 2, weights=[1, 2, 3])},
        "five": {"workload": prefix(5)},
        "deep": {"workload": Workload.stack(products, Workload.total(4)).weighted(2)},
    }
    pure: Questions = {
        "prefix": {"workload": prefix(3)},
        "sums": {"workload": prefix(16)},
        "identity": {"workload": Workload.identity(3)},
        "identity, replace": {"workload": Workload.identity(3), "neighbors": "replace"},
        "singular": {"workload": Workload.marginals([2, 2], [[0], [1]])},
        "each answer": {"workload": Workload.marginals([7, 6], 1)},
        "answers": {"workload": Workload([[2, 1, 0, 1], [0, 1, 1, 2]])},
        "answers, replace": {"workload": Workload([[-1, 1, 0, 1, 1]]), "neighbors": "replace"},
        "largest": {"workload": prefix(3), **largest},
    }
    approximate: Questions = {
        "counts": {"workload": prefix(4), "delta": "1e-6"},
        "by a curve": {"workload": Workload.marginals([2] * 3), "delta": "0.2"},
        "integer law": {"workload": prefix(3), "delta": "0.01"},
        "joint law": {"workload": Workload([[2, 1, 0, 1], [0, 1, 1, 2]]), "delta": "1e-6"},
        "vector law": {"workload": prefix(8), "delta": "0.02"},
        "identity": {"workload": Workload.identity(4), "delta": "1e-3"},
        "largest": {"workload": prefix(3), "delta": "1e-3", **largest},
        "product": {"workload": products, "delta": "1e-3"},
    }
    return {
        **combined({"gdp": 1}, "gdp, ", gaussian),
        **combined(
            {"zcdp": "0.5"},
            "zcdp, ",
            {name: gaussian[name] for name in ("prefix", "tables", "total")},
        ),
        **combined({"epsilon": 1, "delta": 0}, "pure, ", pure),
        **combined({"epsilon": 1}, "", approximate),
    }


QUESTIONS = {
    "additive": additive,
    "integer": integer,
    "dependent": dependent,
    "vector": vector,
    "joint": joint,
    "keyed": keyed,
    "workload": workload,
}
