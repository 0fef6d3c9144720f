"""Check a mechanism file or a report: each claim with its verdict."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...certify import read_and_check
from ...certify.json_file import load_json, read_bytes
from ...certify.limits import MAX_REPORT
from ...certify.published import report_in
from ...design import loaded
from ...errors import FormatError, LeastnoiseError
from ..jobs import GIVEN
from .designing import describe_bracket


def run(arguments: dict[str, Any], folder: Path, tell: Any) -> dict[str, Any]:
    """What the exact checker says about the file it was given, and what that file describes."""
    path = folder / GIVEN
    try:
        report = _report(path)
        if report is not None:
            return report
        document, checked = read_and_check(path)
    except FormatError as error:
        words = str(error).replace(str(path), "the file")
        return {"exit_code": 2, "malformed": words, "claims": [], "private": False, "ok": False}
    told: dict[str, Any] = checked.to_json()
    try:
        design = loaded(document, checked, "the file", "read from the file")
        # The web app has no panel for several numbers at once: it shows the claims alone.
        told["design"] = (
            None if design.kind in ("joint", "workload") else describe_bracket(design, False)
        )
        told["about"] = design.about
    except LeastnoiseError:
        told["design"] = None  # refuted: it is not to be used
    return told


def _report(path: Path) -> dict[str, Any] | None:
    """What is found of a report, or of its page; None if the file is none."""

    data = report_in(read_bytes(path, MAX_REPORT))
    if data is None:
        return None
    from ...tables.reports.report import UNCHECKED, check_report, exit_code_of, summary_of_report

    raw = load_json(data, MAX_REPORT)
    steps = check_report(raw)
    code = exit_code_of(steps)
    claims = [
        {"name": f"step {number}", "verdict": step.verdict, "slack": None, "detail": str(step)}
        for number, step in enumerate(steps, 1)
    ]
    return {
        "exit_code": code,
        "ok": code == 0,
        "private": code == 0,
        "summary": summary_of_report(raw, steps),
        "claims": claims,
        "report": True,
        "unchecked": UNCHECKED,
        "design": None,
    }
