"""`python -m leastnoise.certify FILE [--json]`: check a mechanism file with nothing but Python.

FILE may be - for standard input.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence

from ..errors import FormatError
from . import check_file


def main(arguments: Sequence[str] | None = None) -> int:
    """Check one file; the exit code says what was found (see docs/certificate.md)."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    as_json = "--json" in words
    files = [word for word in words if word != "--json"]
    if len(files) != 1 or (files[0].startswith("-") and files[0] != "-"):
        print("usage: python -m leastnoise.certify FILE [--json]", file=sys.stderr)
        return 2
    try:
        report = check_file(files[0])
    except FormatError as error:
        if as_json:
            print(json.dumps({"ok": False, "private": False, "exit_code": 2, "error": str(error)}))
        else:
            print(f"malformed: {error}", file=sys.stderr)
        return 2
    if as_json:
        print(json.dumps(report.to_json(), indent=1))
    else:
        print(report)
    return report.exit_code


if __name__ == "__main__":
    raise SystemExit(main())
