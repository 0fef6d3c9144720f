"""Copies of multipliers and moved answers against the same things spelled out, and forgeries."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from dependent_files import expected_loss, worst_divergence

from leastnoise.certify import check
from leastnoise.certify.certificates.copies import CopiesCertificate
from leastnoise.certify.certificates.pairs import PairCertificate, PairMultipliers
from leastnoise.certify.kinds.additive import ShiftMultipliers
from leastnoise.certify.kinds.dependent import DEPENDENT, DependentFile, dependent_file
from leastnoise.certify.noise.ranges.answers import LatticeNoise
from leastnoise.certify.noise.ranges.moved import Moved, MovedAnswers
from leastnoise.certify.noise.ranges.rows import NodeColumns, RowAnswers
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


def spelled_out(certificate: CopiesCertificate, count: int) -> PairCertificate:
    """Every copy as pairs of its own; those of one pair of nodes are added up."""
    cells: dict[tuple[int, int], dict[int, Fraction]] = {}
    budgets: dict[tuple[int, int], Fraction] = {}

    def add(k: int, m: int, budget: Fraction, listed: Any) -> None:
        budgets[k, m] = budgets.get((k, m), Fraction(0)) + budget
        mine = cells.setdefault((k, m), {})
        for y, z in listed:
            if 0 <= y < count:
                mine[y] = mine.get(y, Fraction(0)) + z

    for k in range(certificate.layer, count - certificate.layer):
        for entry in certificate.shifts:
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
    pairs = tuple(
        PairMultipliers(*key, False, budgets[key], tuple(sorted(mine.items())))
        for key, mine in cells.items()
    )
    return PairCertificate(step=certificate.step, pairs=pairs)


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
    shifts = some_shifts(chance, reach, mirror)
    certificate = CopiesCertificate(step=step, pairs=pairs, layer=layer, shifts=shifts)
    found = certificate.dual(asked)
    plain = spelled_out(certificate, count).dual(asked)
    # The short form sees answers beyond the edge as one, and offsets that the range lacks.
    assert found <= plain
    assert float(plain - found) <= 0.35 * abs(float(plain)) + 1e-12


def moved_document(asked: Problem, moved: Moved) -> DependentFile:
    weights = (1, 5, 14, 5, 1)
    step = Fraction(1, 2) if not asked.integer else Fraction(1)
    answers = MovedAnswers(step=step, denominator=26, added=LatticeNoise(-2, weights), moved=moved)
    return replace(dependent_file(asked, answers), upper=Fraction(9))


def as_rows(document: DependentFile) -> DependentFile:
    """The same mechanism with a row for each node."""
    noise, nodes = document.noise, document.noise.nodes(document.problem)
    assert isinstance(noise, MovedAnswers)
    rows, span = [], range(-4, nodes.last + 5)
    for k in range(nodes.last + 1):
        row = dict.fromkeys(span, 0)
        for place, w in zip(noise.places(k, nodes), noise.weights(k, nodes), strict=True):
            row[int(place)] += w
        rows.append(tuple(row.values()))
    answers = RowAnswers(
        step=noise.step, denominator=noise.denominator, columns=NodeColumns(-4), rows=tuple(rows)
    )
    return replace(document, noise=answers)


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
    assert expected_loss(document) == expected_loss(rows)
    assert worst_divergence(document)[1] >= worst_divergence(rows)[1]  # moving is post-processing


def test_a_file_with_moved_answers_and_copies_reads_back_and_is_checked() -> None:
    document = moved_document(problem(6), Moved((1, 1), (1, 1)))
    shifts = (ShiftMultipliers(1, True, Fraction(0), ()),)
    document = replace(
        document,
        problem=replace(document.problem, delta=Fraction(99, 100)),
        certificate=CopiesCertificate(step=Fraction(1, 2), layer=2, shifts=shifts),
    )
    document = replace(document, upper=expected_loss(document))
    data = json.loads(document.dumps())
    assert DEPENDENT.read(data) == document
    assert check(document).proven
    cheaper = replace(document, upper=document.upper - Fraction(1, 10**9))
    assert not check(cheaper).proven
    braver = replace(document, lower=Fraction(1, 10**9))
    assert not check(braver).proven


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
    shifts = (ShiftMultipliers(2, True, Fraction(0), ()),)
    certificate = CopiesCertificate(step=Fraction(1, 2), layer=2, shifts=shifts)
    document = replace(document, certificate=certificate)
    data = json.loads(document.dumps())
    DEPENDENT.read(data)
    change(data)
    with pytest.raises(FormatError):
        DEPENDENT.read(data)
