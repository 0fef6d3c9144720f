"""A report inside its own page, beside a checker that runs in the browser."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...errors import FormatError

_CHECKER = Path(__file__).parents[2] / "web" / "static" / "checker.js"
_OPENED, _CLOSED = '<script type="application/json" id="report">', "</script>"


def embedded(report: Mapping[str, Any]) -> str:
    """The report as a part of a page, and the program that checks it there."""
    # No text can end the element: "<" occurs in strings of JSON only, which can write it otherwise.
    text = json.dumps(report, ensure_ascii=True, allow_nan=False).replace("<", "\\u003c")
    code = _CHECKER.read_text(encoding="utf-8")
    return f"{_OPENED}{text}{_CLOSED}\n<script data-report>\n{code}</script>"


def report_in(data: bytes) -> bytes | None:
    """The JSON of a report, or of the page of one; None for other files.

    `FormatError` for a web page that holds no report.
    """
    if data.lstrip()[:1] == b"<":
        start = data.find(_OPENED.encode())
        end = data.find(_CLOSED.encode(), start)
        if start < 0 or end < 0:
            raise FormatError("this is a web page that holds no report")
        return data[start + len(_OPENED) : end]
    # Written by this tool, the format is the first key.
    named = re.search(rb'"format"\s*:\s*"leastnoise-report/', data[:200]) is not None
    return data if named else None
