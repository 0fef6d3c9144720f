"""Files of noise of random shape and size, near what their checkers allow and beyond.

None is right; each leads a checker as deep as numbers without a meaning can.
"""

from __future__ import annotations

import random
from typing import Any

from certify_hostile import ADDITIVE, DEPENDENT, HOSTILE, changed
from certify_workloads import bits_of, digits, ratio, scaled

from leastnoise.certify.certificates.bases import count_of_places

Data = dict[str, Any]

LOSSES: list[Data] = [
    {"name": "l1"},
    {"name": "l2"},
    {"name": "power", "p": "3"},
    {"name": "power", "p": "1.5"},
    {"name": "power", "p": "15.9"},
    {"name": "huber", "width": "1/3"},
    {"name": "huber", "width": "40"},
]


def head(kind: str, loss: Data, **more: Any) -> Data:
    return {
        "format": "leastnoise/1",
        "kind": kind,
        "epsilon": "1",
        "delta": "0.001",
        "sensitivity": "1",
        "loss": loss,
        "upper": "1",
        "lower": "0",
        "certificate": {},
    } | more


def number(draw: random.Random, low: int, high: int, bits: int) -> str:
    """A number between two, in so many bits."""
    below = digits(draw, bits + 1)
    return f"{low * below + draw.randrange(1, (high - low) * below)}/{below}"


def rising(draw: random.Random, count: int, bits: int) -> list[str]:
    """So many numbers, each above the one before."""
    below = digits(draw, bits)
    tops = sorted({draw.randrange(1, 50 * count * below) for _ in range(count)})
    if draw.random() < 0.5 and len(tops) == count:
        return [f"{top}/{below}" for top in tops]
    return [f"{k + 1}.{draw.randrange(10 ** max(1, bits // 4))}" for k in range(count)]


def profile(draw: random.Random, count: int) -> list[list[str]]:
    return [[f"{k / 10}", number(draw, 0, 1, bits_of(draw, 160))] for k in range(count)]


def curves(draw: random.Random, count: int, points: int) -> Data:
    """Pieces between random points, as many as are allowed."""
    far = draw.choice([10**3, 1 << 30, 1 << 59])
    ends = [[draw.randrange(far), draw.randrange(far)] for _ in range(points)]
    pieces = []
    while len(pieces) < count and points > 1:
        i, j = draw.sample(range(points), 2)
        if ends[i][0] == ends[j][0]:
            ends[i][0] += 1
        i, j = sorted((i, j), key=lambda k: ends[k][0])
        pieces.append([i, j, digits(draw, draw.choice([1, 59]))])
    pieces = [one for one in pieces if ends[one[0]][0] < ends[one[1]][0]]
    whole = draw.choice([1, 1000, 1 << 40])
    return {
        "step": f"1/{whole}",
        "unit": draw.choice(["1", ratio(draw, 100)]),
        "points": ends,
        "pieces": pieces,
    }


# -- vectors ------------------------------------------------------------------------------------


def balls(draw: random.Random, size: float) -> Data:
    count = scaled(draw, 2000, size)
    bits = bits_of(draw, 150)
    noise = {
        "denominator": str(digits(draw, 1300)),
        "radii": rising(draw, count, bits),
        "weights": [str(digits(draw, draw.choice([1, 1300]))) for _ in range(count)],
        "atom": "1",
    }
    length = number(draw, 1, 30, bits_of(draw, 150))
    return head(
        "vector",
        draw.choice(LOSSES),
        dimension=draw.choice([1, 2, 3, 17, 60, 64, 1000]),
        noise=noise,
        grid=number(draw, 0, 1, bits),
        sensitivity=length,
        epsilon=draw.choice(["0", "1", number(draw, 0, 3, 10)]),
        certificate={"step": length, "unit": "1", "points": [], "pieces": []},
    )


def many_curves(draw: random.Random, size: float) -> Data:
    points = scaled(draw, 20_000, size) + 2
    own = curves(draw, scaled(draw, 40_000, size), points)
    if draw.random() < 0.4:
        more = curves(draw, scaled(draw, 2000, size), 100)
        own["more"] = [{"shift": 1, "points": more["points"], "pieces": more["pieces"]}]
    return head(
        "vector",
        draw.choice(LOSSES),
        dimension=draw.choice([1, 2, 3, 4, 30, 61, 62, 1000]),
        noise={"denominator": "1", "radii": ["1"], "weights": ["1"], "atom": "0"},
        grid="1/10",
        certificate=own,
        lower=draw.choice(["0", "1/2", ratio(draw, 20)]),
        upper="10",
    )


