"""What designs of every kind share: their bracket in floats and words, and writing their file."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from html import escape
from pathlib import Path
from typing import Any, Protocol

from .errors import ContradictionError
from .exact import nearest_float, text_of


class Bracketed(Protocol):
    """Anything with exact bounds."""

    @property
    def lower(self) -> Fraction:
        """At most the optimum."""

    @property
    def upper(self) -> Fraction:
        """At least the optimum."""


def gap_of(document: Bracketed) -> float:
    """(upper - lower) / lower, rounded up; infinite without a positive lower bound."""
    if document.lower <= 0:
        return math.inf
    return float_towards((document.upper - document.lower) / document.lower, math.inf)


def printable(key: str) -> str:
    """A key as one line of signs: what a terminal could take for a command is escaped."""
    if key.isprintable():
        return key
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in key)


def escaped(text: str) -> str:
    """A text for HTML: no command of it, and no sign that turns what stands beside it around."""
    return escape(printable(text))


def bare_unit(unit: str) -> str:
    """The name of a privacy unit alone: "patient" of "privacy unit patient"."""
    return unit.removeprefix("privacy unit ")


def ordered(lower: Fraction, upper: Fraction, exact: bool) -> tuple[Fraction, Fraction]:
    """(lower, upper), in order. `ContradictionError` if exact bounds exclude each other.

    Nothing is clipped: where both are exact, a lower bound above an upper one means that a proof
    is wrong. Two estimates may cross, and then what lies between them is the estimate.
    """
    if lower <= upper:
        return lower, upper
    if exact:
        raise ContradictionError(text_of(lower), text_of(upper))
    return upper, lower


#: A probability below this is not worth a line in a table or a legend.
NEGLIGIBLE = 1e-9
#: What stands behind a bracket that the checker has not proven, in every picture and sentence.
UNPROVEN = "an estimate, not proven"


def proven_words(certified: bool) -> str:
    """What follows a bracket: nothing if it is proven."""
    return "" if certified else f" ({UNPROVEN})"


def outwards(value: float, digits: int, up: bool) -> str:
    """A bound in so many digits, rounded to its safe side: what is printed is a bound, too."""
    if value == 0 or not math.isfinite(value):
        return f"{value:g}"
    rounded = Context(digits, ROUND_CEILING if up else ROUND_FLOOR).plus(Decimal(value))
    return f"{float(rounded):.{digits}g}"


def bracket_words(
    lower: float, upper: float, certified: bool, digits: int = 7, of: str = "expected loss"
) -> str:
    """A bracket in words, rounded outwards. of: what it is a bracket of."""
    ends = f"{outwards(lower, digits, False)}, {outwards(upper, digits, True)}"
    return f"{of} in [{ends}]{proven_words(certified)}"


def several(count: float, thing: str) -> str:
    """So many things: 1 row, 2 rows, 1.5 rows."""
    return f"{count:g} {thing}{'' if count == 1 else 's'}" if count < 1e6 else f"{count} {thing}s"


def number(value: float | Fraction, digits: int = 6) -> str:
    """A number as people write it, in so many digits: 0.05, 1e-6, 120000."""
    text = f"{float(value):.{digits}g}"
    mantissa, _, power = text.partition("e")
    if not power:
        return text
    return f"{float(text):.0f}" if 0 <= int(power) <= 6 else f"{mantissa}e{int(power)}"


def percent(gap: float) -> str:
    """A gap in words: two digits, rounded up, and none that nobody reads."""
    if math.isinf(gap):
        return "unbounded"
    if 0 < gap < 1e-6:
        return "below 0.0001%"
    # (Nine digits first: 0.1 as a float is a little more than one tenth.)
    rounded = Context(2, ROUND_CEILING).plus(Decimal(f"{100 * gap:.9g}"))
    return f"{number(float(rounded))}%"


def excess_words(excess: float) -> str:
    """What is lost over the best: two decimals below ten percent, else one; or how many times."""
    if math.isinf(excess):
        return "-"
    if excess >= 99:
        return f"{1 + excess:.3g} times"
    share = 100 * excess
    return f"{share:.2f}%" if share < 10 else f"{share:.1f}%"


def interval(support: tuple[float, float]) -> str:
    """A support in words."""
    low, high = support
    if math.isinf(low) and math.isinf(high):
        return "all numbers"
    return f"±{high:.5g}" if low == -high else f"[{low:.5g}, {high:.5g}]"


def float_towards(value: Fraction, direction: float) -> float:
    """The nearest float that is not on the wrong side of `value`; infinite beyond them all."""
    nearest = nearest_float(value)
    if (Fraction(nearest) - value) * (1 if direction < 0 else -1) > 0:
        return math.nextafter(nearest, direction)
    return nearest


def write_whole(path: Path, text: str) -> Path:
    """Write a text file completely or not at all."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        temporary.write_text(text, encoding="utf-8", newline="\n")
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    return path


def gap_words(document: Bracketed, certified: bool) -> str:
    """How far apart the bounds are, in words."""
    return f"gap {percent(gap_of(document))}{proven_words(certified)}"


def plain_json(value: Any) -> Any:
    """What JSON can say: infinities and NaN become null, arrays lists, and paths strings."""
    if isinstance(value, Mapping):
        return {str(name): plain_json(part) for name, part in value.items()}
    if hasattr(value, "tolist"):
        return plain_json(value.tolist())
    if isinstance(value, (list, tuple)):
        return [plain_json(part) for part in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return str(value) if isinstance(value, Path) else value
