"""What the web app asks of `design`: from the fields of the form to its arguments, and to errors.

Standard library and `leastnoise.problem` only, so that the server can refuse at once what makes no
sense, and a worker builds the very same arguments.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

from ..errors import ArgumentError
from ..exact import rational
from ..losses import NAMED, Loss, Piecewise, as_loss
from ..problem import (
    Demand,
    Distinguishing,
    LossAtMost,
    MaxError,
    Monotone,
    Support,
    Symmetric,
    Unbiased,
    Unimodal,
)
from ..problem.arguments import Arguments, asked

#: The numbers that belong to losses, as errors name them.
_LOSS_NUMBERS = tuple(loss.key for loss in NAMED.values() if loss.key)


def loss_of(form: dict[str, Any]) -> str | Loss:
    """The loss that the form names: its text, or an object for one that was drawn."""
    loss = form["loss"]
    kind = loss["kind"]
    if kind == "piecewise":
        with _naming_fields({"points": "loss.points", "slopes": "loss.slopes"}):
            return Piecewise(tuple(tuple(point) for point in loss["points"]), tuple(loss["slopes"]))
    if not NAMED[kind].key:
        return str(kind)
    with _naming_fields(dict.fromkeys((NAMED[kind].key, "loss"), "loss.parameter")):
        text = f"{kind}:{loss['parameter']}"
        as_loss(text)
    return text


def constraints_of(form: dict[str, Any]) -> list[Demand]:
    """What else the noise must obey, for additive noise, in the order of the form."""
    demands: list[Demand] = []
    low, high = form["support"]
    if low is not None or high is not None:
        with _naming_fields({"low": "support.low", "high": "support.high"}):
            demands.append(Support(low, high))
    if form["max_error"] is not None and form["bounds"] is None:
        with _naming_fields({"t": "max_error"}):
            demands.append(MaxError(form["max_error"]))
    demands += [Monotone()] if form["monotone"] and form["bounds"] is None else []
    demands += [Symmetric()] if form["symmetric"] else []
    demands += [Unbiased()] if form["unbiased"] else []
    if form["unimodal"] is not None:
        with _naming_fields({"at": "unimodal"}):
            demands.append(Unimodal(form["unimodal"]))
    if form["distinguishing"] is not None:
        with _naming_fields({"at_most": "distinguishing"}):
            demands.append(Distinguishing(form["distinguishing"]))
    if form["second_loss"] is not None:
        with _naming_fields(
            {"bound": "second_bound", **dict.fromkeys(("loss", *_LOSS_NUMBERS), "second_loss")}
        ):
            demands.append(LossAtMost(form["second_loss"], form["second_bound"] or ""))
    return demands


def arguments_of(form: dict[str, Any]) -> dict[str, Any]:
    """The arguments of `design`, those that ask for nothing left out."""
    given: dict[str, Any] = {
        "epsilon": form["epsilon"],
        "delta": form["delta"],
        "sensitivity": form["sensitivity"],
        "loss": loss_of(form),
        "integer": form["integer"],
        "constraints": constraints_of(form),
        "gap": form["gap"],
        "time_limit": form["time_limit"],
        "bounds": None if form["bounds"] is None else tuple(form["bounds"]),
        "releases": form["releases"],
        "dimension": form["dimension"],
    }
    if form["bounds"] is not None:
        given |= {"max_error": form["max_error"], "monotone": form["monotone"] or None}
    return {
        name: value
        for name, value in given.items()
        if value is not None and value is not False and value != []
    }


#: Fields that hold a number, or None.
_NUMBERS = (
    "epsilon",
    "delta",
    "sensitivity",
    "max_error",
    "unimodal",
    "distinguishing",
    "second_bound",
    "gap",
)
_SIZES = Fraction(1, 10**30), Fraction(10**30)


def _check_sizes(form: dict[str, Any]) -> None:
    """Refuse numbers that no picture could show: they are slips, or somebody's attempts."""
    loss = form["loss"]
    sized = [(name, form[name]) for name in _NUMBERS]
    sized += [("bounds", end) for end in form["bounds"] or ()]
    sized += [
        (f"support.{k}", end) for k, end in zip(("low", "high"), form["support"], strict=True)
    ]
    sized += [("loss.parameter", loss["parameter"])]
    sized += [("loss.points", value) for point in loss["points"] for value in point]
    sized += [("loss.slopes", slope) for slope in loss["slopes"]]
    for name, value in sized:
        if value is not None:
            size = abs(rational(value, name))
            if size and not _SIZES[0] <= size <= _SIZES[1]:
                raise ArgumentError(name, value, "0, or from 1e-30 to 1e30 in size")


def check(form: dict[str, Any]) -> None:
    """`ArgumentError`, named after a field of the form, for what `design` would refuse at once."""
    _check_sizes(form)
    asked(Arguments(**arguments_of(form)))


@contextmanager
def _naming_fields(names: dict[str, str]) -> Iterator[None]:
    """Errors about these arguments are about these fields."""
    try:
        yield
    except ArgumentError as error:
        if error.name not in names:
            raise
        raise _Renamed(names[error.name], error) from None


class _Renamed(ArgumentError):
    """An error in its own words, about a field of the form."""

    def __init__(self, field: str, error: ArgumentError) -> None:
        Exception.__init__(self, str(error))
        self.name, self.value, self.allowed = field, error.value, error.allowed
        self.words = str(error)
