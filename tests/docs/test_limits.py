"""The page of a kind states the limits that its reader enforces."""

from __future__ import annotations

from pathlib import Path

import pytest

from leastnoise.certify import limits
from leastnoise.certify.kinds import workload as workload_document
from leastnoise.certify.kinds import workload_parts, workload_proofs
from leastnoise.certify.noise import root_strategy as roots
from leastnoise.problem import workload as asked

PAGE = Path(__file__).parents[2] / "docs" / "certificate-workload.md"
LIMITS = [
    (workload_parts, name)
    for name in ("MAX_PARTS", "MAX_ALL_PARTS", "MAX_DEPTH", "MAX_RANK", "MAX_NUMBER_BITS")
]
LIMITS += [(workload_parts, "MAX_PART_BITS"), (roots, "MAX_PREFIX")]
LIMITS += [(workload_document, name) for name in ("MAX_FACTORS", "MAX_KNOTS")]
LIMITS += [(workload_proofs, "MAX_MEASURES"), (limits, "MAX_STRATEGY_BITS")]
LIMITS += [(asked, name) for name in ("MAX_ROWS", "MAX_ENTRIES", "MAX_ENTRY_BITS", "MAX_TABLE")]
LIMITS += [(asked, name) for name in ("MAX_ATTRIBUTES", "MAX_SETS", "MAX_TABLES")]


@pytest.mark.parametrize(("module", "name"), LIMITS, ids=lambda one: getattr(one, "__name__", one))
def test_limits_of_workloads_are_on_their_page(module: object, name: str) -> None:
    table = PAGE.read_text(encoding="utf-8").partition("## Limits")[2]
    words = f"{getattr(module, name):,}"
    rows = [row.split("|") for row in table.splitlines() if row.startswith("| ")]
    values = [part.strip() for row in rows for part in row[2].replace(" to ", "; ").split(";")]
    assert any(value.removesuffix(" bits").removesuffix(" bits each") == words for value in values)


def test_cells_in_coordinates_and_budgets_of_workloads_are_on_their_page() -> None:
    table = PAGE.read_text(encoding="utf-8").partition("## Limits")[2]
    assert f"{8 * workload_parts.MAX_RANK:,}" in table
    for least, most in workload_document.BUDGETS_OF_WORKLOADS.values():
        assert f"{float(least):f}".rstrip("0") + f" to {most}" in table
