"""Conditions such as "year = 2024 and region in ('north', 'south')": parsed, never pasted.

The grammar is all there is; whatever is not in it is refused with the place where it stands:

    or:      and ("or" and)*              and:  not ("and" not)*
    not:     "not" not | "(" or ")" | test
    test:    NAME (= | == | != | <> | < | <= | > | >=) VALUE
           | NAME ["not"] "in" "(" VALUE ("," VALUE)* ")"
           | NAME ["not"] "between" VALUE "and" VALUE
           | NAME "is" ["not"] "null"
    NAME:    a word, or any text in "double quotes" or `backticks`
    VALUE:   a number, a text in 'single quotes', true, false

There is no arithmetic and no function, so that a condition is defined for every row. (A parser of
SQL understands more than that: of forty texts that the tests refuse, sqlglot with a list of allowed
nodes takes sixteen, comments and "year = null" among them, and each would want a rule of its own.)
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

from ...errors import ArgumentError

Literal = int | float | str | bool


@dataclass(frozen=True)
class Compare:
    """column operator value"""

    column: str
    operator: str
    value: Literal


@dataclass(frozen=True)
class Flag:
    """column, which must be Boolean: the same as column = true"""

    column: str


@dataclass(frozen=True)
class InValues:
    """column in (values)"""

    column: str
    values: tuple[Literal, ...]


@dataclass(frozen=True)
class IsNull:
    """column is null"""

    column: str


@dataclass(frozen=True)
class Not:
    """not inner"""

    inner: Condition


@dataclass(frozen=True)
class Join:
    """left and right, left or right"""

    word: str
    left: Condition
    right: Condition


Condition = Compare | Flag | InValues | IsNull | Not | Join

_TOKEN = re.compile(
    r"""\s*(?:
    (?P<number>[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?)(?![\w.])
  | '(?P<text>(?:[^']|'')*)'
  | "(?P<quoted>[^"]+)" | `(?P<ticked>[^`]+)`
  | (?P<word>[^\W\d]\w*)
  | (?P<sign><=|>=|<>|!=|==|[=<>(),])
)""",
    re.VERBOSE,
)
_RESERVED = {"and", "or", "not", "in", "is", "null", "between", "true", "false"}
_LONGEST = 10_000
_DEEPEST = 50
_MOST = 200  # of "and" and "or": engines nest them as deep


def parse_condition(text: str, name: str = "where", flag: bool = False) -> Condition:
    """The condition in `text`, or an `ArgumentError` that says where it stops being one.

    flag: whether the name of a Boolean column alone is one.
    """
    if not isinstance(text, str) or not text.strip() or len(text) > _LONGEST:
        raise ArgumentError(name, text, f"a condition of 1 to {_LONGEST} characters")
    parser = _Parser(text, name)
    if flag and len(parser.tokens) == 1:
        return Flag(parser.column())
    return parser.whole()


def columns_of(condition: Condition) -> set[str]:
    """The columns that a condition is about."""
    match condition:
        case Join(_, left, right):
            return columns_of(left) | columns_of(right)
        case Not(inner):
            return columns_of(inner)
        case Compare(name) | Flag(name) | InValues(name) | IsNull(name):
            return {name}


class _Parser:
    def __init__(self, text: str, name: str) -> None:
        self.text, self.name = text, name
        self.tokens: list[tuple[str, str, int]] = []
        at, end = 0, len(text.rstrip())
        while at < end:
            token = _TOKEN.match(text, at)
            if token is None:
                raise self.wrong(at)
            kind = str(token.lastgroup)
            self.tokens.append((kind, token.group(kind), token.start(kind)))
            at = token.end()
        self.at = 0
        self.depth = 0
        joins = sum(
            kind == "word" and word.lower() in ("and", "or") for kind, word, _ in self.tokens
        )
        if joins > _MOST:
            raise ArgumentError(name, text, f'a condition with at most {_MOST} "and" and "or"')

    def wrong(self, place: int) -> ArgumentError:
        allowed = "a condition such as year = 2024 and region in ('north', 'south')"
        alone = len(self.tokens) == 1 and place >= len(self.text.rstrip())
        if alone and self.tokens[0][0] in ("word", "quoted", "ticked"):
            hint = f"to count rows where a Boolean column is true, write {self.text.strip()} = true"
        else:
            quoted = "" if "'" in self.text else "; strings stand in 'single quotes'"
            hint = f"not understood from character {place + 1} on{quoted}"
        return ArgumentError(self.name, self.text, f"{allowed} ({hint})")

    def peek(self) -> tuple[str, str, int]:
        if self.at < len(self.tokens):
            return self.tokens[self.at]
        return "end", "", len(self.text)

    def take(self, *wanted: str) -> bool:
        """Step over a reserved word or a sign."""
        kind, value, _ = self.peek()
        if kind in ("word", "sign") and value.lower() in wanted:
            self.at += 1
            return True
        return False

    def need(self, wanted: str) -> None:
        if not self.take(wanted):
            raise self.wrong(self.peek()[2])

    def whole(self) -> Condition:
        condition = self.either()
        if self.at < len(self.tokens):
            raise self.wrong(self.peek()[2])
        return condition

    def either(self) -> Condition:
        condition = self.both()
        while self.take("or"):
            condition = Join("or", condition, self.both())
        return condition

    def both(self) -> Condition:
        condition = self.negated()
        while self.take("and"):
            condition = Join("and", condition, self.negated())
        return condition

    def negated(self) -> Condition:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise self.wrong(self.peek()[2])
        if self.take("not"):
            condition: Condition = Not(self.negated())
        elif self.take("("):
            condition = self.either()
            self.need(")")
        else:
            condition = self.test()
        self.depth -= 1
        return condition

    def test(self) -> Condition:
        column = self.column()
        if self.take("is"):
            flipped = self.take("not")
            self.need("null")
            return Not(IsNull(column)) if flipped else IsNull(column)
        flipped = self.take("not")
        condition: Condition
        if self.take("in"):
            self.need("(")
            values = [self.literal()]
            while self.take(","):
                values.append(self.literal())
            self.need(")")
            condition = InValues(column, tuple(values))
        elif self.take("between"):
            low = self.literal()
            self.need("and")
            condition = Join(
                "and", Compare(column, ">=", low), Compare(column, "<=", self.literal())
            )
        else:
            kind, sign, place = self.peek()
            if flipped or kind != "sign" or sign in "(),":
                raise self.wrong(place)
            self.at += 1
            sign = {"==": "=", "<>": "!="}.get(sign, sign)
            return Compare(column, sign, self.literal())
        return Not(condition) if flipped else condition

    def column(self) -> str:
        kind, value, place = self.peek()
        plain = kind == "word" and value.lower() not in _RESERVED
        if not plain and kind not in ("quoted", "ticked"):
            raise self.wrong(place)
        self.at += 1
        return value

    def literal(self) -> Literal:
        kind, value, place = self.peek()
        self.at += 1
        if kind == "number":
            number = Decimal(value)
            if number == number.to_integral_value() and abs(number) < 2**63:
                return int(number)
            if abs(number) < Decimal("1e300"):
                return float(value)
        elif kind == "text":
            return value.replace("''", "'")
        elif kind == "word" and value.lower() in ("true", "false"):
            return value.lower() == "true"
        raise self.wrong(place)
