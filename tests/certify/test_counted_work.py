"""The count of the work keeps up with the clock, for random files of every kind.

A file that takes long and is charged little evades the budget, which is all that ends a check.
"""

from __future__ import annotations

import contextlib
import json
import random
import time
import tracemalloc
from collections.abc import Callable
from functools import cache

import pytest
from certify_laws import LAWS, head
from certify_workloads import WORKLOADS, asked, digits

from leastnoise.certify.file import check_bytes
from leastnoise.certify.limits import MAX_BYTES
from leastnoise.errors import FormatError
from leastnoise.work import BUDGET, counted

Family = Callable[[random.Random, float], dict]

FAMILIES: dict[str, Family] = LAWS | {f"workload: {k}": one for k, one in WORKLOADS.items()}
#: How many times as long as a plain check, for the same charge, a check may take.
MOST = 4
#: Seconds that are not charged: of a first call, and of a slow moment.
SPARE = 0.05


def cost(data: dict | bytes) -> tuple[float, float]:
    """(seconds charged, seconds of the processor) of reading and checking a file."""
    given = isinstance(data, bytes)
    text = data if given else json.dumps(data, separators=(",", ":")).encode()
    began = time.process_time()
    with counted() as work, contextlib.suppress(FormatError):
        check_bytes(text)
    return work.spent / 1e6, time.process_time() - began


@cache
def pace() -> float:
    """Seconds of the processor for a second charged, in a check of nothing but integers."""
    draw, ratios = random.Random(0), []
    for cells in (397, 398, 399):  # (each is checked once: what was settled last is remembered)
        own = {"weights": [digits(draw, 40) for _ in range(cells)], "values": [1] * cells}
        data = asked({"name": "prefix", "cells": cells}, [{"bits": 40, "roots": True}], [own])
        charged, seconds = cost(data)
        ratios.append(seconds / charged)
    return min(ratios)


def assert_counted(name: str, count: int, sizes: list[float]) -> None:
    """That no random file of the family costs much more than it is charged."""
    for k in range(count):
        draw = random.Random(f"{name} {k}")
        data = FAMILIES[name](draw, draw.choice(sizes))
        charged, seconds = cost(data)
        if seconds > MOST * pace() * (charged + SPARE):  # (once more: it may have been the machine)
            charged, seconds = cost(data)
            assert seconds <= MOST * pace() * (charged + SPARE), (k, charged, seconds)


@pytest.mark.parametrize("name", FAMILIES)
def test_what_a_file_costs_is_charged(name: str) -> None:
    assert_counted(name, 3, [0.05, 0.3])


@pytest.mark.slow
@pytest.mark.parametrize("name", FAMILIES)
def test_what_many_files_cost_is_charged(name: str) -> None:
    assert_counted(name, 200, [0.05, 0.3, 1.0])


# -- workloads: what is walked again and again, and what grows -----------------------------------

ONE = {"name": "identity", "cells": 1}
PLAIN = {"bits": 1, "triangle": [[2]]}
SHIFTS = {"shifts": [[0, 1]], "matrix": [[1]]}


def inside(name: str, leaves: list[dict]) -> dict:
    """Parts in lists of 30 at most, inside each other."""
    while len(leaves) > 1:
        groups = [leaves[k : k + 30] for k in range(0, len(leaves), 30)]
        leaves = [{name: one} if len(one) > 1 else one[0] for one in groups]
    return leaves[0]


def counted_well(data: dict | bytes) -> bool:
    charged, seconds = cost(data)
    return seconds <= MOST * pace() * (min(charged, BUDGET / 1e6) + SPARE)


@pytest.mark.parametrize("factors", [100, 101, 900, 3000])
@pytest.mark.parametrize("noise", [PLAIN, {**PLAIN, "bits": 80, "coordinates": "questions"}])
def test_many_factors(factors: int, noise: dict) -> None:
    data = asked(inside("product", [ONE] * factors), [noise] * factors, [SHIFTS] * factors)
    assert counted_well(data)


def test_many_denominators_in_stacks_of_stacks() -> None:
    draw = random.Random(3)
    leaves = [{"rows": [[1]], "denominator": str(digits(draw, 128))} for _ in range(4000)]
    assert counted_well(asked(inside("stack", leaves), [PLAIN], [SHIFTS]))