def stairs(draw: random.Random, size: float) -> Data:
    bits = bits_of(draw, 600)
    low = draw.choice([1, 2, 20])
    noise = {"first": number(draw, 0, 1, bits), "ratio": number(draw, 0, 1, bits)}
    return head(
        "vector",
        draw.choice([LOSSES[0], LOSSES[1], LOSSES[2], {"name": "huber", "width": f"{low}.3"}]),
        dimension=scaled(draw, 1000, size),
        delta="0",
        epsilon=number(draw, 0, draw.choice([1, 10]), bits_of(draw, 300)),
        noise=noise,
        grid=number(draw, 0, 1, bits_of(draw, 150)),
        sensitivity=number(draw, 1, 3, bits_of(draw, 150)),
    )


# -- unknown keys ---------------------------------------------------------------------------------


def chains(draw: random.Random, size: float) -> Data:
    reach = scaled(draw, 10_000, size)
    power = draw.choice([64, 200, 1300])
    top = 1 << power
    beyond = sorted((draw.randrange(1, top // 2) for _ in range(reach)), reverse=True)
    sure = draw.choice([1, reach, min(20_001, 2 * reach + 1)])
    shown = sorted(draw.randrange(1, top) for _ in range(sure - 1))
    if draw.random() < 0.7:  # a law: a key is shown as soon as it may be
        shown = [top - beyond[k] if k < reach else top for k in range(sure - 1)]
        shown = sorted(one if one < top else top - 1 for one in shown)
    chain = {
        "denominator": str(top),
        "shown": [str(one) for one in shown] + [str(top)],
        "beyond": [str(one) for one in beyond],
    }
    more: Data = {"chain": chain, "excess": "1000000"}
    kind = draw.choice(["", "profile", "curve", "releases"])
    if kind == "profile":
        more["profile"] = profile(draw, scaled(draw, 300, size))
    if kind in ("curve", "releases"):
        more["curve"] = {"mu": draw.choice(["1", "0.01", "30"]), "failure": "0.001"}
    if kind == "releases":
        total = {"count": 1000, "epsilon": "5", "delta": "0.9"}
        more["releases"] = total | {"profile": profile(draw, scaled(draw, 300, size))}
    data = head("keyed", draw.choice(LOSSES), **more)
    del data["certificate"]
    data["epsilon"] = draw.choice(["0", "0.001", number(draw, 0, 3, 300)])
    data["delta"] = draw.choice(["0", "1/1000000000"])
    return data


# -- several numbers ------------------------------------------------------------------------------


def shape(draw: random.Random, count: int, most: int, whole: bool) -> list[Data]:
    bits = bits_of(draw, 60)
    found = []
    for _ in range(count):
        numbers = max(1, most // count)
        moved = numbers if not whole or draw.random() < 0.5 else draw.randint(1, numbers)
        width = str(draw.randrange(1, 50)) if whole else number(draw, 1, 50, bits)
        found.append({"numbers": numbers, "most": moved, "width": width})
    return found


def levels(draw: random.Random, size: float) -> Data:
    count = scaled(draw, 1000, size**0.5)
    most = scaled(draw, 200, size**0.5) if draw.random() < 0.5 else count
    whole = draw.random() < 0.5
    one_sided = draw.random() < 0.5
    blocks = shape(draw, min(count, most), most, whole)
    noise: Data = {"ratio": number(draw, 0, 1, bits_of(draw, 600)), "offsets": [0] * len(blocks)}
    if one_sided and draw.random() < 0.7:
        noise["overlap"] = scaled(draw, draw.choice([100, 100_000]), size)
    more: Data = {}
    if draw.random() < 0.3 and len(blocks) > 1:
        more["weights"] = ["2"] * len(blocks)
    if draw.random() < 0.3:
        rates = [[0, k + 1, k, k - 1, str(digits(draw, 1300))] for k in range(1, 60)]
        numbers = sum(one["numbers"] for one in blocks)
        own = {"numbers": min(60, numbers), "ranked": False, "unit": "1", "rates": rates}
        more["certificate"] = own if numbers >= 60 else {}
    return head(
        "joint",
        draw.choice(LOSSES[:2]),
        sensitivity={"blocks": blocks, "one_sided": one_sided},
        noise=noise,
        grid="1",
        integer=whole,
        largest=False,
        epsilon=number(draw, 0, 2, bits_of(draw, 600)),
        **more,
    )


def largest(draw: random.Random, size: float) -> Data:
    numbers = scaled(draw, 300, size**0.5)
    block = {"numbers": numbers, "most": numbers, "width": number(draw, 1, 50, 30)}
    return head(
        "joint",
        LOSSES[0],
        sensitivity={"blocks": [block], "one_sided": False},
        noise={"ratio": number(draw, 0, 1, 100), "offsets": [scaled(draw, 1_000_000, size)]},
        grid=number(draw, 0, 1, 20),
        integer=False,
        largest=True,
        delta="0",
        certificate={"cells": scaled(draw, 1000, size)},
    )


def flows(draw: random.Random, size: float) -> Data:
    numbers = scaled(draw, 60, size**0.25)
    ranked = draw.random() < 0.6
    bits = draw.choice([1, 300, 1300])
    rates = []
    for rank in range(1, numbers + 2) if ranked else (0,):
        for above in range(2, numbers + 2):
            for b in range(1, min(above, numbers + 1)):
                below = draw.randrange(b)
                rates.append([rank, above, b, below, str(digits(draw, bits))])
    draw.shuffle(rates)
    own: Data = {
        "numbers": numbers,
        "ranked": ranked,
        "unit": ratio(draw, 150),
        "rates": rates[: scaled(draw, 60_000, size)],
    }
    if draw.random() < 0.5:
        own["cut"] = scaled(draw, 1000, size)
    one_sided = draw.random() < 0.5
    return head(
        "joint",
        draw.choice(LOSSES[:2]),
        sensitivity={
            "blocks": [{"numbers": numbers, "most": numbers, "width": "1"}],
            "one_sided": one_sided,
        },
        noise={"ratio": number(draw, 0, 1, 100), "offsets": [0]},
        grid="1",
        integer=True,
        largest=False,
        delta="0.001" if "cut" in own else "0",
        epsilon=number(draw, 0, 3, bits_of(draw, 600)),
        certificate=own,
    )


def bases(draw: random.Random, size: float) -> Data:
    numbers = scaled(draw, 20, size**0.2)
    reach = scaled(draw, 1000, size)
    apart = 1 + draw.randrange(numbers)
    starts = [0, *range(apart, numbers)]
    top = draw.choice([1, 1000, 2**53 - 1])

    def side(count: int) -> Data:
        rates = [
            [draw.randint(0, top) for _ in range(count_of_places(numbers - start))]
            for start in starts
        ]
        return {
            "steps": [draw.randint(0, top) for _ in range(count)],
            "extremes": [draw.randint(0, top) for _ in range(count)],
            "rates": rates,
        }

    around = []
    for _ in range(scaled(draw, 20, size)):
        base = draw.randrange(reach)
        data = {"base": base, "start": 0, "weight": 0, "above": side(reach - base)}
        around.append(data | ({"below": side(reach + base)} if base else {}))
    return head(
        "joint",
        draw.choice(LOSSES[:2]),
        sensitivity={
            "blocks": [{"numbers": numbers, "most": numbers, "width": "1"}],
            "one_sided": True,
        },
        noise={"ratio": "1/2", "offsets": [0]},
        grid="1",
        integer=True,
        largest=False,
        delta=draw.choice(["0", "0.001"]),
        epsilon=number(draw, 0, 3, bits_of(draw, 600)),
        certificate={
            "numbers": numbers,
            "reach": reach,
            "unit": number(draw, 0, 1, bits_of(draw, 120)),
            "apart": apart,
            "bases": around,
            "moves": 1 + draw.randrange(30),
        },
    )


def elliptical(draw: random.Random, size: float) -> Data:
    count = scaled(draw, 1000, size**0.5)
    blocks = shape(draw, count, count, False)
    one_sided = draw.random() < 0.5
    noise: Data = {"each": [number(draw, 1, 9, 100) for _ in blocks]}
    if one_sided and draw.random() < 0.7:
        noise |= {"common": number(draw, 1, 9, 100), "centres": ["1/1024"] * len(blocks)}
    if draw.random() < 0.5:
        radii = rising(draw, scaled(draw, 2000, size), 20)
        below = len(radii)
        noise["balls"] = {"denominator": str(below), "radii": radii, "weights": ["1"] * below}
    own: Data = {}
    if draw.random() < 0.5 and count > 3:
        own = {
            "numbers": count - 1,
            "directions": 2,
            "part": "1/2",
            "bound": "1/3",
            "curves": curves(draw, scaled(draw, 3000, size), 400),
        }
    more = {"weights": [str(2 + draw.randrange(9)) for _ in blocks]}
    return head(
        "joint",
        draw.choice(LOSSES[:2]),
        sensitivity={"blocks": blocks, "one_sided": one_sided},
        noise=noise,
        grid="1",
        integer=False,
        largest=False,
        certificate=own,
        **more,
    )


def sums(draw: random.Random, size: float) -> Data:
    numbers = scaled(draw, 300, size)
    reach = scaled(draw, 5000, size)
    cells = [[k, ratio(draw, 8)] for k in range(-reach, reach, 1 + draw.randrange(5))]
    shifts = [{"shift": 3, "mirror": True, "budget": "1" + "0" * 9, "cells": cells}]
    return head(
        "joint",
        LOSSES[1],
        sensitivity={
            "blocks": [{"numbers": numbers, "most": numbers, "width": "1"}],
            "one_sided": draw.random() < 0.5,
        },
        noise={"ratio": "1/2", "offsets": [0]},
        grid="1",
        integer=False,
        largest=False,
        certificate={"numbers": numbers, "step": "1/10", "reach": reach, "shifts": shifts},
    )


# -- one number, and a known range --------------------------------------------------------------


def hostile(kind: str) -> Any:
    """A file made by hand to take long, with a loss and numbers of random length."""
    names = [name for name, make in HOSTILE.items() if make(40)["kind"] == kind]

    def family(draw: random.Random, size: float) -> Data:
        data = HOSTILE[draw.choice(names)](max(1, round(1 / size)))
        if draw.random() < 0.5:
            data = changed(data, epsilon=number(draw, 0, 3, bits_of(draw, 600)))
        if draw.random() < 0.3 and kind == "additive":
            data = changed(data, loss=draw.choice(LOSSES))
        return data

    return family


def cells(draw: random.Random, size: float) -> Data:
    """Additive noise with multipliers of random length."""
    count = scaled(draw, 20_000, size)
    reach = scaled(draw, 20_000, size)
    n = scaled(draw, 400, size)
    below = digits(draw, bits_of(draw, 600))
    shifts = [
        {
            "shift": k + 1,
            "mirror": draw.random() < 0.5,
            "budget": str(digits(draw, bits_of(draw, 600))),
            "cells": [
                [draw.randint(-reach, reach), f"1/{below}"] for _ in range(scaled(draw, 500, size))
            ],
        }
        for k in range(min(n, scaled(draw, 60, size)))
    ]
    for one in shifts:
        one["cells"] = [[i, z] for i, z in dict(map(tuple, one["cells"])).items()]
    return changed(
        ADDITIVE,
        kind=draw.choice(["additive", "additive"]),
        step=f"1/{n}",
        grid=draw.choice([1, 99, 1_000_001]),
        noise={
            "denominator": str(digits(draw, 1300)),
            "first": -count // 2,
            "weights": [str(digits(draw, draw.choice([1, 60, 1300]))) for _ in range(count)],
            "atom": "1",
        },
        loss=draw.choice(LOSSES),
        certificate={"step": f"1/{n}", "reach": reach, "shifts": shifts},
        epsilon=number(draw, 0, 3, bits_of(draw, 600)),
    )


def tails(draw: random.Random, size: float) -> Data:
    n = scaled(draw, 300, size)
    count = 2 * n + 3 + scaled(draw, 3000, size)
    return changed(
        ADDITIVE,
        step=f"1/{n}",
        noise={
            "denominator": "3",
            "first": -count // 2,
            "weights": [str(digits(draw, bits_of(draw, 1300))) for _ in range(count)],
            "atom": "0",
            "tail": {"period": n, "ratio": number(draw, 0, 1, bits_of(draw, 150))},
        },
        loss=draw.choice(LOSSES),
        certificate={"step": f"1/{n}", "reach": 0, "shifts": []},
        epsilon=number(draw, 0, 3, bits_of(draw, 600)),
    )


def ranges(draw: random.Random, size: float) -> Data:
    """A channel of random rows."""
    count = scaled(draw, 400, size) + 1
    width = scaled(draw, 400, size)
    bits = bits_of(draw, 1300)
    row = [str(digits(draw, bits)) for _ in range(width)]
    more: Data = {}
    if draw.random() < 0.5:
        more["sensitivity"] = str(draw.randint(1, count))
    if draw.random() < 0.3:
        more["instance_bound"] = "1"
    if draw.random() < 0.3:
        more["profile"] = profile(draw, scaled(draw, 300, size))
    return changed(
        DEPENDENT,
        bounds=["0", str(count - 1)],
        channel={
            "denominator": "2",
            "first": 0,
            "rows": [[str(digits(draw, bits)), *row[1:]] for _ in range(count)],
        },
        certificate__step=draw.choice(["1", f"1/{scaled(draw, 9, 1)}", str(count - 1)]),
        loss=draw.choice(LOSSES),
        **more,
    )


LAWS = {
    "additive: hostile": hostile("additive"),
    "additive: cells": cells,
    "additive: tails": tails,
    "dependent: hostile": hostile("dependent"),
    "dependent: ranges": ranges,
    "vector: balls": balls,
    "vector: curves": many_curves,
    "vector: stairs": stairs,
    "keyed: chains": chains,
    "joint: levels": levels,
    "joint: largest": largest,
    "joint: flows": flows,
    "joint: bases": bases,
    "joint: elliptical": elliptical,
    "joint: sums": sums,
}
