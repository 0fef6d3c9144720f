"""Every error a user of leastnoise can meet."""

from __future__ import annotations

import re
from decimal import Decimal
from numbers import Number
from typing import Any


class LeastnoiseError(Exception):
    """Base class: catching it catches everything this package raises on purpose.

    Guarantee: no message holds a value of the data.

    Example: catch everything that the package raises on purpose.

        >>> try:
        ...     design(epsilon=-1, delta=0, sensitivity=1)
        ... except LeastnoiseError as error:
        ...     print(type(error).__name__)
        ArgumentError
    """


class Described(str):
    """What was given, in words: an `ArgumentError` prints it without quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


class ArgumentError(LeastnoiseError, ValueError):
    """An argument is outside what is allowed; the message gives name, value and what is allowed.

    `allowed` completes the sentence "NAME must be ..."; reasons follow a colon. Where that is no
    good sentence, `words` are the whole message.

    Guarantee: no budget was spent and no noise was drawn.

    Example: the name of the argument.

        >>> try:
        ...     design(epsilon=-1, delta=0, sensitivity=1)
        ... except ArgumentError as error:
        ...     print(error.name, error.value)
        epsilon -1
    """

    def __init__(self, name: str, value: object, allowed: str, words: str = "") -> None:
        self.name = name
        self.value = value
        self.allowed = allowed
        self.words = words
        super().__init__(words or self.sentence(name))

    def sentence(self, name: str) -> str:
        """The message, with this name for the argument."""
        if self.words:
            return self.words
        rule, reason = _REASON.fullmatch(self.allowed).groups()  # type: ignore[union-attr]
        silent = self.value is None or rule.startswith(("left out", "given"))
        got = "" if silent else f", got {_printed(self.value)}"
        return f"{name} must be {rule}{got}{reason or ''}"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.name, self.value, self.allowed, self.words)


#: A rule, and the reason for it: the first colon behind a word or a bracket parts them.
_REASON = re.compile(r"(.*?)((?<=[\w)\]]): .*)?", re.DOTALL)


def _printed(value: object) -> str:
    """A value as a user writes it, cut after 80 characters."""
    try:
        shown = str(value) if isinstance(value, (Number, Decimal)) else repr(value)
    except ValueError:  # an integer too long to print
        shown = f"a {type(value).__name__} of very many digits"
    return shown if len(shown) <= 80 else shown[:77] + "..."


class UnknownArgumentError(ArgumentError):
    """There is no such argument; the message says which one was probably meant."""

    def __init__(self, name: str, value: object, allowed: str, words: str = "") -> None:
        super().__init__(name, value, allowed, words or allowed)


class DataError(ArgumentError):
    """A value to be protected cannot be released. It is neither printed nor kept: the message gives
    the argument's name, the type of what was given, and what is allowed."""

    def __init__(self, name: str, kind: type | str, allowed: str) -> None:
        word = kind if isinstance(kind, str) else _type_name(kind)
        Exception.__init__(self, f"{name} must be {allowed}, got {word} (not shown: it is data)")
        self.name = name
        self.value = word
        self.allowed = allowed
        self.words = str(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.name, self.value, self.allowed)


def _type_name(kind: type) -> str:
    home = kind.__module__.partition(".")[0]
    name = kind.__name__ if home == "builtins" else f"{home}.{kind.__name__}"
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"


class RegimeError(LeastnoiseError, ValueError):
    """A closed-form mechanism was asked for a budget for which it is not private.

    Guarantee: no mechanism is returned that is not private.

    Example: the classic Gaussian formula is proven for epsilon up to 1.

        >>> from leastnoise.baselines import Gaussian
        >>> try:
        ...     Gaussian(epsilon=2, delta=1e-6, sensitivity=1)
        ... except RegimeError:
        ...     print("its formula holds up to epsilon 1")
        its formula holds up to epsilon 1
    """


class ScaleError(LeastnoiseError, ValueError):
    """The numbers of a design problem are too far apart in size for the search."""

    def __init__(self) -> None:
        super().__init__(
            "the numbers of this problem are too far apart in size to search for noise: bring "
            "sensitivity, bounds and the numbers of the loss closer together"
        )


class FormatError(LeastnoiseError, ValueError):
    """A mechanism file is malformed; nothing in it has been believed.

    Example: a file that is no mechanism file.

        >>> from pathlib import Path
        >>> _ = Path("broken.json").write_text("{}")
        >>> try:
        ...     load("broken.json")
        ... except FormatError:
        ...     print("malformed")
        malformed
    """


class LimitError(FormatError):
    """A mechanism file asks for more work than its checker does; nothing in it is believed."""


