"""`python -m leastnoise.certify FILE [--json]`: check a mechanism file with nothing but Python.

FILE may be - for standard input. Of a report of answers, its files, budgets and hash are checked.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from ..errors import FormatError
from .file import check_bytes
from .json_file import read_bytes
from .limits import MAX_REPORT
from .published import check_published, report_in

_HELP = """Check a mechanism file or a report of answers in exact arithmetic, with Python alone.

FILE is a mechanism file, report.json or report.html; - is standard input.

Exit code 0: all claims are proven; 1: one is refuted; 2: the file is malformed, or cannot be read;
3: privacy is proven, but the error is not, or it is a report, which is checked in part."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Check one file; the exit code says what was found (see docs/certificate.md)."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    alone = Path(sys.argv[0]).suffix == ".pyz"
    program = Path(sys.argv[0]).name if alone else "-m leastnoise.certify"
    usage = f"usage: python {program} FILE [--json]"
    if "--help" in words or "-h" in words:
        print(f"{usage}\n\n{_HELP}")
        return 0
    as_json = "--json" in words
    files = [word for word in words if word != "--json"]
    if len(files) != 1 or (files[0].startswith("-") and files[0] != "-"):
        print(usage, file=sys.stderr)
        return 2
    try:
        data = read_bytes(files[0], MAX_REPORT)
        published = report_in(data)
        report = check_bytes(data)[1] if published is None else check_published(published)
    except FormatError as error:
        if as_json:
            print(json.dumps({"ok": False, "private": False, "exit_code": 2, "error": str(error)}))
        else:
            word = "error" if isinstance(error.__context__, OSError) else "malformed"
            print(f"{word}: {error}", file=sys.stderr)
        return 2
    _print(json.dumps(report.to_json(), indent=1) if as_json else str(report))
    return report.exit_code


def _print(text: str) -> None:
    """Print to whoever still reads: `| head` may have left, and the exit code says the verdict."""
    try:
        print(text, flush=True)
    except BrokenPipeError:
        # Python flushes standard output once more at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    raise SystemExit(main())
