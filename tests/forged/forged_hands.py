"""Files written by hand for single features: claims that are false, files that once hung or fell.

Each entry is a file; what the checker says of it is compared with the evaluator like any other.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

Data = dict[str, Any]


def spiked(far: int = 7, height: int = 10_000, share: Fraction = Fraction(97, 100)) -> Data:
    """Spikes at all lattice points, a mode beyond the last, and a loss that falls right there.

    The chord errors of the spikes cancel in the minorant: 0 inside, 17 at the last lattice point,
    1 beyond it. Uniform noise on [-7, 9] costs about 9/16, and 1 was once called proven.
    """
    width = Fraction(1, 1_000_000)
    top = 2 * far + 2
    last = Fraction(far + 1)
    fall = Fraction(top - 1, top + height - 1)
    points = [(-last - width, 10), (-last, 10 + height), (-last + width, 10)]
    for i in range(-far, far + 1):
        points += [(i - width, 0), (Fraction(i), height), (i + width, 0)]
    points += [
        (last - width, top),
        (last, top + height),
        (last + width, top),
        (last + width + fall, 1),
    ]
    return {
        "format": "leastnoise/1",
        "kind": "additive",
        "epsilon": "0",
        "delta": "0.5",
        "sensitivity": "1",
        "step": "1",
        "grid": 1001,
        "loss": {
            "name": "piecewise",
            "points": [[str(x), str(y)] for x, y in points],
            "slopes": ["-1", "1/1000"],
        },
        "constraints": [{"name": "unimodal", "at": str(far + 2)}],
        "noise": {
            "denominator": "1",
            "edges": [str(-far), str(far + 2)],
            "weights": ["1"],
            "atom": "0",
        },
        "upper": "20",
        "lower": "0",
        "certificate": {
            "step": "1",
            "reach": far,
            "shifts": [],
            "constraints": [
                {"cells": [[j, str(share * (j + far + 1))] for j in range(-far, far + 1)]}
            ],
        },
    }


def additive(**more: Any) -> Data:
    """A small file of kind additive, true as it stands."""
    return {
        "format": "leastnoise/1",
        "kind": "additive",
        "epsilon": "0",
        "delta": "0.5",
        "sensitivity": "1",
        "step": "1",
        "grid": 1,
        "loss": {"name": "l1"},
        "noise": {"denominator": "2", "first": 0, "weights": ["1", "1"], "atom": "0"},
        "upper": "1",
        "lower": "0",
        "certificate": {"step": "1", "reach": 0, "shifts": []},
        **more,
    }


def integer(**more: Any) -> Data:
    """A small file of kind integer, true as it stands."""
    return {
        "format": "leastnoise/1",
        "kind": "integer",
        "epsilon": "0",
        "delta": "0.5",
        "sensitivity": "1",
        "step": "1",
        "loss": {"name": "l1"},
        "noise": {"denominator": "2", "first": 0, "weights": ["1", "1"]},
        "upper": "1",
        "lower": "0",
        "certificate": {"step": "1", "reach": 0, "shifts": []},
        **more,
    }


def dependent(**more: Any) -> Data:
    """A small file of kind dependent: every value is answered by 1."""
    return {
        "format": "leastnoise/1",
        "kind": "dependent",
        "epsilon": "0",
        "delta": "0",
        "sensitivity": "1",
        "loss": {"name": "l1"},
        "bounds": ["0", "2"],
        "step": "1",
        "prior": "uniform",
        "channel": {"denominator": "1", "first": 1, "rows": [["1"], ["1"], ["1"]]},
        "upper": "0.5",
        "lower": "0",
        "certificate": {"step": "1", "first": 0, "pairs": []},
        **more,
    }


def hands() -> dict[str, Data]:
    """All files written by hand, by name."""
    here = [{"name": "support", "low": "0.2", "high": "0.8"}]
    unused = {"step": "1", "reach": 0, "shifts": [], "constraints": [{}]}
    falling = {"name": "piecewise", "points": [["10", "0"]], "slopes": ["-1", "1"]}
    beside = {
        "denominator": "2",
        "first": 1,
        "rows": [["2"], ["2"], ["2"]],
        "noise": {"first": 0, "weights": ["2"]},
    }
    moved = {
        "step": "1",
        "grid": 1,
        "noise": {"denominator": "1", "first": 9, "weights": ["1"], "atom": "0"},
    }
    digits = "9" * 390
    found = {
        "spiked": spiked(),
        "additive": additive(),
        "integer": integer(),
        "dependent": dependent(),
        "between rows and noise": dependent(
            delta="0.999", beyond=["-10", "11"], channel=beside, instance_bound="1"
        ),
        "moved, falling": dependent(
            delta="0.99",
            additive=moved,
            channel={"denominator": "1", "first": 0, "rows": []},
            loss=falling,
            upper="1",
            instance_bound="1",
        ),
        "support without a lattice point": integer(constraints=here, certificate=unused),
        "support outside": additive(
            constraints=[{"name": "support", "low": "30"}], certificate=unused
        ),
        "row of zeros": dependent(
            max_error="1", channel={"denominator": "1", "first": 1, "rows": [["1"], ["0"], ["1"]]}
        ),
        "long upper": integer(upper=digits),
        "long upper, additive": additive(upper=digits),
        "long upper, dependent": dependent(upper=digits),
        "long instance bound": dependent(instance_bound=digits),
        "long bound": additive(
            constraints=[{"name": "loss-at-most", "loss": {"name": "l2"}, "bound": digits}],
            certificate={**unused, "constraints": [{"weight": "0"}]},
        ),
        "no weight": integer(noise={"denominator": "1", "first": 0, "weights": []}),
        "all in the atom": additive(
            delta="0.999999", noise={"denominator": "1", "first": 0, "weights": ["0"], "atom": "1"}
        ),
        "far noise": integer(
            noise={"denominator": "1", "first": 60_000, "weights": ["1"]},
            delta="0.99",
            upper="60000",
        ),
        "one step of 1/30000": dependent(
            step="1/30000",
            bounds=["0", "1/30000"],
            beyond=["-5", "5"],
            delta="0.999",
            channel={
                "denominator": "2",
                "first": 0,
                "rows": [["2"], ["2"]],
                "noise": {"first": 0, "weights": ["2"]},
            },
            certificate={"step": "1/30000", "first": 0, "pairs": []},
        ),
    }
    found["wide beyond, many nodes"] = dependent(
        step="1/2000",
        bounds=["0", "1/2000"],
        beyond=["-1000", "1000"],
        delta="0.999",
        channel={
            "denominator": "800",
            "first": 0,
            "rows": [["1"] * 800] * 2,
            "noise": {"first": -400, "weights": ["1"] * 800},
        },
        certificate={"step": "1/2000", "first": 0, "pairs": []},
    )
    found |= _heavy()
    return found


def _heavy() -> dict[str, Data]:
    """Much work in few bytes, or in many: no check may take long."""
    many = 130
    crossing = {"at": "7/13", "slope": "3/17"}
    prior = {"edges": [str(Fraction(j, 300)) for j in range(301)], "masses": ["1/300"] * 300}
    wide = [["1"] * many] * (many + 1)
    cells = 700
    constraints = [{"name": "support", "low": "-1000", "high": "1000"}] * 20
    return {
        "crossing": dependent(
            step=f"1/{many}",
            bounds=["0", "1"],
            delta="0.999",
            crossing=crossing,
            prior=prior,
            channel={"denominator": str(many), "first": 0, "rows": wide},
            certificate={"step": "1", "first": 0, "pairs": []},
            upper="10",
        ),
        "many ends": additive(
            sensitivity="100",
            step="1/20",
            delta="0.999",
            constraints=constraints,
            noise={
                "denominator": str(cells),
                "first": -cells // 2,
                "weights": ["1"] * cells,
                "atom": "0",
            },
            upper="1000",
            certificate={"step": "1/20", "reach": 10_000, "shifts": [], "constraints": [{}] * 20},
        ),
        "a long ratio": additive(
            delta="0.9",
            upper="100000",
            sensitivity="50",
            step="1/2",
            noise={
                "denominator": "1",
                "first": -100,
                "weights": ["1"] * 200,
                "atom": "0",
                "tail": {"period": 100, "ratio": "9" * 49 + "/1" + "0" * 49},
            },
        ),
        "powers": additive(
            loss={"name": "power", "p": "15999/1000"},
            sensitivity="10",
            step="1/100",
            delta="0.999",
            upper="1" + "0" * 80,
            noise={
                "denominator": "20000",
                "first": -10_000,
                "weights": ["1"] * 20_000,
                "atom": "0",
            },
            certificate={"step": "1/100", "reach": 50_000, "shifts": []},
        ),
        "many releases": integer(
            releases={"count": 20_000, "epsilon": "0", "delta": "0.999"},
            profile=[["1/10000", "0.5"], ["1", "0.5"]],
        ),
    }
