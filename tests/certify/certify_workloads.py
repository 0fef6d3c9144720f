"""Workload files of random shape and size, near what their checker allows and beyond.

None is right; each leads the checker as deep as numbers without a meaning can.
"""

from __future__ import annotations

import random
from typing import Any

Data = dict[str, Any]


def digits(draw: random.Random, bits: int) -> int:
    """A positive integer of so many bits."""
    return draw.getrandbits(bits) | 1 << (bits - 1)


def ratio(draw: random.Random, bits: int) -> str:
    """A fraction of two such."""
    return f"{digits(draw, bits)}/{digits(draw, bits)}"


def asked(part: Data, noise: list[Data], own: list[Data], **more: Any) -> Data:
    """The whole file."""
    return {
        "format": "leastnoise/1",
        "kind": "workload",
        "workload": part,
        "neighbours": "add-remove",
        "budget": {"gdp": "1"},
        "loss": {"name": "l2"},
        "largest": False,
        "noise": noise,
        "upper": "1",
        "lower": "0",
        "certificate": own,
    } | more


def scaled(draw: random.Random, most: int, size: float) -> int:
    """An integer up to so many, with small ones as likely as large ones."""
    return max(1, round(most ** draw.uniform(0.3, 1) * size))


def bits_of(draw: random.Random, most: int = 250) -> int:
    return draw.choice([1, 3, 30, most // 2, most])


def rows(draw: random.Random, count: int, cells: int, bits: int, below: int = 100) -> Data:
    dense = draw.random() < 0.7
    return {
        "rows": [
            [digits(draw, bits) if dense or j == i % cells else 0 for j in range(cells)]
            for i in range(count)
        ],
        "denominator": str(digits(draw, below)),
    }


def leaf(draw: random.Random, cells: int, most: int = 2000) -> Data:
    """A part that is made of no others."""
    name = draw.choice(["identity", "prefix", "ranges", "total", "rows", "rows", "marginals"])
    if name == "rows":
        count = scaled(draw, max(1, most // cells), 1)
        return rows(draw, count, cells, bits_of(draw), draw.choice([1, 60, 128]))
    if name == "marginals":
        return tables(draw, cells, draw.choice([1, 5, 30]))
    return {"name": name, "cells": cells}


def tables(draw: random.Random, cells: int, count: int) -> Data:
    sizes = [1] * draw.choice([0, 3, 12, 400])
    while cells % 2 == 0:
        sizes, cells = [*sizes, 2], cells // 2
    sizes.append(cells)
    sets = {
        tuple(sorted(draw.sample(range(len(sizes)), draw.randint(0, min(16, len(sizes))))))
        for _ in range(count)
    }
    data: Data = {"marginals": sizes, "sets": [list(one) for one in sets]}
    if draw.random() < 0.5:
        data["weights"] = [ratio(draw, 100 if len(sets) == 1 else 1) for _ in sets]
    return data


def nested(draw: random.Random, cells: int, depth: int, most: int) -> Data:
    """Parts inside each other, of so many cells."""
    kind = draw.choice(["stack", "stack", "product", "weights", "leaf"])
    if depth == 0 or kind == "leaf" or most < 2:
        return leaf(draw, cells)
    if kind == "weights":
        inner = nested(draw, cells, depth - 1, most)
        return {"weights": [ratio(draw, bits_of(draw, 100))], "of": inner}
    count = draw.randint(2, min(30, most))
    if kind == "stack":
        return {"stack": [nested(draw, cells, depth - 1, most // count) for _ in range(count)]}
    ones = [nested(draw, 1, depth - 1, most // count) for _ in range(count - 1)]
    return {"product": [*ones, leaf(draw, cells)]}


def triangle(draw: random.Random, rank: int, bits: int, **more: Any) -> Data:
    dense = draw.random() < 0.5
    lines = [
        [digits(draw, bits), *(digits(draw, bits) if dense else 0 for _ in range(rank - i - 1))]
        for i in range(rank)
    ]
    return {"bits": draw.choice([1, 40, 80]), "triangle": lines} | more


def unit(draw: random.Random, rank: int, bits: int = 1) -> list[list[int]]:
    """A multiple of the identity, or a full matrix."""
    top = digits(draw, bits)
    if draw.random() < 0.5:
        return [[top * (i == j) for j in range(rank)] for i in range(rank)]
    return [[digits(draw, bits) for _ in range(rank)] for _ in range(rank)]


def pairs(draw: random.Random, cells: int, count: int, replaced: bool) -> list[list[int]]:
    """Shifts with long weights."""
    bits = bits_of(draw)
    if not replaced:
        return [[i, digits(draw, bits)] for i in range(min(cells, count))]
    every = ([i, j, digits(draw, bits)] for j in range(cells) for i in range(j))
    return [one for _, one in zip(range(count), every, strict=False)]


# -- families: a random file of about this part of what is allowed --------------------------------


def many_factors(draw: random.Random, size: float) -> Data:
    count = scaled(draw, draw.choice([110, 3000]), size) + 1
    part: Data = leaf(draw, 1, 40)
    parts = [leaf(draw, 1, 40) if draw.random() < 0.5 else part for _ in range(count)]
    held = parts
    while len(held) > 1:
        groups = [held[k : k + 30] for k in range(0, len(held), 30)]
        held = [{"product": one} if len(one) > 1 else one[0] for one in groups]
    bits = bits_of(draw)
    noise = {"bits": 80, "triangle": [[digits(draw, bits)]]}
    if draw.random() < 0.3:
        basis = {"cells": [0], "denominator": str(digits(draw, 1300)), "shares": []}
        noise["coordinates"] = basis
    own = {"shifts": [[0, digits(draw, bits)]], "matrix": [[digits(draw, bits)]]}
    return asked(
        held[0], [noise] * count, [own] * count, budget={draw.choice(["gdp", "zcdp"]): "1"}
    )


def counts(draw: random.Random, size: float) -> Data:
    """Laplace noise on counts: no matrix, so anything goes."""
    cells = draw.choice([1, 2, 16, 400, 3000, 20_000])
    part = nested(draw, cells, draw.randint(0, 5), scaled(draw, 900, size))
    own: Data = {}
    return asked(
        part,
        [{"counts": True}],
        [own],
        budget={"epsilon": "1", "delta": "0"},
        largest=draw.random() < 0.3,
    )


def answers(draw: random.Random, size: float) -> Data:
    cells = draw.choice([1, 2, 16, 400, 3000])
    part = leaf(draw, cells, round(200_000 * size))
    if "denominator" in part:
        part["denominator"] = "1"
    return asked(part, [{"answers": True}], [{}], budget={"epsilon": "1", "delta": "0"})


def scales(draw: random.Random, size: float) -> Data:
    """Tables, whose strategy has a number for each set."""
    count = draw.choice([2, 6, 10, 14])
    sets = [list(range(count))] + [[k] for k in range(count)]
    bits = bits_of(draw)
    noise = {"bits": 40, "scales": [digits(draw, bits) for _ in range(1 << count)]}
    part: Data = {"marginals": [2] * count, "sets": sets}
    largest = draw.random() < 0.3
    own = {"questions": [digits(draw, bits) for _ in sets]} if largest else {}
    return asked(part, [noise], [own], largest=largest)


def subsets(draw: random.Random, size: float) -> Data:
    """Many sets of attributes that have one value each."""
    width = draw.choice([3, 8, 12, 16])
    count = max(1, round(scaled(draw, 20_000, size) / (1 << width) * 8))
    sizes = [1] * draw.choice([width, 40, 500])
    sets = {
        tuple(sorted(draw.sample(range(len(sizes)), min(width, len(sizes))))) for _ in range(count)
    }
    closure = {
        tuple(x for k, x in enumerate(one) if mask >> k & 1)
        for one in sets
        for mask in range(1 << len(one))
    }
    noise = {"bits": 1, "scales": [1] * len(closure)}
    part = {"marginals": sizes, "sets": [list(one) for one in sets]}
    return asked(part, [noise], [{}])


def square(draw: random.Random, size: float) -> Data:
    """A triangle for any part, with multipliers of shifts."""
    replaced = draw.random() < 0.5
    cells = max(2, min(401, scaled(draw, 401, size)))
    part = nested(draw, cells, draw.randint(0, 4), scaled(draw, 300, size))
    where = draw.choice(["", "", "questions"])
    bits = bits_of(draw)
    largest = draw.random() < 0.3
    rank = cells - replaced
    more: Data = {}
    if where:
        count = max(1, min(400, scaled(draw, 300, size)))
        part = rows(draw, count, cells, bits_of(draw), draw.choice([1, 128]))
        rank, more = count, {"coordinates": where}
    own: Data = {
        "shifts": pairs(draw, cells, scaled(draw, 80_000, size), replaced),
        "matrix": unit(draw, rank, bits),
    }
    if largest:
        count = len(part.get("rows", [])) or cells
        own["questions"] = [digits(draw, bits) for _ in range(count)]
    return asked(
        part,
        [triangle(draw, rank, bits_of(draw), **more)],
        [own],
        largest=largest,
        neighbours="replace" if replaced else "add-remove",
    )


def wide(draw: random.Random, size: float) -> Data:
    """Many cells in few coordinates."""
    cells = scaled(draw, 3200, size) + 1
    rank = min(cells, scaled(draw, 60, size))
    part = leaf(draw, cells, 40_000)
    basis = {
        "cells": list(range(rank)),
        "denominator": str(digits(draw, draw.choice([1, 60, 1300]))),
        "shares": [[digits(draw, bits_of(draw)) for _ in range(rank)] for _ in range(cells - rank)],
    }
    if draw.random() < 0.5:  # one column for all, so that the shares are right
        value = digits(draw, bits_of(draw))
        part = {"rows": [[value] * cells] * draw.choice([1, 5]), "denominator": "1"}
        over = digits(draw, draw.choice([1, 250]))
        shares = [[over]] * (cells - 1)
        basis, rank = {"cells": [0], "denominator": str(over), "shares": shares}, 1
    own = {
        "shifts": pairs(draw, cells, scaled(draw, 60_000, size), False),
        "matrix": unit(draw, rank, bits_of(draw)),
    }
    return asked(part, [triangle(draw, rank, bits_of(draw), coordinates=basis)], [own])


def tall(draw: random.Random, size: float) -> Data:
    """Laplace noise on many measurements."""
    replaced = draw.random() < 0.5
    cells = max(2, scaled(draw, 300, size))
    rank = cells - replaced
    count = rank + min(999 - rank, scaled(draw, 600, size))
    bits = bits_of(draw)
    return asked(
        leaf(draw, cells, 3000),
        [
            {
                "bits": draw.choice([0, 80]),
                "rows": [
                    [digits(draw, bits) if i % rank == j or i >= rank else 0 for j in range(rank)]
                    for i in range(count)
                ],
            }
        ],
        [
            {
                "shifts": pairs(draw, cells, scaled(draw, 60_000, size), replaced),
                "matrix": unit(draw, rank, bits_of(draw)),
                "inverse": unit(draw, rank, bits_of(draw)),
            }
        ],
        budget={"epsilon": "1", "delta": "0"},
        neighbours="replace" if replaced else "add-remove",
    )


def roots(draw: random.Random, size: float) -> Data:
    cells = scaled(draw, 2000, size)
    noise: Data = {"bits": draw.choice([20, 80]), "roots": True}
    if draw.random() < 0.5:
        noise["row_scales"] = [digits(draw, 16) for _ in range(cells)]
    own: Data = {}
    if draw.random() < 0.7:
        bits = draw.choice([10, 60])
        own = {
            "weights": [digits(draw, bits) for _ in range(cells)],
            "values": [digits(draw, draw.choice([1, 10])) for _ in range(cells)],
        }
    return asked({"name": "prefix", "cells": cells}, [noise], [own])


def entropy(draw: random.Random, size: float) -> Data:
    count = scaled(draw, 4000, size) + 2
    bits = draw.choice([10, 25, 30])
    values = [0, *(digits(draw, bits) for _ in range(count - 1))]
    proof = {"price": ratio(draw, 160), "steps": 2, "values": values}
    one = {"name": "identity", "cells": 1}
    noise, own = {"bits": 1, "triangle": [[2]]}, {"shifts": [[0, 1]], "matrix": [[1]]}
    return asked(one, [noise], [own], budget={"zcdp": ratio(draw, 100)}, entropy=proof)


def parts(draw: random.Random, size: float) -> Data:
    """As many parts as there is room for, or more."""
    count = scaled(draw, 30, size**0.25) + 1
    part: Data = {"rows": [[digits(draw, 60)]], "denominator": str(digits(draw, 128))}
    name = draw.choice(["stack", "product"])
    for _ in range(draw.randint(1, 4)):
        part = {name: [part] * min(30, count)}
    return asked(part, [{"counts": True}], [{}], budget={"epsilon": "1", "delta": "0"})


WORKLOADS = {
    one.__name__: one
    for one in (
        many_factors,
        counts,
        answers,
        scales,
        subsets,
        square,
        wide,
        tall,
        roots,
        entropy,
        parts,
    )
}