def test_rationals_of_factors_that_grow() -> None:
    draw = random.Random(4)
    leaves = [
        {"rows": [[digits(draw, 250)]], "denominator": str(digits(draw, 128))} for _ in range(90)
    ]
    noise = [{"bits": 80, "triangle": [[digits(draw, 250)]]} for _ in leaves]
    own = [{"shifts": [[0, digits(draw, 250)]], "matrix": [[digits(draw, 250)]]} for _ in leaves]
    for budget in ({"gdp": "1"}, {"zcdp": "1"}):
        assert counted_well(asked(inside("product", leaves), noise, own, budget=budget))


def test_shifts_are_charged_one_by_one() -> None:
    cells = 500
    shifts = [[i, j, 1] for j in range(cells) for i in range(j)]
    own = {"shifts": shifts, "matrix": [[1]], "coordinates": "questions"}
    part = {"rows": [[1] * cells], "denominator": "1"}
    noise = {**PLAIN, "coordinates": "questions"}
    assert counted_well(asked(part, [noise], [own], neighbours="replace"))


@pytest.mark.parametrize("name", ["stack", "product"])
def test_limits_on_parts(name: str) -> None:
    words = {"stack": "at most 1000 parts", "product": "at most 100 factors"}
    count = {"stack": 1000, "product": 101}[name]
    data = asked(inside(name, [ONE] * count), [PLAIN] * count, [SHIFTS] * count)
    with pytest.raises(FormatError, match=words[name]):
        check_bytes(json.dumps(data).encode())


@pytest.mark.parametrize("bits", [4, 40])
def test_limits_on_numbers_of_stacks_and_products(bits: int) -> None:
    """Denominators of a stack are brought to one, those of a product multiply."""
    draw = random.Random(5)
    leaves = [
        {"rows": [[digits(draw, bits)]], "denominator": str(digits(draw, bits))} for _ in range(30)
    ]
    for name in ("stack", "product"):
        data = asked(inside(name, leaves), [PLAIN], [SHIFTS], neighbours="replace")
        data["workload"] = {"stack": [data["workload"]] * 2}
        plain = {"answers": True}
        data |= {"noise": [plain], "certificate": [{}], "budget": {"epsilon": "1", "delta": "0"}}
        with pytest.raises(FormatError, match="answers" if bits == 4 else "1024 bits"):
            check_bytes(json.dumps(data).encode())


# -- several numbers: what is asked of many blocks ------------------------------------------------


@pytest.mark.parametrize("proof", [{}, {"numbers": 1, "step": "1/10", "reach": 1, "shifts": []}])
def test_a_thousand_blocks_of_different_widths(proof: dict) -> None:
    blocks = [{"numbers": 1, "most": 1, "width": f"{k + 1}.{'7' * 60}"} for k in range(1000)]
    data = head(
        "joint",
        {"name": "l2"},
        sensitivity={"blocks": blocks, "one_sided": False},
        noise={"each": ["3"] * 1000},
        weights=[str(2 + k % 7) for k in range(1000)],
        grid="1",
        integer=False,
        largest=False,
        certificate=proof,
    )
    assert counted_well(data)


# -- any kind: the text ---------------------------------------------------------------------------


@pytest.mark.parametrize("unit", ["[],", "{},", '{"":{"":{"":0}}},', '{"":[{}]},', "1,", '"",'])
def test_the_json_of_a_file_is_charged(unit: str) -> None:
    text = ("[" + unit * (4_000_000 // len(unit)) + "0]").encode()
    assert len(text) < MAX_BYTES and counted_well(text)


# -- vectors: memory ------------------------------------------------------------------------------


def test_many_long_pieces_of_curves_take_little_memory() -> None:
    """20,000 pieces, each over most of 6,000 points."""
    draw = random.Random(2)
    points = [[1000 * k, draw.randrange(1 << 40)] for k in range(6000)]
    pieces = [[draw.randrange(600), 5399 + draw.randrange(600), 1] for _ in range(20_000)]
    data = head(
        "vector",
        {"name": "l1"},
        dimension=2,
        noise={"denominator": "1", "radii": ["1"], "weights": ["1"], "atom": "0"},
        grid="1/10",
        upper="10",
        lower="1/2",
        certificate={"step": "1/1000", "unit": "1", "points": points, "pieces": pieces},
    )
    text = json.dumps(data, separators=(",", ":")).encode()
    assert 350_000 < len(text) < 500_000
    tracemalloc.start()
    try:
        check_bytes(text)
        assert tracemalloc.get_traced_memory()[1] < 40_000_000
    finally:
        tracemalloc.stop()
