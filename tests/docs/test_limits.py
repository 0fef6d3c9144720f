"""The page of a kind states the limits that its reader enforces, and the guarantee its time."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from leastnoise.certify import limits
from leastnoise.certify.certificates import bases, cells, flow, groups, pairs
from leastnoise.certify.kinds import dependent, vector, workload_parts, workload_proofs
from leastnoise.certify.kinds import keyed as keys
from leastnoise.certify.kinds import workload as workload_document
from leastnoise.certify.noise.keys import chain
from leastnoise.certify.noise.ranges import intervals, rows
from leastnoise.certify.noise.shapes import elliptical, knorm
from leastnoise.certify.noise.vectors import staircase
from leastnoise.certify.noise.workloads import root_strategy as roots
from leastnoise.losses import names as losses
from leastnoise.problem import checks, constraints, privacy, shape
from leastnoise.problem import workload as asked
from leastnoise.web.routes.tables import ANSWER_SECONDS
from leastnoise.web.settings import Limits
from leastnoise.work import BUDGET

DOCS = Path(__file__).parents[2] / "docs"
#: The limits of each page: of a module, those of these names.
LIMITS = {
    "certificate": [
        (limits, "MAX_BYTES MAX_NESTING MAX_DIGITS MAX_SHORT MAX_CELLS MAX_MULTIPLIERS"),
        (limits, "MAX_NARROW MAX_GRID MAX_POINTS_OF_PROFILE MAX_WORK MAX_EDGES"),
        (losses, "MAX_POINTS MAX_TERMS"),
        (constraints, "MAX_CONSTRAINTS"),
        (privacy, "MAX_RELEASES"),
    ],
    "certificate-range": [
        (rows, "MAX_ROWS MAX_ROW_WEIGHTS"),
        (dependent, "MAX_PRIOR_PIECES"),
        (pairs, "MAX_CERTIFICATE_NODES MAX_PAIR_MULTIPLIERS"),
        (intervals, "MAX_INTERVALS"),
        (limits, "MAX_CELLS MAX_NODES MAX_STAIRS_OF_RANGE"),
        (groups, "MAX_GROUP MAX_GROUP_EPSILON"),
    ],
    "certificate-vector": [
        (checks, "MAX_DIMENSION"),
        (limits, "MAX_RADII"),
        (vector, "MAX_CURVE_POINTS MAX_CURVE_PIECES MAX_SHORTER"),
        (staircase, "MAX_STAIRS MAX_STAIR_BITS"),
    ],
    "certificate-joint": [
        (shape, "MAX_NUMBERS MAX_SPARSE WEIGHT_BITS"),
        (limits, "MAX_JOINT_STEPS MAX_RADII"),
        (knorm, "MAX_OFFSET MAX_JOINT_BITS"),
        (flow, "MAX_FLOW MAX_CUT MAX_JOINT_RATES"),
        (bases, "MAX_NUMBERS_OF_BASES MAX_BASES MAX_REACH_OF_BASES MAX_MOVES MAX_UNIT_BITS"),
        (cells, "MAX_JOINT_CELLS"),
    ],
    "certificate-keyed": [(chain, "MAX_REACH"), (keys, "MAX_KEYS_OF_A_UNIT")],
    "certificate-workload": [
        (workload_parts, "MAX_PARTS MAX_ALL_PARTS MAX_DEPTH MAX_RANK MAX_NUMBER_BITS"),
        (workload_parts, "MAX_PART_BITS"),
        (roots, "MAX_PREFIX"),
        (workload_document, "MAX_FACTORS MAX_KNOTS"),
        (workload_proofs, "MAX_MEASURES"),
        (limits, "MAX_STRATEGY_BITS"),
        (asked, "MAX_ROWS MAX_ENTRIES MAX_ENTRY_BITS MAX_TABLE"),
        (asked, "MAX_ATTRIBUTES MAX_SETS MAX_TABLES"),
    ],
}
CASES = [
    (page, module, name)
    for page, groups_of_names in LIMITS.items()
    for module, names in groups_of_names
    for name in names.split()
]


def limits_on(page: str) -> set[str]:
    """The numbers in the rows below "Limits"."""
    text = (DOCS / f"{page}.md").read_text(encoding="utf-8").partition("\n## Limits")[2]
    rows = [re.split(r"(?<!\\)\|", row)[2] for row in text.splitlines() if row.startswith("| ")]
    return {number for row in rows for number in re.findall(r"\d(?:[\d,^]*\d)?", row)}


@pytest.mark.parametrize(("page", "module", "name"), CASES, ids=lambda case: str(case)[-40:])
def test_limits_are_on_the_page_of_their_kind(page: str, module: object, name: str) -> None:
    assert f"{getattr(module, name):,}" in limits_on(page)


def test_powers_of_two_are_on_the_page_of_their_kind() -> None:
    assert vector.MAX_COORDINATE == vector.MAX_COUNT == 1 << 60
    assert "2^60" in limits_on("certificate-vector")
    assert elliptical.MAX_ERROR == 1 << 62
    assert "2^62" in limits_on("certificate-joint")


def test_the_budget_of_work_is_on_the_page() -> None:
    assert f"exceeds {BUDGET:,} " in (DOCS / "certificate.md").read_text(encoding="utf-8")


def test_cells_in_coordinates_and_budgets_of_workloads_are_on_their_page() -> None:
    table = (DOCS / "certificate-workload.md").read_text(encoding="utf-8").partition("## Limits")[2]
    assert f"{8 * workload_parts.MAX_RANK:,}" in table
    for least, most in workload_document.BUDGETS_OF_WORKLOADS.values():
        assert f"{float(least):f}".rstrip("0") + f" to {most}" in table


def test_the_guarantee_states_when_the_web_app_stops_a_query() -> None:
    words = f"stops a query that has run for {ANSWER_SECONDS + Limits().grace:g} s"
    assert words in (DOCS / "guarantee.md").read_text(encoding="utf-8")
