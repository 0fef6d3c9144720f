"""A report as it is read: every field is there, as the tool writes it, and there is no other.

So nothing in it reads otherwise than it counts: no digits of other scripts, no `true` for 1, no
number that can be written in two ways, no unit that no question has. `statement.proof.md`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from ..errors import FormatError
from ..exact import rational, text_of
from .statement import DRAWN, WAYS, blocks_of
from .unit import NEIGHBOURS

_Check = Callable[[Any], bool]


def _text(value: Any) -> bool:
    return isinstance(value, str)


def _exact(value: Any) -> bool:
    """A number from 0 on in its one exact text."""
    try:
        return isinstance(value, str) and value == text_of(abs(rational(value, "number")))
    except ValueError:
        return False


def _number(value: Any) -> bool:
    return type(value) in (int, float) and abs(value) <= sys.float_info.max


def _part(value: Any) -> bool:
    """What a ledger says of its budget."""
    return _number(value) and value >= 0


def _count(value: Any) -> bool:
    return type(value) is int and 1 <= value <= 10**12


def _unit(value: Any) -> bool:
    return value == "row" or (isinstance(value, str) and value[:7] == "person " and len(value) > 7)


def _or_none(check: _Check) -> _Check:
    return lambda value: value is None or check(value)


def _list(check: _Check) -> _Check:
    return lambda value: isinstance(value, list) and all(map(check, value))


def _texts(value: Any) -> bool:
    return isinstance(value, dict) and all(map(_text, value.values()))


def _object(kind: str) -> _Check:
    def check(value: Any) -> bool:
        _read(kind, value)
        return True

    return check


_BUDGET: dict[str, _Check] = {"epsilon": _exact, "delta": _exact}
_PROTECTED: dict[str, _Check] = {"unit": _unit, "neighbours": NEIGHBOURS.__contains__}
_FIELDS: dict[str, dict[str, _Check]] = {
    "report": {
        "format": _text,
        "title": _text,
        **_BUDGET,
        "answers": lambda value: bool(value) and _list(_object("answer"))(value),
        "ledger": _or_none(_object("ledger")),
        "headings": _list(_object("heading")),
        "mechanisms": _texts,
        "sha256": _text,
    },
    "answer": {
        "query": _text,
        "answers": _list(_object("number")),
        "confidence": _number,
        **_BUDGET,
        **_PROTECTED,
        "why": _text,
        "noise": _text,
        "notes": _list(_text),
        "mechanisms": _list(_text),
        "charge": _or_none(_count),
        "statements": _list(_object("statement")),
        "batch": _text,
    },
    "number": {
        "key": _text,
        "value": _number,
        "low": _or_none(_number),
        "high": _or_none(_number),
        "shown": _list(_text),
    },
    "statement": {
        "question": _text,
        **_PROTECTED,
        **_BUDGET,
        "why": _text,
        "how": WAYS.__contains__,
        "groups": _count,
        "steps": _count,
        "most": _count,
        "releases": _list(_object("release")),
    },
    "release": {"part": _text, "moved": _exact, "divided_by": _exact, "mechanism": _text},
    "heading": {"heading": _text, "by": _text, "words": _text},
    "ledger": {
        "epsilon": _part,
        "delta": _part,
        "composition": _text,
        "spent_epsilon": _part,
        "spent_delta": _part,
        "left_epsilon": _part,
        "left_delta": _part,
        "charges": _count,
        "created": _text,
        "closed": _or_none(_text),
        "protects": _text,
    },
}


def read_report(raw: Any) -> None:
    """`FormatError` unless every field of a report is there, as the tool writes it, and no other.

    What they say together is what `check_report` looks at.
    """
    _read("report", raw)


def _read(kind: str, raw: Any) -> None:
    fields = _FIELDS[kind]
    found = raw
    if kind == "statement" and isinstance(raw, dict) and raw.get("how") == DRAWN:
        blocks_of(raw)
        if not raw.get("releases"):
            raise FormatError("a statement of one draw lacks its numbers")
        found = {name: value for name, value in raw.items() if name != "blocks"}
    if not isinstance(found, dict) or {*found} != {*fields}:
        raise FormatError(f"{kind} of a report: other fields than {' '.join(fields)}")
    for name, check in fields.items():
        if not check(found[name]):
            raise FormatError(f'{kind} of a report: "{name}" is not as this tool writes it')
