"""Losses by name: as a user types them, and as the JSON objects of mechanism files."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from fractions import Fraction
from pathlib import Path
from typing import Any

from ..errors import ArgumentError, Described
from ..exact import rational
from .base import Loss
from .huber import Huber
from .piecewise import L1, Piecewise, Pinball
from .power import L2, Power
from .weighted_sum import WeightedSum

Reader = Callable[[object, str], Fraction]

#: What a mechanism file may hold: kinks and terms of a loss.
MAX_POINTS = 1000
MAX_TERMS = 100

#: What FILE in "piecewise:FILE" holds.
PIECEWISE_FILE = (
    'a JSON object such as {"name": "piecewise", "points": [["0", "0"], ["2", "1"]], '
    '"slopes": ["-1", "3"]}: points [x, c(x)] with x rising, and the slopes before the first '
    "and after the last"
)


@dataclass(frozen=True)
class NamedLoss:
    """A loss that has a name: how it is made, and its words in the web app."""

    make: Callable[..., Loss]
    words: str
    key: str = ""  # of the number that belongs to it, as files call it; empty if it has none
    number: str = ""  # what that number is
    usual: str = ""  # a value to begin with


#: Every loss with a name. Help, errors, files and the web app take their lists from here.
NAMED = {
    "l1": NamedLoss(L1, "absolute error"),
    "l2": NamedLoss(L2, "squared error"),
    "pinball": NamedLoss(
        Pinball,
        "pinball: too low and too high weigh differently",
        "tau",
        "Tau, the fraction of errors that may be too high",
        "0.8",
    ),
    "power": NamedLoss(Power, "a power of the error", "p", "Power", "3"),
    "huber": NamedLoss(Huber, "Huber: squared near 0, linear beyond", "width", "Width", "0.5"),
}
_SYNONYMS = {"absolute": "l1", "squared": "l2"}

#: As people type them: l1, ..., pinball:TAU, ...
TYPED = tuple(f"{name}:{loss.key.upper()}" if loss.key else name for name, loss in NAMED.items())
_OTHER_WORDS = {name: f' (or "{other}")' for other, name in _SYNONYMS.items()}
_NAMES = (
    ", ".join(f'"{name}"{_OTHER_WORDS.get(name, "")}' for name in TYPED)
    + ', "piecewise:FILE" or a loss object'
)
_KEYS = {
    **{name: (loss.key,) if loss.key else () for name, loss in NAMED.items()},
    "piecewise": ("points", "slopes"),
    "sum": ("terms",),
}

#: Names that say which loss is meant; no Python function may take one.
RESERVED = frozenset({*_KEYS, *_SYNONYMS})

# -- what a user types --------------------------------------------------------------------------


def as_loss(loss: str | Loss | Mapping[str, Any]) -> Loss:
    """The loss a user means by a name, a loss object, or the JSON object of a mechanism file."""
    if isinstance(loss, Loss):
        return loss
    if isinstance(loss, Mapping):
        return loss_from_spec(loss)
    if callable(loss):
        raise ArgumentError("loss", loss, _instead_of(loss))
    if not isinstance(loss, str):
        raise ArgumentError("loss", loss, _NAMES)
    name, colon, parameter = loss.strip().partition(":")
    name = _SYNONYMS.get(name.lower(), name.lower())
    if name in NAMED and bool(colon) == bool(NAMED[name].key):
        named = NAMED[name].make(*([parameter] if colon else []))
        return L1() if named == Power(Fraction(1)) else named
    if colon and name == "piecewise":
        return _loss_from_file(parameter)
    meant = _meant(loss)
    raise ArgumentError("loss", loss, f'{_NAMES} (did you mean "{meant}"?)' if meant else _NAMES)


#: What people call a loss elsewhere, letters and digits only, and its name here.
_ALIASES = {
    "l1": "l1",
    "absolute": "l1",
    "abs": "l1",
    "absoluteerror": "l1",
    "mae": "l1",
    "meanabsoluteerror": "l1",
    "l1norm": "l1",
    "l2": "l2",
    "squared": "l2",
    "square": "l2",
    "quadratic": "l2",
    "squarederror": "l2",
    "mse": "l2",
    "rmse": "l2",
    "meansquarederror": "l2",
    "variance": "l2",
    "l2norm": "l2",
    "pinball": "pinball:TAU",
    "quantile": "pinball:TAU",
    "quantileloss": "pinball:TAU",
    "power": "power:P",
    "lp": "power:P",
    "l": "power:P",
    "huber": "huber:WIDTH",
    "piecewise": "piecewise:FILE",
    "piecewiselinear": "piecewise:FILE",
}


def _meant(text: str) -> str | None:
    """The name that a user may have meant, with the number that was given, if any."""
    text = text.strip().lower()[:60]
    split = re.fullmatch(r"(.*?)[\s:=(]*(\d[\d./]*)?\)?", text, re.DOTALL)
    word, number = split.groups() if split else (text, None)
    for said in (text, word):
        close = get_close_matches(re.sub("[^a-z0-9]", "", said), _ALIASES, 1, 0.75)
        if close:
            name, colon, _ = _ALIASES[close[0]].partition(":")
            given = colon and number and name != "piecewise"
            return f"{name}:{number}" if given else _ALIASES[close[0]]
    return None


def _instead_of(function: Callable[..., Any]) -> str:
    """What to write instead of a function, or of a loss that was not called."""
    name = getattr(function, "__name__", "")
    if function in (L1, L2, Pinball) or (isinstance(function, type) and issubclass(function, Loss)):
        return f"a loss object: {name} makes one when called, {name}(...)"
    word = name if name.isidentifier() else "function"
    return f"a loss object: Custom({word}, convex=True), or Custom({word}, lipschitz=...)"


def _loss_from_file(path: str) -> Loss:
    try:
        return loss_from_spec(json.loads(Path(path).read_text(encoding="utf-8")))
    except (OSError, ValueError, RecursionError) as error:
        raise ArgumentError(
            "loss",
            Described(f"piecewise:{path}"),
            f"piecewise:FILE with {PIECEWISE_FILE} ({error})",
        ) from None


# -- what a file holds --------------------------------------------------------------------------


def loss_from_spec(spec: object, number: Reader = rational) -> Loss:
    """The loss that a JSON object of the mechanism file names; `ArgumentError` if it names none.

    `number` reads a quantity; the checker passes a stricter one than `rational`.
    """
    if not isinstance(spec, Mapping) or not isinstance(spec.get("name"), str):
        raise ArgumentError("loss", Described(type(spec).__name__), 'an object with a "name"')
    name = spec["name"]
    if name not in _KEYS:
        raise ArgumentError("loss", name, _NAMES)
    keys = ("name", *_KEYS[name])
    if set(spec) != set(keys):
        raise ArgumentError("loss", name, f"an object with the keys {', '.join(keys)}")
    if name in NAMED:
        return NAMED[name].make(*(number(spec[key], key) for key in _KEYS[name]))
    if name == "piecewise":
        return _piecewise_from_spec(spec["points"], spec["slopes"], number)
    return _sum_from_spec(spec["terms"], number)


def _piecewise_from_spec(points: object, slopes: object, number: Reader) -> Piecewise:
    rows, ends = _pairs(points), _pairs([slopes])
    if rows is None or ends is None or not 1 <= len(rows) <= MAX_POINTS:
        raise ArgumentError(
            "loss", "piecewise", f"up to {MAX_POINTS} points [x, value] and two slopes"
        )
    return Piecewise(
        tuple((number(x, "points"), number(value, "points")) for x, value in rows),
        (number(ends[0][0], "slopes"), number(ends[0][1], "slopes")),
    )


def _sum_from_spec(terms: object, number: Reader) -> WeightedSum:
    rows = _pairs(terms)
    if rows is None or not 1 <= len(rows) <= MAX_TERMS:
        raise ArgumentError("loss", "sum", f"up to {MAX_TERMS} terms [weight, loss]")
    parts: list[tuple[Fraction, Loss]] = []
    points = 0
    for weight, spec in rows:
        if isinstance(spec, Mapping) and spec.get("name") == "sum":
            raise ArgumentError(
                "loss", Described("sum within sum"), "a flat sum: no term is a sum itself"
            )
        part = loss_from_spec(spec, number)
        points += len(part.points) if isinstance(part, Piecewise) else 0
        if points > MAX_POINTS:
            raise ArgumentError("loss", "sum", f"a loss of at most {MAX_POINTS} points in all")
        parts.append((number(weight, "weight"), part))
    return WeightedSum(tuple(parts))


def _pairs(value: object) -> list[Sequence[object]] | None:
    """A list of pairs, or None if it is not that."""
    if not isinstance(value, list | tuple):
        return None
    if not all(isinstance(row, list | tuple) and len(row) == 2 for row in value):
        return None
    return list(value)
