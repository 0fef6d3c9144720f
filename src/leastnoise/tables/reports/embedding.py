"""A report inside its own page, beside a checker that runs in the browser."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...certify.published import CLOSED, OPENED

_CHECKER = Path(__file__).parents[2] / "web" / "static" / "checker.js"


def embedded(report: Mapping[str, Any]) -> str:
    """The report as a part of a page, and the program that checks it there."""
    # No text can end the element: "<" occurs in strings of JSON only, which can write it otherwise.
    text = json.dumps(report, ensure_ascii=True, allow_nan=False).replace("<", "\\u003c")
    code = _CHECKER.read_text(encoding="utf-8")
    return f"{OPENED}{text}{CLOSED}\n<script data-report>\n{code}</script>"
