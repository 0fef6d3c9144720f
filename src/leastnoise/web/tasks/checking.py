"""Check a mechanism file: each claim with its verdict."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...certify import read_and_check
from ...design import JointDesign, WorkloadDesign, loaded
from ...errors import FormatError, LeastnoiseError
from ..jobs import GIVEN
from .designing import described


def run(arguments: dict[str, Any], folder: Path, tell: Any) -> dict[str, Any]:
    """What the exact checker says about the file it was given, and what that file describes."""
    path = folder / GIVEN
    try:
        document, report = read_and_check(path)
    except FormatError as error:
        words = str(error).replace(str(path), "the file")
        return {"exit_code": 2, "malformed": words, "claims": [], "private": False, "ok": False}
    told: dict[str, Any] = report.to_json()
    try:
        found = loaded(document, report, "the file", "read from the file")
        # The web app has no panel for several numbers at once: it shows the claims alone.
        told["design"] = (
            None if isinstance(found, (JointDesign, WorkloadDesign)) else described(found, False)
        )
        told["about"] = found.about
    except LeastnoiseError:
        told["design"] = None  # refuted: it is not to be used
    return told
