"""Golden files for what no small design writes: by hand, their bounds as tight as is proven."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

from golden_files import Json, report_of, text_of_file

Designs = dict[str, dict[str, Json]]  #: golden files that `design` made, by kind and name


def settled(data: Json, delta: bool = False) -> Json:
    """The file with the least `upper`, the largest `lower` and, if asked for, the least `delta`
    that the checker proves, each rounded to nine digits."""
    data = {**data, "upper": "1000000", "lower": "0"}
    if delta:
        data["delta"] = _rounded(Fraction(99, 100) - _slack(data | {"delta": "99/100"}, "privacy"))
    for _ in range(2):  # the first time the slack is a small part of a large number
        data["upper"] = _rounded(Fraction(data["upper"]) - _slack(data, "upper"))
    return data | {"lower": _rounded(_slack(data, "lower"), down=True)}


def _slack(data: Json, name: str) -> Fraction:
    report = report_of(text_of_file(data))
    claims = {claim["name"]: claim for claim in report.get("claims", [])}
    if name not in claims or claims[name]["slack"] is None:
        raise ValueError(f"nothing is known of {name}: {report}")
    return Fraction(claims[name]["slack"])


def _rounded(value: Fraction, down: bool = False) -> str:
    """A decimal of nine digits, a billionth beyond the value."""
    if value == 0:
        return "0"
    assert value > 0
    digits = 9 - math.floor(math.log10(value))
    scaled = value * 10**digits
    whole = math.floor(scaled) - 1 if down else math.ceil(scaled) + 1
    return f"{Decimal(whole).scaleb(-digits):f}"


def by_hand(designs: Designs) -> Designs:
    """All of them, by kind and name; some start from a design."""
    made = {
        "additive": _additive(designs["additive"]),
        "integer": _integer(),
        "dependent": _dependent(),
        "vector": _vector(designs["vector"]),
        "joint": _joint(),
        "workload": _workload(),
    }
    for kind, name in ABOUT:
        made.setdefault(kind, {})["about"] = designs[kind][name] | {"about": NOTE}
    return made


#: Curves for shifts of three lengths, of few pieces.
FEW_CURVES = {
    "step": "1/10",
    "unit": "1/1000",
    "points": [[0, 0], [10, 3]],
    "pieces": [[0, 1, 2]],
    "more": [
        {"shift": 8, "points": [[0, 0], [9, 4], [12, 13]], "pieces": [[0, 1, 2], [1, 2, 1]]},
        {"shift": 5, "points": [[0, 0], [5, 1]], "pieces": [[0, 1, 1]]},
    ],
}
#: What people may write on a file, of every type, and the designs that bear it.
NOTE = {
    "query": "mean of salary",
    "neighbours": ["add-remove", "é", '"quoted" \\ \u2028'],
    "run": 7,
    "share": 0.125,
    "final": True,
    "previous": None,
    "by": {"team": {"room": "B"}},
}
ABOUT = (
    ("additive", "l1"),
    ("integer", "l1"),
    ("dependent", "integer, l1"),
    ("vector", "pure, l1"),
    ("joint", "cube, l1"),
    ("keyed", "plain"),
    ("workload", "gdp, prefix"),
)


def _counts(*counts: int) -> list[str]:
    return [str(count) for count in counts]


def _file(kind: str, **keys: Any) -> Json:
    """A file with the keys that every kind has, in the order in which they are written."""
    start = {
        "format": "leastnoise/1",
        "kind": kind,
        "epsilon": "1",
        "delta": "1/5",
        "sensitivity": "1",
        "loss": {"name": "l1"},
    }
    first = {key: keys.pop(key, value) for key, value in start.items()}
    certificate = keys.pop("certificate")
    return {**first, **keys, "upper": "", "lower": "", "certificate": certificate}


def _additive(designs: dict[str, Json]) -> dict[str, Json]:
    multipliers = designs["l1"]["certificate"]
    mesh = {
        "denominator": "100",
        "edges": ["-2.3", "-1.1", "-0.4", "0.3", "1.2", "2"],
        "weights": _counts(5, 14, 52, 15, 4),
        "atom": "10",
    }
    event = {
        "point": 1,
        "left": ["0", "1/2"],
        "right": ["1/4", "3/4"],
        "first": -1,
        "last": 1,
        "mirror": True,
        "multiplier": "1/1000",
    }
    events = [event, event | {"point": 0, "first": 0, "mirror": False, "multiplier": "1/500"}]
    curve = designs["gdp"]
    return {
        "edges by hand": settled(
            _file("additive", step="1", grid=5, noise=mesh, certificate=multipliers), True
        ),
        "an atom": settled(
            _file(
                "additive",
                step="1",
                grid=1,
                noise={"denominator": "8", "first": -1, "weights": _counts(2, 2, 3), "atom": "1"},
                certificate={"step": "1", "reach": 0, "shifts": []},
            ),
            True,
        ),
        "narrow events": settled(
            curve | {"certificate": curve["certificate"] | {"narrow": events}}
        ),
    }


def _integer() -> dict[str, Json]:
    nothing = {"step": "1", "reach": 0, "shifts": []}
    shift = {"shift": 6, "mirror": True, "budget": "1", "cells": [[-3, "1"], [-2, "1/2"]]}
    tail = {"period": 2, "ratio": "1/3"}
    runs = {"denominator": "60", "first": -2, "weights": _counts(4, 8, 30, 8, 4), "atom": "3"}
    # The sum over both tails: (4 + 8 + 8 + 4) * (1/3) / (1 - 1/3) = 12, so less in the middle.
    runs["weights"] = _counts(4, 8, 21, 8, 4)
    edges = {"denominator": "20", "edges": ["-7/2", "-1/2", "1/2", "9/2"], "atom": "2"}
    return {
        "runs with a tail": settled(
            _file(
                "integer",
                sensitivity="6",
                step="3",
                grid=3,
                noise=runs | {"tail": tail},
                certificate={"step": "1", "reach": 9, "shifts": [shift]},
            ),
            True,
        ),
        "runs of unequal length": settled(
            _file(
                "integer",
                sensitivity="2",
                step="1",
                grid=1,
                noise=edges | {"weights": _counts(6, 5, 7)},
                certificate=nothing,
            ),
            True,
        ),
    }


def _dependent() -> dict[str, Json]:
    rows = [_counts(2, 1, 1), _counts(1, 2, 1), _counts(1, 1, 2)]
    nothing = {"step": "1", "first": 0, "pairs": []}
    pair = {
        "from": 0,
        "to": 1,
        "mirror": True,
        "budget": "1/20",
        "cells": [[0, "1/20"], [1, "1/999"]],
    }
    channel = {"denominator": "4", "first": 0, "rows": rows}
    apart = [_counts(3, 1, 0), _counts(1, 2, 1), _counts(0, 1, 3)]
    long = {"bounds": ["0", "5"], "step": "5/2", "prior": "uniform", "epsilon": "0"}
    short = {"bounds": ["-1", "1"], "step": "1", "prior": "uniform"}
    noise = {"first": -1, "weights": _counts(1, 3, 1)}
    moved = {"denominator": "5", "first": 0, "rows": [], "noise": noise}
    priced = {"stairs": 1, "runs": [[20, "1/10000"], [2, "1/9999"], [20, "1/10000"]]}
    halves = {
        "sizes": [4, 13, 4],
        "answers": [0, 10, 20],
        "weights": _counts(1, 2, 1),
        "stairs": _counts(2, 1),
    }
    additive = {
        "step": "1",
        "grid": 3,
        "noise": {"denominator": "8", "first": -1, "weights": _counts(2, 3, 2), "atom": "1"},
    }
    whole = {"step": "1", "noise": {"denominator": "8", "first": -1, "weights": _counts(2, 4, 2)}}
    runs = {
        "step": "3",
        "grid": 3,
        "noise": {"denominator": "9", "first": -1, "weights": _counts(2, 4, 2), "atom": "1"},
    }
    none = {"denominator": "1", "first": 0, "rows": []}
    edges = {"denominator": "8", "edges": ["-3/2", "-1/2", "3/2"], "weights": _counts(4, 3)}
    mesh = {"step": "1", "grid": 3, "noise": edges | {"atom": "1"}}
    tail = {"denominator": "8", "first": -1, "weights": _counts(1, 3, 2), "atom": "0"}
    # The tails hold (1 + 2) * (2/5) / (1 - 2/5) = 2 more.
    endless = {"step": "1", "grid": 3, "noise": tail | {"tail": {"period": 1, "ratio": "2/5"}}}
    beyond = {
        "beyond": ["-3", "2"],
        "channel": channel | {"noise": {**noise, "weights": _counts(1, 2, 1)}},
    }
    return {
        "long steps by hand": settled(
            _file("dependent", **long, channel=channel, certificate=nothing | {"step": "5"}), True
        ),
        "integer, long steps by hand": settled(
            _file(
                "dependent",
                **long | {"bounds": ["0", "6"], "step": "3"},
                integer=True,
                channel=channel,
                certificate=nothing,
            ),
            True,
        ),
        "outputs by hand": settled(
            _file(
                "dependent",
                **short,
                channel={"denominator": "4", "outputs": ["-1", "1/3", "3/2"], "rows": apart},
                certificate=nothing | {"pairs": [pair]},
            ),
            True,
        ),
        "revealed by hand": settled(
            _file(
                "dependent",
                **short,
                channel=channel | {"denominator": "5", "rows": apart, "revealed": "1"},
                certificate=nothing | {"pairs": [pair]},
            ),
            True,
        ),
        "moved by hand": settled(
            _file(
                "dependent",
                **short,
                channel=moved | {"moved": {"low": [1], "high": [0]}},
                certificate=nothing,
            ),
            True,
        ),
        "beyond by hand": settled(
            _file("dependent", **short, **beyond, certificate=nothing | {"pairs": [pair]}), True
        ),
        "intervals and prices by hand": settled(
            _file(
                "dependent",
                epsilon="17/2",
                delta="0",
                loss={"name": "l2"},
                bounds=["0", "21/10"],
                step="21/200",
                prior="uniform",
                channel={"denominator": "40", "first": 0, "rows": [], "intervals": halves},
                certificate={"step": "1/20", "first": 0, "pairs": [], "prices": priced},
            )
            | {"sensitivity": "21/20"}
        ),
        "additive": settled(
            _file("dependent", **short, additive=additive, channel=none, certificate=nothing), True
        ),
        "additive edges": settled(
            _file("dependent", **short, additive=mesh, channel=none, certificate=nothing), True
        ),
        "additive with a tail": settled(
            _file("dependent", **short, additive=endless, channel=none, certificate=nothing), True
        ),
        "integer, additive": settled(
            _file(
                "dependent",
                **short,
                integer=True,
                additive=whole,
                channel=none,
                certificate=nothing | {"pairs": [pair]},
            ),
            True,
        ),
        "integer, additive runs": settled(
            _file(
                "dependent",
                sensitivity="3",
                **short | {"bounds": ["0", "12"]},
                integer=True,
                additive=runs,
                channel=none,
                certificate=nothing,
            ),
            True,
        ),
        "copies by hand": settled(
            _file(
                "dependent",
                delta="2/5",
                **short | {"bounds": ["0", "9"]},
                profile=[["2", "2/5"]],
                additive=additive,
                channel=none,
                certificate={
                    "step": "1",
                    "first": 0,
                    "points": [["1", "2/5"], ["2", "2/5"]],
                    "pairs": [pair | {"point": 1, "budget": "1/99", "cells": [[0, "1/99"]]}],
                    "copies": {
                        "layer": 2,
                        "shifts": [
                            {
                                "shift": 1,
                                "mirror": True,
                                "budget": "1/40",
                                "cells": [[0, "1/40"]],
                                "point": 0,
                            }
                        ],
                    },
                },
            )
        ),
    }


def _vector(designs: dict[str, Json]) -> dict[str, Json]:
    balls = {
        "denominator": "1000",
        "radii": ["1/2", "1", "2", "7/2"],
        "weights": _counts(100, 400, 300, 150),
        "atom": "50",
    }
    curves = designs["four"]["certificate"]
    return {
        "balls by hand": settled(
            designs["four"] | {"noise": balls, "certificate": curves, "grid": "1/1000"}, True
        ),
        "one number": settled(
            designs["four"] | {"noise": balls, "dimension": 1, "certificate": FEW_CURVES}, True
        ),
        "one ball": settled(
            designs["four"]
            | {
                "noise": {"denominator": "4", "radii": ["4"], "weights": ["3"], "atom": "1"},
                "certificate": curves | {"points": [], "pieces": []},
            },
            True,
        ),
    }


def _joint() -> dict[str, Json]:
    def file(blocks: list[tuple[int, int, str]], one_sided: bool, **keys: Any) -> Json:
        shape = {
            "blocks": [{"numbers": n, "most": m, "width": w} for n, m, w in blocks],
            "one_sided": one_sided,
        }
        certificate = keys.pop("certificate", {})
        data = _file(
            "joint", largest=False, integer=True, grid="1", **keys, certificate=certificate
        )
        return settled(data | {"sensitivity": shape}, True)

    balls = {"denominator": "10", "radii": ["2", "5"], "weights": _counts(4, 6)}
    return {
        "Gaussian": file([(2, 2, "1")], False, noise={"each": ["3"]}),
        "Gaussian, l2": file([(2, 2, "1")], False, noise={"each": ["5/2"]}, loss={"name": "l2"}),
        "Gaussian, one-sided": file(
            [(2, 1, "1"), (1, 1, "2")],
            True,
            noise={"each": ["2", "3"], "common": "5/2", "centres": ["1/4", "1"]},
        ),
        "Euclidean by hand": file([(2, 2, "1")], False, noise={"each": ["2"], "balls": balls}),
        "curves of several lengths": file(
            [(2, 2, "1")],
            False,
            noise={"each": ["3"]},
            certificate={
                "numbers": 2,
                "directions": 2,
                "part": "1/2",
                "bound": "0",
                "curves": FEW_CURVES,
            },
        ),
        "no certificate": file([(3, 2, "1")], False, noise={"ratio": "1/2", "offsets": [0]}),
    }


def _workload() -> dict[str, Json]:
    """Square-root strategies, which designs have for long prefix sums only."""
    scales = [58508, 65219, 65536, 61479, 52863, 36312]
    proof = {
        "weights": [16777216, 9393120, 7113501, 5636473, 4271891, 2582695],
        "values": [13699877, 3867569, 2330721, 1727517, 1379343, 1034466],
    }

    def file(budget: Json, noise: Json, certificate: Json, **more: Json) -> Json:
        return settled(
            {
                "format": "leastnoise/1",
                "kind": "workload",
                "workload": {"name": "prefix", "cells": 6},
                "neighbours": "add-remove",
                "budget": budget,
                "loss": {"name": "l2"},
                "largest": False,
                "noise": [noise],
                "upper": "",
                "lower": "",
                "certificate": [certificate],
            }
            | more
        )

    scaled = {"bits": 40, "roots": True, "row_scales": scales}
    summed = {
        "bits": 12,
        "each": [2900, 2500, 2800, 3100, 4096, 3000],
        "sums": [[[0, 1196], [1, 1500], [2, 1200]], [[1, 96], [3, 900], [5, 1000]]],
        "solution": [[2600, -60], [-60, 3400]],
    }
    pure, ranges = {"epsilon": "1", "delta": "0"}, {"name": "ranges", "cells": 6}
    whole = {
        "weights": [9366135, 14512380, 16777216, 16777216, 14512380, 9366135],
        "values": [23762021, 11341635, 7742872, 6214613, 5161438, 5092340],
    }
    return {
        "counts and sums": file(pure, summed, proof),
        "counts and sums, ranges": file(pure, summed, whole, workload=ranges),
        "counts and sums, replace": file(
            pure, summed | {"bits": 13}, {}, workload=ranges, neighbours="replace"
        ),
        "roots": file({"gdp": "1"}, scaled, proof),
        "roots, plain": file({"gdp": "1"}, {"bits": 30, "roots": True}, {}),
        "roots, zcdp": file({"zcdp": "1/2"}, scaled, proof),
        "roots, asked": file({"epsilon": "1", "delta": "1/1000", "gdp": "1/4"}, scaled, proof),
    }
