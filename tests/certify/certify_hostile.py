"""Files within the limits of size that would take long to check, were the work not counted.

Each is made for a part of the budget: a twelfth of it takes about a twelfth of the numbers.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import islice, permutations
from math import isqrt
from typing import Any

Data = dict[str, Any]


#: (A generator for every number would take a tenth of the time of these tests.)
DIGITS = "".join(random.Random(0).choices("0123456789", k=100_003))


@cache
def long(digits: int, salt: int) -> str:
    """Some digits, the first of them not 0."""
    start = salt * 7919 % (len(DIGITS) - digits)
    return str(1 + salt % 9) + DIGITS[start : start + digits - 1]


def ratio(digits: int, salt: int) -> str:
    """A fraction between 0 and 1, in so many digits."""
    return f"{long(digits // 2 - 1, salt)}/{long(digits // 2, salt + 1)}"


ADDITIVE: Data = {
    "format": "leastnoise/1",
    "kind": "additive",
    "epsilon": "1",
    "delta": "0.5",
    "sensitivity": "1",
    "step": "1",
    "grid": 1,
    "loss": {"name": "l1"},
    "noise": {"denominator": "3", "first": -1, "weights": ["1", "1", "1"], "atom": "0"},
    "upper": "1000000",
    "lower": "0",
    "certificate": {"step": "1", "reach": 0, "shifts": []},
}
DEPENDENT: Data = {
    "format": "leastnoise/1",
    "kind": "dependent",
    "epsilon": "1",
    "delta": "0.5",
    "sensitivity": "1",
    "loss": {"name": "l1"},
    "bounds": ["0", "1"],
    "prior": "uniform",
    "step": "1",
    "channel": {"denominator": "2", "first": 0, "rows": [["1", "1"], ["1", "1"]]},
    "upper": "1000000",
    "lower": "0",
    "certificate": {"step": "1", "first": 0, "pairs": []},
}


def changed(base: Data, **changes: Any) -> Data:
    """A copy with some places changed, such as noise__first."""
    data = copy.deepcopy(base)
    for path, value in changes.items():
        *way, last = path.split("__")
        place = data
        for key in way:
            place = place[key]
        place[last] = value
    return data


def kinks(count: int, digits: int = 10) -> Data:
    """A piecewise linear loss of many points with long numbers."""
    points = [
        [f"{k - count // 2}.{long(digits, k)}", f"{k * k}.{long(digits, -k)}"] for k in range(count)
    ]
    return {"name": "piecewise", "points": points, "slopes": ["-10000", "10000"]}


def weights(count: int, digits: int) -> list[str]:
    return [long(digits, k) for k in range(count)]


def rows(count: int, width: int, digits: int) -> Data:
    return {
        "denominator": "2",
        "first": 0,
        "rows": [weights(width, digits) for _ in range(1)]
        + [[long(digits, 7 * k + 1), *weights(width, digits)[1:]] for k in range(1, count)],
    }


def channel(count: int, width: int, digits: int, **more: Any) -> Data:
    return changed(
        DEPENDENT,
        bounds=["0", str(count - 1)],
        channel=rows(count, width, digits),
        certificate__step=str(count - 1),
        **more,
    )


def profile(count: int) -> list[list[str]]:
    return [[f"{k}.{long(20, k)}", "0.4"] for k in range(count)]


def curve(count: int, threshold: str) -> Data:
    points = [[f"{k}/10", "0.0001"] for k in range(count - 1)]
    return {
        "mu": "1",
        "points": [*points, [f"{count}/10", "0"]],
        "thresholds": [f"{threshold}.{long(30, k)}" for k in range(count - 1)],
    }


def constrained(constraints: list[Data], duals: list[Data], **more: Any) -> Data:
    return (
        changed(ADDITIVE, **more)
        | {"constraints": constraints}
        | {
            "certificate": {
                **(more.get("certificate") or ADDITIVE["certificate"]),
                "constraints": duals,
            }
        }
    )


def reaching(reach: int, step: str = "1") -> Data:
    return {"step": step, "reach": reach, "shifts": []}


def cells(count: int, digits: int, bottom: str) -> list[list[Any]]:
    return [[k - count // 2, f"{long(digits, k)}/{bottom}"] for k in range(count)]


def prior(count: int) -> Data:
    return {
        "edges": ["0", *(f"{k}/{count}" for k in range(1, count)), "1"],
        "masses": [f"1/{count}"] * count,
    }


def pairs(count: int, each: int, digits: int, bottom: str) -> list[Data]:
    return [
        {
            "from": k,
            "to": k + 1,
            "mirror": False,
            "budget": "1" + "0" * digits,
            "cells": [[y, f"{long(digits, k + y)}/{bottom}"] for y in range(each)],
        }
        for k in range(count)
    ]


def side(length: int, part: int) -> int:
    """The side of a square with a part of the content."""
    return isqrt(length * length // part)


HOSTILE: dict[str, Callable[[int], Data]] = {
    "nodes beyond": lambda part: changed(
        DEPENDENT,
        sensitivity="300000",
        beyond=["-1", "2"],
        channel__noise={"first": 0, "weights": ["2"]},
    ),
    "nodes beyond, in order": lambda part: changed(
        DEPENDENT,
        sensitivity="60000",
        beyond=["-1", "2"],
        monotone=True,
        max_error="3",
        delta="0",
        channel__noise={"first": 0, "weights": ["2"]},
    ),
    "long noise beyond": lambda part: changed(
        DEPENDENT,
        sensitivity="2000",
        beyond=["-1", "2"],
        instance_bound="1",
        channel__noise={"first": -5000, "weights": ["1"] * 10_000},
    ),
    "crossing": lambda part: changed(
        DEPENDENT, crossing={"at": "1/3", "slope": "1"}, certificate__step=f"1/{side(1100, part)}"
    ),
    "crossing, long": lambda part: changed(
        DEPENDENT,
        crossing={"at": ratio(96, 1), "slope": ratio(96, 3)},
        certificate__step="1/1100",
        prior=prior(10_000),
    ),
    "crossing, rows": lambda part: channel(
        900,
        900 // part,
        3,
        crossing={"at": "1/3", "slope": "1"},
        loss={"name": "power", "p": "1.5"},
    ),
    "many weights": lambda part: channel(1000, 1100 // part, 3, sensitivity="1000", monotone=True),
    "a million ones": lambda part: changed(
        DEPENDENT,
        bounds=["0", "1999"],
        certificate__step="1999",
        sensitivity="1",
        monotone=True,
        max_error="5000",
        instance_bound="5000",
        channel={"denominator": "2", "first": 0, "rows": [["1"] * (790 // part)] * 2000},
    ),
    "long weights": lambda part: channel(
        140, 140 // part, 390, sensitivity="139", profile=profile(90)
    ),
    "instance": lambda part: channel(
        700, 700 // part, 5, instance_bound="1", loss={"name": "power", "p": "3"}
    ),
    "outputs": lambda part: changed(
        channel(1000, 1, 2, sensitivity="1000", max_error="9999", monotone=True),
        channel={
            "denominator": "2",
            "rows": [["1"] * (900 // part)] * 1000,
            "outputs": [f"{k}.{long(60, k)}" for k in range(900 // part)],
        },
    ),
    "prior": lambda part: changed(
        DEPENDENT,
        step="1/2000",
        sensitivity="1/2000",
        prior=prior(10_000),
        channel={"denominator": "2", "first": 0, "rows": [["1", "1"]] * 2001},
    ),
    "kinks": lambda part: channel(400, 400, 3, loss=kinks(1000, 60)),
    "kinks and a fine prior": lambda part: changed(
        DEPENDENT,
        step="1/60",
        sensitivity="1",
        prior=prior(9000),
        loss=kinks(1000, 40),
        channel={"denominator": "2", "first": 0, "rows": [["1"] * 60] * 61},
    ),
    "kinks in the certificate": lambda part: changed(
        DEPENDENT, loss=kinks(1000, 85), certificate__step="1/1100", bounds=["0", "1"]
    ),
    "multipliers of pairs": lambda part: changed(
        DEPENDENT,
        certificate__step=f"1/{side(1100, part)}",
        certificate__pairs=pairs(side(1000, part), side(220, part), 6, "1000"),
    ),
    "long multipliers of pairs": lambda part: changed(
        DEPENDENT,
        certificate__step=f"1/{side(1100, part)}",
        certificate__pairs=pairs(side(1000, part), side(20, part), 150, "1" + "0" * 200),
    ),
    "empty pairs": lambda part: changed(
        DEPENDENT,
        certificate__step=f"1/{side(400, part)}",
        certificate__pairs=[
            {"from": k, "to": m, "mirror": False, "budget": "1", "cells": []}
            for k, m in islice(permutations(range(side(400, part)), 2), 100_000 // part)
        ],
    ),
    "profile": lambda part: changed(
        ADDITIVE,
        step="1/300",
        noise__weights=weights(60_000, 20),
        noise__first=-30_000,
        profile=profile(90),
    ),
    "shifts": lambda part: changed(
        ADDITIVE,
        step="1/333",
        noise__weights=weights(60_000 // part, 100),
        noise__first=-30_000 // part,
    ),
    "profile of a large certificate": lambda part: changed(
        ADDITIVE,
        noise__weights=weights(60_000, 5),
        noise__first=-30_000,
        profile=profile(90),
        gdp=curve(300, "1"),
        certificate__reach=50_000,
    ),
    "curve": lambda part: changed(ADDITIVE, gdp=curve(300 // part, "38")),
    "curve for a certificate": lambda part: changed(
        ADDITIVE,
        gdp=curve(3, "1"),
        certificate={
            "step": "1",
            "reach": 0,
            "points": [[f"{k % 80}.{long(9, k)}", "0.5"] for k in range(300 // part)],
            "shifts": [
                {"shift": 1, "mirror": True, "budget": "1", "cells": [], "point": k}
                for k in range(300 // part)
            ],
        },
    ),
    "releases": lambda part: changed(
        ADDITIVE,
        profile=[[f"{k}/10", f"0.{'0' * k}1"] for k in range(11)],
        releases={"count": 2000, "epsilon": "5", "delta": "0.9"},
    ),
    "demands of releases": lambda part: changed(
        ADDITIVE,
        releases={"count": 64, "epsilon": "5", "delta": "0.01"},
        certificate={
            "step": "1",
            "reach": 0,
            "points": [[f"0.{long(9, k)}", "0.005"] for k in range(300)],
            "shifts": [
                {"shift": 1, "mirror": True, "budget": "1", "cells": [], "point": k}
                for k in range(300)
            ],
        },
    ),
    "supports": lambda part: constrained(
        [{"name": "support", "low": f"-{ratio(96, k)}"} for k in range(20)],
        [{}] * 20,
        noise={"denominator": "3", "first": -30_000, "weights": ["1"] * 60_000, "atom": "0"},
        step=ratio(96, 5),
        sensitivity=ratio(96, 5),
        certificate=reaching(0, ratio(96, 5)),
    ),
    "modes and tails": lambda part: constrained(
        [{"name": "unimodal", "at": str(k)} for k in range(20)],
        [{"cells": []}] * 20,
        noise={
            "denominator": "3",
            "first": -9000 // part,
            "weights": weights(18_000 // part, 300),
            "atom": "0",
            "tail": {"period": 1, "ratio": ratio(96, 1)},
        },
    ),
    "second losses": lambda part: constrained(
        [{"name": "loss-at-most", "loss": {"name": "power", "p": "15.999"}, "bound": "1"}] * 20,
        [{"weight": ratio(390, k)} for k in range(20)],
        certificate=reaching(2000),
    ),
    "second losses with kinks": lambda part: constrained(
        [{"name": "loss-at-most", "loss": kinks(1000, 20), "bound": "1"}] * 20,
        [{"weight": ratio(390, k)} for k in range(20)],
        certificate=reaching(1000),
    ),
    "comparisons": lambda part: constrained(
        [{"name": "unimodal", "at": str(70_000 + k)} for k in range(20)],
        [{"cells": cells(500 // part, 390, long(9, k))} for k in range(20)],
        certificate=reaching(300 // part),
    ),
    "comparisons with long denominators": lambda part: constrained(
        [{"name": "unimodal", "at": str(70_000 + k)} for k in range(20)],
        [{"cells": cells(500 // part, 200, long(190, k))} for k in range(20)],
        certificate=reaching(300 // part),
    ),
    "long tail": lambda part: changed(
        ADDITIVE,
        loss={"name": "power", "p": "16"},
        step="1/100",
        noise={
            "denominator": "3",
            "first": -30_000 // part,
            "weights": weights(60_000 // part, 60),
            "atom": "0",
            "tail": {"period": 100, "ratio": ratio(96, 1)},
        },
    ),
    "long step": lambda part: changed(
        ADDITIVE,
        loss={"name": "power", "p": "16"},
        step=ratio(96, 5),
        sensitivity=ratio(96, 5),
        certificate=reaching(900 // part, ratio(96, 5)),
    ),
    "ties": lambda part: changed(
        ADDITIVE,
        loss={"name": "sum", "terms": [[ratio(90, k), {"name": "l1"}] for k in range(0, 60, 2)]},
        certificate__reach=4000,
    ),
    "free edges": lambda part: changed(
        ADDITIVE,
        grid=1_000_001,
        noise={
            "denominator": "1",
            "atom": "0",
            "weights": weights(590, 300),
            "edges": [
                str(Fraction(e, 2_000_002))
                for e in sorted(random.Random(1).sample(range(10**9), 591))
            ],
        },
    ),
    "lattice of edges": lambda part: changed(
        ADDITIVE,
        step="1",
        grid=999,
        noise={
            "denominator": "1",
            "atom": "0",
            "weights": weights(2000, 50),
            "edges": [
                str(Fraction(e, 999)) for e in sorted(random.Random(1).sample(range(20_000), 2001))
            ],
        },
    ),
    "kinks within a cell": lambda part: changed(
        ADDITIVE,
        loss=kinks(1000, 85),
        sensitivity="5000",
        step="5000",
        certificate=reaching(0, "5000"),
    ),
    "kinks in all cells": lambda part: changed(
        ADDITIVE, loss=kinks(1000, 30), noise__first=-1000, noise__weights=["1"] * 2000
    ),
    "masses": lambda part: changed(
        DEPENDENT,
        prior={
            "edges": ["0", *(f"{k}/9000" for k in range(1, 9000 // part)), "1"],
            "masses": [ratio(390, k) for k in range(9000 // part)],
        },
    ),
    "budgets": lambda part: changed(
        DEPENDENT,
        certificate__step="1/400",
        certificate__pairs=[
            {"from": k, "to": m, "mirror": False, "budget": ratio(390, k + 400 * m), "cells": []}
            for k, m in islice(permutations(range(400), 2), 15_000 // part)
        ],
    ),
    "terms": lambda part: changed(
        ADDITIVE,
        loss={
            "name": "sum",
            "terms": [
                [ratio(96, k), {"name": "huber", "width": ratio(96, k + 7)}]
                for k in range(0, 200, 2)
            ],
        },
        certificate__reach=100,
    ),
    "powers": lambda part: changed(
        ADDITIVE, loss={"name": "power", "p": "15.999"}, certificate__reach=59_999
    ),
}
