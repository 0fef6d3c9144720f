"""Copies of multipliers and moved answers against the same things spelled out, and forgeries."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from leastnoise.certify.kinds.additive import ShiftMultipliers
from leastnoise.certify.kinds.dependent_check import (
    ChannelCertificate,
    ChannelDocument,
    Copies,
    LatticeNoise,
    Moved,
    PairMultipliers,
    channel_dual_bound,
    check_channel,
    loss_of,
    parse_channel,
    worst_pair,
)
from leastnoise.errors import FormatError
from leastnoise.losses import as_loss
from leastnoise.problem import Problem, Range


def problem(width: int = 6, loss: str = "l1", integer: bool = False, n: int = 1) -> Problem:
    return Problem(
        Fraction(1),
        Fraction(1, 100),
        Fraction(n),
        as_loss(loss),
        integer,
        range=Range(Fraction(0), Fraction(width)),
    )


def some_shifts(chance: random.Random, n: int, mirror: bool) -> tuple[ShiftMultipliers, ...]:
    entries = []
    for shift in range(1, n + 1):
        cells = tuple((i, Fraction(chance.randint(0, 9), 10)) for i in range(-3, 4))
        entries.append(ShiftMultipliers(shift, mirror, Fraction(1), cells))
    return tuple(entries)


def spelled_out(asked: Problem, certificate: ChannelCertificate, count: int) -> ChannelCertificate:
    """Every copy as pairs of its own; those of one pair of nodes are added up."""
    copies = certificate.copies
    assert copies is not None
    cells: dict[tuple[int, int], dict[int, Fraction]] = {}
    budgets: dict[tuple[int, int], Fraction] = {}

    def add(k: int, m: int, budget: Fraction, listed: Any) -> None:
        budgets[k, m] = budgets.get((k, m), Fraction(0)) + budget
        mine = cells.setdefault((k, m), {})
        for y, z in listed:
            if 0 <= y < count:
                mine[y] = mine.get(y, Fraction(0)) + z

    for k in range(copies.layer, count - copies.layer):
        for entry in copies.shifts:
            for sign in (1, -1)[: 1 + entry.mirror]:
                if not 0 <= k + sign * entry.shift < count:
                    continue
                add(
                    k,
                    k + sign * entry.shift,
                    entry.budget / count,
                    [(k + sign * i, z / count) for i, z in entry.cells],
                )
    for pair in certificate.pairs:
        add(pair.source, pair.target, pair.budget, pair.cells)
        if pair.mirror:
            last = count - 1
            add(
                last - pair.source,
                last - pair.target,
                pair.budget,
                [(last - y, z) for y, z in pair.cells],
            )
    return ChannelCertificate(
        certificate.step,
        tuple(
            PairMultipliers(*key, False, budgets[key], tuple(sorted(mine.items())))
            for key, mine in cells.items()
        ),
    )


@pytest.mark.parametrize("seed", range(12))
def test_copies_prove_what_they_prove_one_by_one(seed: int) -> None:
    chance = random.Random(seed)
    integer, mirror = bool(seed % 2), bool(seed % 3)
    loss = ("l1", "l2", "pinball:0.7")[seed % 3]
    n = chance.randint(1, 3)
    asked = problem(chance.randint(4 * n, 14), loss, integer, n)
    step = Fraction(1) if integer else Fraction(1, chance.randint(1, 2))
    count, reach = int(asked.width / step) + integer, int(n / step)
    layer = chance.randint(0, count // 2)
    pairs = tuple(
        PairMultipliers(
            k,
            k + 1,
            mirror,
            Fraction(1, 7),
            tuple((y, Fraction(chance.randint(0, 5), 40)) for y in range(k, k + 3)),
        )
        for k in range(2)
    )
    certificate = ChannelCertificate(
        step, pairs, (), (), Copies(layer, some_shifts(chance, reach, mirror))
    )
    found = channel_dual_bound(asked, certificate)
    plain = channel_dual_bound(asked, spelled_out(asked, certificate, count))
    # The short form sees answers beyond the edge as one, and offsets that the range lacks.
    assert found <= plain
    assert float(plain - found) <= 0.35 * abs(float(plain)) + 1e-12


def moved_document(asked: Problem, moved: Moved) -> ChannelDocument:
    weights = (1, 5, 14, 5, 1)
    return ChannelDocument(
        asked,
        Fraction(1, 2) if not asked.integer else Fraction(1),
        26,
        0,
        (),
        Fraction(9),
        Fraction(0),
        ChannelCertificate(asked.width if not asked.integer else Fraction(1), ()),
        noise=LatticeNoise(-2, weights),
        moved=moved,
    )


def as_rows(document: ChannelDocument) -> ChannelDocument:
    """The same mechanism with a row for each node."""
    rows, span = [], range(-4, document.last + 5)
    for k in range(document.last + 1):
        places, weights = document.law_in_steps(k)
        row = dict.fromkeys(span, 0)
        for place, w in zip(places, weights, strict=True):
            row[int(place)] += w
        rows.append(tuple(row.values()))
    return replace(document, rows=tuple(rows), first=-4, noise=None, moved=None)


@pytest.mark.parametrize("integer", [False, True])
@pytest.mark.parametrize("loss", ["l1", "l2", "pinball:0.7"])
@pytest.mark.parametrize(
    "moved",
    [
        Moved((), ()),
        Moved((1, 1, 1, 2), (2, 2, 1)),
        Moved((0,) * 6, ()),
        Moved((3,), (3,)),
        Moved((2, 2, 5, 5, 1, 2), (4, 4, 4, 0)),
    ],
)
def test_moved_answers_cost_what_their_rows_cost(integer: bool, loss: str, moved: Moved) -> None:
    document = moved_document(problem(6, loss, integer), moved)
    rows = as_rows(document)
    assert loss_of(document) == loss_of(rows)
    assert worst_pair(document)[1] >= worst_pair(rows)[1]  # moving is post-processing


def test_a_file_with_moved_answers_and_copies_reads_back_and_is_checked() -> None:
    document = moved_document(problem(6), Moved((1, 1), (1, 1)))
    copies = Copies(2, (ShiftMultipliers(1, True, Fraction(0), ()),))
    document = replace(
        document,
        problem=replace(document.problem, delta=Fraction(99, 100)),
        certificate=ChannelCertificate(Fraction(1, 2), (), (), (), copies),
    )
    document = replace(document, upper=loss_of(document))
    data = json.loads(document.dumps())
    assert parse_channel(data) == document
    assert check_channel(document).proven
    cheaper = replace(document, upper=document.upper - Fraction(1, 10**9))
    assert not check_channel(cheaper).proven
    braver = replace(document, lower=Fraction(1, 10**9))
    assert not check_channel(braver).proven


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data["certificate"]["copies"].update(layer=-1),
        lambda data: data["certificate"]["copies"].update(layer=7),
        lambda data: data["certificate"]["copies"]["shifts"][0].update(shift=3),
        lambda data: data.update(prior={"edges": ["0", "6"], "masses": ["1"]}),
        lambda data: data.update(monotone=True),
        lambda data: data.update(beyond=["-1", "7"]),
        lambda data: data["channel"].pop("noise"),
        lambda data: data["channel"].update(moved={"low": [0] * 20, "high": []}),
        lambda data: data["channel"].update(moved={"low": [0.5], "high": []}),
        lambda data: data.update(max_error="3"),
        lambda data: data.update(instance_bound="3"),
    ],
)
def test_what_copies_and_moved_answers_do_not_go_with_is_refused(change: Any) -> None:
    document = moved_document(problem(6), Moved((1, 1), (1, 1)))
    copies = Copies(2, (ShiftMultipliers(2, True, Fraction(0), ()),))
    document = replace(document, certificate=ChannelCertificate(Fraction(1, 2), (), (), (), copies))
    data = json.loads(document.dumps())
    parse_channel(data)
    change(data)
    with pytest.raises(FormatError):
        parse_channel(data)
