"""The example of docs/certificate-example.md: by the checker, by brute force, and as printed."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from pathlib import Path

import certify_brute as brute

from leastnoise.certify import PROVEN, check, limits, read_any
from leastnoise.certify.noise.line.lattice_privacy import lattice_hockey_sticks
from leastnoise.losses import MAX_POINTS, MAX_TERMS
from leastnoise.problem.privacy import MAX_EPSILON
from leastnoise.work import BUDGET

DOCS = Path(__file__).parents[2] / "docs"
EXAMPLE = DOCS / "example.json"
PAGE = "".join(page.read_text(encoding="utf-8") for page in sorted(DOCS.glob("certificate*.md")))


def test_every_claim_is_proven_and_tight() -> None:
    report = check(read_any(EXAMPLE))
    assert [(claim.verdict, claim.slack) for claim in report.claims] == [(PROVEN, 0)] * 4
    data = json.loads(EXAMPLE.read_text())
    assert brute.holds(data)
    assert brute.worst_loss(data, 18) == Fraction(281, 378)


def test_the_printed_privacy_table() -> None:
    document = read_any(EXAMPLE)
    assert dict(lattice_hockey_sticks(document.noise.weights, Fraction(0), 3)) == {1: 5, 2: 7, 3: 7}
    printed = re.findall(r"m = (\d): .* =\s+(\d)\n", PAGE)
    assert printed == [("1", "5"), ("2", "7"), ("3", "7")]


def test_the_printed_gains() -> None:
    data = json.loads(EXAMPLE.read_text())
    gain: dict[int, list[int]] = {}
    for m, i, z in brute.multipliers(data):
        gain.setdefault(i, []).append(int(21 * z))
        gain.setdefault(i - m, []).append(-int(21 * z))
    rows = re.findall(r"\| (\d) \| (\d+) \| ([-+ \d]+) \| (\d+) \|", PAGE)
    assert [int(row[0]) for row in rows] == list(range(10))
    for cell, k, gains, total in rows:
        assert sorted(int(part) for part in gains.split()) == sorted(gain[int(cell)])
        assert int(k) == 7 * int(cell)
        assert int(total) == int(k) + sum(gain[int(cell)]) >= 28


def test_the_printed_limits() -> None:
    for number in (
        limits.MAX_BYTES,
        limits.MAX_CELLS,
        limits.MAX_WORK,
        limits.MAX_MULTIPLIERS,
        limits.MAX_GRID,
        limits.MAX_EDGES,
        BUDGET,
        MAX_POINTS,
        MAX_TERMS,
    ):
        assert f"{number:,}" in PAGE
    assert f"{limits.MAX_DIGITS} characters; {limits.MAX_SHORT} for" in PAGE
    assert f"0 to {MAX_EPSILON}" in PAGE
