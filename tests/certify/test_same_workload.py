"""A workload costs the same however a file states it: weights in weights, rows one by one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from leastnoise.certify import check_any, parse_any
from leastnoise.certify.kinds.workload_parts import read_workload
from leastnoise.errors import FormatError

FILES = Path(__file__).parents[1] / "golden" / "files" / "workload.jsonl"
GOLDEN = {
    entry["name"]: entry["file"]
    for entry in map(json.loads, FILES.read_text(encoding="utf-8").splitlines())
}


def same(part: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The same questions, otherwise stated."""
    queries = read_workload(part)
    yield {"weights": ["6/5"], "of": {"weights": ["5/6"], "of": part}}
    yield {"weights": ["1000"] * queries.queries, "of": {"weights": ["1/1000"], "of": part}}
    rows = [[2 * x for x in row] for row in queries.rows()]
    listed = {"rows": rows, "denominator": str(2 * queries.denominator)}
    yield {"weights": [str(weight) for weight in queries.weights()], "of": listed}
    for name in {"stack", "product"} & part.keys():
        first, *others = part[name]
        yield {name: [{"weights": ["1/7"], "of": {"weights": ["7"], "of": first}}, *others]}


def slacks(data: dict[str, Any]) -> list[float]:
    report = check_any(parse_any(json.dumps(data)))
    return [float(claim.slack or 0) for claim in report.claims]


@pytest.mark.parametrize("name", GOLDEN)
def test_claims_do_not_depend_on_how_a_workload_is_stated(name: str) -> None:
    """Where a file may state it so: some strategies are for named queries or tables alone."""
    data = GOLDEN[name]
    plain = slacks(data)
    for part in same(data["workload"]):
        try:
            found = slacks(data | {"workload": part})
        except FormatError as error:
            assert any(word in str(error) for word in ("are for", "must be", "too deep")), part
            continue
        assert found == pytest.approx(plain, rel=1e-7, abs=1e-9), part
