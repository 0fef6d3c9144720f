"""A mechanism file's bytes and its JSON, whatever they say. Standard library only."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from ..errors import FormatError
from ..work import charge
from .limits import MAX_BYTES, MAX_NESTING, MAX_PARTS


def read_bytes(path: str | Path, most: int = MAX_BYTES) -> bytes:
    """The content of a file, as far as it is allowed to be; `FormatError` if it has none.

    It is read once, so that it may come from a pipe; "-" is standard input.
    """
    try:
        if str(path) == "-":
            return sys.stdin.buffer.read(most + 1)
        with Path(path).open("rb") as file:
            return file.read(most + 1)
    except FileNotFoundError:
        raise FormatError(f"cannot read {path}: there is no such file") from None
    except (OSError, ValueError) as error:
        raise FormatError(f"cannot read {path}: {error}") from None


def load_json(data: bytes | str, most: int = MAX_BYTES) -> object:
    """The JSON value in a file's content, no key twice; `FormatError` if it is none."""
    if len(data) > most:
        raise FormatError(f"the file is larger than {most} bytes")
    # (An empty list in a list takes 3 bytes of a file and a hundred of memory.)
    if _parts(data) > MAX_PARTS:
        raise FormatError(f"the file has more than {MAX_PARTS} commas and opening brackets")
    charge(len(data) // 10)
    try:
        # (Handed bytes, Python would read UTF-16 and a byte order mark, too.)
        text = data.decode("utf-8") if isinstance(data, bytes) else data
        value = json.loads(text, object_pairs_hook=_no_key_twice, parse_constant=_no_constant)
    except FormatError:
        raise
    except (ValueError, RecursionError) as error:
        raise FormatError(f"not JSON, as mechanism files and reports are: {error}") from None
    limit_depth(value)
    return value


def _parts(data: bytes | str) -> int:
    if isinstance(data, bytes):
        return sum(data.count(mark) for mark in b",[{")
    return sum(data.count(mark) for mark in ",[{")


def limit_depth(value: object) -> None:
    """`FormatError` if lists and objects are nested more than `MAX_NESTING` levels deep.

    (The interpreter's own limit of recursion differs from version to version.)
    """
    level = [value]
    for _ in range(MAX_NESTING + 1):
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
        if not level:
            return
    raise FormatError(f"lists and objects are nested more than {MAX_NESTING} levels deep")


def _no_key_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    charge(2)
    values = dict(pairs)
    if len(values) != len(pairs):
        raise FormatError("a key occurs twice")
    return values


def _no_constant(text: str) -> Any:
    raise FormatError(f"{text} is not a number")