class CertificateError(LeastnoiseError):
    """The exact checker refuted something the engine was about to return; nothing is returned.

    Guarantee: nothing of which a claim is refuted is returned.

    Example: a file that claims more privacy than its noise has.

        >>> from pathlib import Path
        >>> best = design(epsilon=1, delta=0, sensitivity=1, integer=True)
        >>> text = best.save("count.json").read_text()
        >>> _ = Path("count.json").write_text(text.replace('"epsilon": "1"', '"epsilon": "1/2"'))
        >>> try:
        ...     load("count.json")
        ... except CertificateError:
        ...     print("refuted")
        refuted
    """


class ContradictionError(CertificateError):
    """Two exact results exclude each other: a fault of this package, and nothing is returned.

    Guarantee: nothing is returned.

    Example: please report it: it is a fault of this package.

        >>> issubclass(ContradictionError, LeastnoiseError)
        True
    """

    def __init__(self, lower: object, upper: object) -> None:
        self.lower = lower
        self.upper = upper
        super().__init__(
            f"internal contradiction: a proven lower bound of {lower} lies above a proven upper "
            f"bound of {upper}, so one of the two proofs is wrong; nothing is returned. Please "
            "report this with the arguments you gave"
        )

    def __reduce__(self) -> tuple[type, tuple[object, object]]:
        return type(self), (self.lower, self.upper)


def install_command(extra: str) -> str:
    """The command that installs an extra, from the repository where the package runs from one."""
    from pathlib import Path

    if (Path(__file__).parents[2] / "pyproject.toml").exists():
        return f"pip install '.[{extra}]' in the folder of leastnoise's repository"
    return f"pip install 'leastnoise[{extra}]'"


class MissingExtraError(LeastnoiseError, ImportError):
    """An optional dependency is not installed; the message says which extra provides it.

    Example: caught like all the others.

        >>> issubclass(MissingExtraError, LeastnoiseError)
        True
    """

    def __init__(self, package: str, extra: str) -> None:
        self.package = package
        self.extra = extra
        super().__init__(
            f"this needs the package {package!r}, which is not installed: {install_command(extra)}"
        )

    def __reduce__(self) -> tuple[type, tuple[str, str]]:
        return type(self), (self.package, self.extra)


class BudgetError(LeastnoiseError):
    """A ledger rejects a charge: nothing was spent and no noise was drawn.

    Guarantee: nothing was spent, and no row was read.

    Example: a ledger rejects what exceeds its total.

        >>> ledger = Ledger.create("budget.db", epsilon=1)
        >>> try:
        ...     ledger.charge(2, query="count()")
        ... except BudgetError:
        ...     print(float(ledger.balance.spent_epsilon))
        0.0
    """


class LedgerError(LeastnoiseError):
    """A ledger cannot be created, opened or believed.

    Example: a ledger that is not there.

        >>> try:
        ...     Ledger("no-such-ledger.db")
        ... except LedgerError:
        ...     print("no ledger there")
        no ledger there
    """


class EngineError(LeastnoiseError):
    """A table could not be opened; the message holds no value of the data.

    Guarantee: nothing was spent.

    Example: a file that is not what its name says.

        >>> from pathlib import Path
        >>> size = Path("people.parquet").write_text("not Parquet")
        >>> try:
        ...     ask("people.parquet", Count(), epsilon=1)
        ... except EngineError:
        ...     print("not opened")
        not opened
    """


class NotAnsweredError(LeastnoiseError):
    """A query was charged and has no answer. Why is not said: it could depend on the data.

    Guarantee: the error is the same whatever went wrong, and the budget is spent.

    Example: a job that runs every night must not ask again by itself.

        >>> import pandas as pd
        >>> table = pd.DataFrame({"age": [20 + k % 60 for k in range(1000)]})
        >>> try:
        ...     answer = ask(table, Count(), epsilon=1)
        ... except NotAnsweredError:
        ...     answer = None  # the budget is spent
    """

    def __init__(self) -> None:
        super().__init__("not answered; the budget is spent")

    def __reduce__(self) -> tuple[type, tuple[()]]:
        return type(self), ()


class ReleaseWarning(UserWarning):
    """Many values are released at once, each at the whole budget.

    Example: an array is as many releases as it has numbers.

        >>> import warnings
        >>> best = design(epsilon=1, delta=0, sensitivity=1, integer=True)
        >>> with warnings.catch_warnings(record=True) as caught:
        ...     warnings.simplefilter("always")
        ...     _ = best.release([1, 2, 3])
        >>> caught[0].category.__name__
        'ReleaseWarning'
    """
