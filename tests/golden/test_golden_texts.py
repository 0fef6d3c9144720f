"""Designs of every kind show themselves as before: in text, JSON, HTML and on the command line.

Where words were changed on purpose: python tests/golden/generate.py --texts
"""

from __future__ import annotations

from pathlib import Path

import pytest
from golden_files import KINDS
from golden_texts import TEXTS, shown


@pytest.mark.parametrize("kind", KINDS)
def test_texts_are_what_they_were(kind: str, tmp_path: Path) -> None:
    before = (TEXTS / f"{kind}.txt").read_text(encoding="utf-8")
    assert shown(kind, tmp_path) == before, (
        f"meant? python {Path(__file__).parent}/generate.py --texts"
    )
