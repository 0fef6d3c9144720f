"""The golden files and what was recorded of them: where they are, and how a file is checked.

Mechanism files are checked and written through the public surface alone, so that these tests
outlive any change of the package's insides: the command `python -m leastnoise.certify - --json`
(run here, in this process) and `leastnoise.load(...).save(...)`.
"""

from __future__ import annotations

import io
import json
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import redirect_stdout
from functools import cache
from pathlib import Path
from typing import Any

from leastnoise import load
from leastnoise.certify.__main__ import main

HERE = Path(__file__).parent
FILES, REPORTS, FORGED = (HERE / name for name in ("files", "reports", "forged"))
DIGESTS = HERE / "digests.jsonl"
KINDS = ("additive", "integer", "dependent", "vector", "joint", "keyed", "workload")
_NUMBER = re.compile(r"(?<![A-Za-z0-9_.])-?\d+(?:\.\d+)?(?:e[-+]?\d+)?")

Json = dict[str, Any]


@cache
def golden(kind: str) -> dict[str, Json]:
    """The mechanism files of a kind by name: not yours to change."""
    return read_lines(FILES / f"{kind}.jsonl", "file")


def text_of_file(data: Mapping[str, Any]) -> str:
    """A mechanism file as the package writes it: one top-level key a line."""
    lines = (
        f"{json.dumps(key)}: {json.dumps(value, separators=(',', ':'))}"
        for key, value in data.items()
    )
    return "{" + ",\n ".join(lines) + "}\n"


def report_of(text: str) -> Json:
    """What the checker's command prints about a file with `--json`."""
    printed, before = io.StringIO(), sys.stdin
    sys.stdin = io.TextIOWrapper(io.BytesIO(text.encode()), encoding="utf-8")
    try:
        with redirect_stdout(printed):
            code = main(["-", "--json"])
    finally:
        sys.stdin = before
    report: Json = json.loads(printed.getvalue())
    assert report["exit_code"] == code
    return report


def claims_of(report: Json) -> list[list[Any]]:
    """[statement, verdict, slack, numbers in the words] of each claim."""
    return [
        [claim["name"], claim["verdict"], claim["slack"], numbers_in(claim["detail"])]
        for claim in report["claims"]
    ]


def numbers_in(words: str) -> list[float]:
    """The numbers that a text holds; its words may change."""
    return [float(number) for number in _NUMBER.findall(words)]


def verdict(text: str) -> str:
    """What becomes of a file: malformed, proven, or which claims are refuted or not checked."""
    report = report_of(text)
    if report["exit_code"] == 2:
        return "malformed"
    short = {"proven": "", "refuted": "-", "not checked": "?"}
    marks = [short[c["verdict"]] + c["name"] for c in report["claims"] if c["verdict"] != "proven"]
    return " ".join(marks) or "proven"


def written_back(text: str, folder: Path) -> str:
    """The file as `save` writes what `load` made of it."""
    source, copy = folder / "golden.json", folder / "copy.json"
    source.write_text(text, encoding="utf-8")
    load(source).save(copy)
    return copy.read_text(encoding="utf-8")


# -- lines of JSON -----------------------------------------------------------------------------


def read_lines(path: Path, key: str) -> dict[str, Any]:
    """{name: value} of lines {"name": ..., key: ...}."""
    with path.open(encoding="utf-8") as lines:
        return {entry["name"]: entry[key] for entry in map(json.loads, lines)}


def write_lines(path: Path, key: str, values: Mapping[str, Any]) -> None:
    """The opposite of `read_lines`."""
    path.parent.mkdir(exist_ok=True)
    lines = (
        json.dumps({"name": name, key: value}, separators=(",", ":"))
        for name, value in values.items()
    )
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


# -- keys --------------------------------------------------------------------------------------


def keys_of(data: Mapping[str, Any]) -> set[str]:
    """The paths of all keys in a mechanism file, and of all names of things.

    Entries of lists have the path of their list with [] behind it. `about` is free, and a file
    inside a file (`law`) is listed by its kind alone.
    """
    return set(_paths(data, ""))


#: Keys whose values are one of few words.
_WORDS = ("kind", "name", "neighbours", "coordinates", "prior")
#: Keys of losses and workloads, which hold more of their own: these are listed together.
_INSIDE = {"terms": "loss", "of": "workload", "stack": "workload", "product": "workload"}


def _paths(value: Any, path: str) -> Iterator[str]:
    if isinstance(value, list):
        for entry in value:
            if isinstance(entry, dict | list):
                inside = path in _INSIDE.values()
                yield from _paths(entry, path if inside else f"{path}[]")
    elif isinstance(value, dict):
        for key, inner in value.items():
            where = f"{path}.{key}" if path else key
            yield where
            if key in _WORDS and isinstance(inner, str):
                yield f"{where}={inner}"
            if key == "law":
                yield f"{where}.kind={inner['kind']}"
            elif key != "about":
                yield from _paths(inner, _INSIDE.get(key, "loss" if key == "loss" else where))
