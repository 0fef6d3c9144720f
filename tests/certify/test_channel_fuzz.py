"""Random single changes of files of kind "dependent": rejected, or confirmed by brute force."""

from __future__ import annotations

import json
import random
from collections import Counter
from typing import Any

import pytest
from dependent_brute import check_file
from test_certify_fuzz import changed

from leastnoise import design
from leastnoise.certify import check
from leastnoise.certify.kinds.dependent import DEPENDENT
from leastnoise.errors import FormatError

BASE: dict[str, Any] = {"epsilon": 1, "delta": 0.2, "sensitivity": 2, "bounds": (0, 4), "gap": 0.2}
FILES: dict[str, dict[str, Any]] = {
    "plain": BASE,
    "options": {
        **BASE,
        "prior": {"edges": [0, 1, 4], "masses": [1, 1]},
        "instance_bound": 1.5,
        "monotone": True,
    },
    "crossing": {**BASE, "crossing": (2, 3), "outputs": ["1/3", 2, 3]},
    "integer": {**BASE, "bounds": (0, 8), "integer": True},
    "beyond": {**BASE, "bounds": (-50, 50), "core": (-2, 2), "gap": 0.9},
    "profile": {**BASE, "profile": [("1/2", "0.3"), (2, "0.05")]},
    "curve": {"gdp": 1, "sensitivity": 2, "bounds": (0, 4), "gap": 0.5},
    "additive": {**BASE, "epsilon": 7, "bounds": (0, 40), "loss": "pinball:0.5", "time_limit": 0.1},
    "partition": {"epsilon": 7, "delta": 0.01, "sensitivity": 1, "bounds": (0, 1), "gap": 0.05},
}


@pytest.mark.parametrize("kind", FILES)
def test_single_changes_are_rejected_or_harmless(kind: str) -> None:
    draw = random.Random(f"dependent {kind}")
    original = json.loads(design(**FILES[kind]).document.dumps())
    assert check(DEPENDENT.read(original)).proven
    assert ("additive" in original, "beyond" in original) == (kind == "additive", kind == "beyond")
    outcomes: Counter[int] = Counter()
    while outcomes.total() < 60:
        data = changed(original, draw)
        if data == original:
            continue
        try:
            report = check(DEPENDENT.read(data))
        except FormatError as error:
            assert str(error)
            outcomes[2] += 1
            continue
        outcomes[report.exit_code] += 1
        json.dumps(report.to_json(), allow_nan=False)
        assert report.exit_code in (0, 1)
        if report.exit_code == 0 and kind in ("plain", "profile"):
            assert check_file(json.dumps(data)) == []
    assert outcomes[2] > 10 and outcomes[0] + outcomes[1] > 2, outcomes
