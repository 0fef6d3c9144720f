"""The options that state a design problem, each declared once; commands name those that they take.

An option has the name of the argument of `design` that it becomes, but for the constraints, which
become one list. `arguments_of` turns what was typed into the arguments of `design`.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from ..errors import ArgumentError
from ..losses import PIECEWISE_FILE, TYPED
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
from ..problem.shape import Cube, Shape, Sparse
from .workload import HELP as WORKLOAD_HELP
from .workload import workload_of

C = TypeVar("C", bound=Callable[..., None])

SENSITIVITY_HELP = (
    "Required. The most that the query can change between neighboring tables: 1 for a count; "
    "(high - low) / n for a mean of n values in [low, high] where one row is replaced."
)
GAP_HELP = (
    "Relative optimality gap to reach [default: 1e-3; with --dimension 3e-3, with --gdp up to "
    "5e-3, with --bounds 1e-2, with --bounds and --gdp 5e-2]."
)
LOSS_HELP = f"{', '.join(TYPED)} or piecewise:FILE, where FILE holds {PIECEWISE_FILE}."


def text(words: str, metavar: str | None = None) -> Any:
    """An option that takes words, or is not given."""
    return Annotated[str | None, typer.Option(help=words, metavar=metavar)]


def _pair(words: str, metavar: str = "LOW HIGH") -> Any:
    return Annotated[tuple[str, str] | None, typer.Option(help=words, metavar=metavar)]


def flag(name: str, words: str) -> Any:
    """An option without a value."""
    return Annotated[bool, typer.Option(f"--{name}", help=words)]


#: The options below each heading of a long help text; others stand below "Options".
HEADINGS: dict[str, tuple[str, ...]] = {
    "Privacy": (
        *("epsilon", "delta", "within", "profile", "gdp", "zcdp", "failure", "releases"),
        *("rests_on", "neighbors", "unit", "max_rows_per_group", "max_groups", "ledger", "name"),
    ),
    "Query": (
        *("sensitivity", "low", "high", "by", "keys", "group_size", "where", "nulls", "interval"),
        *("rows", "loss", "integer", "dimension", "shape", "one_sided", "workload", "bounds"),
        *("prior", "output_step"),
    ),
    "Constraints on the noise": (
        *("max_error", "monotone", "support", "symmetric", "unimodal", "unbiased"),
        *("distinguishing", "loss_at_most", "instance_bound"),
    ),
    "Search": ("gap", "time_limit", "resolution", "core"),
    "CSV files": ("delimiter", "decimal", "thousands", "dates", "encoding", "line_breaks"),
    "Excel files": ("sheet", "header"),
    "Files to write": ("report", "title", "csv", "excel", "imprecise", "out", "about", "plot"),
}
#: What can be asked, in the order of the help text: the option and its default.
OPTIONS: dict[str, tuple[Any, Any]] = {
    "epsilon": (text("Privacy budget epsilon, from 0 to 15.", "NUMBER"), None),
    "delta": (text("Privacy budget delta, at least 0 and below 1.", "NUMBER"), None),
    "sensitivity": (text(SENSITIVITY_HELP, "NUMBER"), None),
    "loss": (Annotated[str, typer.Option(help=LOSS_HELP, metavar="LOSS")], "l1"),
    "gap": (text(GAP_HELP, "NUMBER"), None),
    "integer": (flag("integer", "Integer noise, for integer queries."), False),
    "dimension": (text("Noise for a vector of D numbers; --sensitivity is Euclidean.", "D"), None),
    "shape": (
        text(
            "What one person can change of several numbers: cube:K[:WIDTH] or sparse:D:M[:WIDTH].",
            "SHAPE",
        ),
        None,
    ),
    "one_sided": (
        flag("one-sided", "With --shape: neighboring tables differ by one row added or removed."),
        False,
    ),
    "workload": (text(WORKLOAD_HELP, "W"), None),
    "zcdp": (text("With --workload: a budget of rho-zCDP.", "RHO"), None),
    "neighbors": (
        text("With --workload: add-remove or replace [default: add-remove].", "RELATION"),
        None,
    ),
    "bounds": (_pair("Range of the query; the noise may then depend on the value."), None),
    "prior": (
        text("With --bounds: uniform, or a JSON file with a public prior.", "uniform|FILE"),
        None,
    ),
    "instance_bound": (
        text(
            "With --bounds: the largest expected loss at any value; of another loss: "
            "--loss-at-most.",
            "NUMBER",
        ),
        None,
    ),
    "max_error": (text("Largest error that a release may have.", "T"), None),
    "monotone": (
        flag(
            "monotone",
            "Noise whose density falls away from 0; with --bounds: answers that grow with the "
            "value.",
        ),
        False,
    ),
    "core": (_pair("With wide --bounds: the part of the range with its own probabilities."), None),
    "support": (_pair("Bounded noise in [LOW, HIGH]; 'none' for an open end."), None),
    "symmetric": (flag("symmetric", "Symmetric noise."), False),
    "unimodal": (text("Noise with one mode, at AT.", "AT"), None),
    "unbiased": (flag("unbiased", "Noise with mean exactly 0."), False),
    "distinguishing": (
        text(
            "Largest probability of answers that a neighboring table never gives: the budget 15:Q.",
            "Q",
        ),
        None,
    ),
    "loss_at_most": (_pair("Largest value of a second expected loss.", "LOSS BOUND"), None),
    "profile": (
        Annotated[
            list[str] | None,
            typer.Option(metavar="EPS:DELTA", help="A further budget to satisfy; repeatable."),
        ],
        None,
    ),
    "gdp": (text("A budget of mu-GDP in place of epsilon and delta.", "MU"), None),
    "releases": (text("Number of releases that share the budget.", "K"), None),
    "output_step": (text("Round releases to multiples of STEP.", "STEP"), None),
    "time_limit": (text("Time limit in seconds.", "SECONDS"), None),
    "resolution": (text("Cells per sensitivity of the discretized problem.", "N"), None),
}


def takes(
    *names: str, required: tuple[str, ...] = (), options: dict[str, tuple[Any, Any]] = OPTIONS
) -> Callable[[C], C]:
    """Give a command these options before its own; it receives them as `**given`."""

    def dress(command: C) -> C:
        parameters = signature(command, eval_str=True).parameters.values()
        shared = [
            Parameter(
                name,
                Parameter.KEYWORD_ONLY,
                annotation=options[name][0],
                default=Parameter.empty if name in required else options[name][1],
            )
            for name in names
        ]
        kept = [
            parameter.replace(kind=Parameter.KEYWORD_ONLY)
            for parameter in parameters
            if parameter.name != "given"
        ]
        every = [*shared, *kept]
        command.__signature__ = Signature(every)  # type: ignore[attr-defined]
        command.__annotations__ = {parameter.name: parameter.annotation for parameter in every}
        return command

    return dress


def arguments_of(given: dict[str, Any]) -> dict[str, Any]:
    """The arguments of `design` that the options mean; what was not given is left out."""
    arguments = {name: value for name, value in given.items() if value not in (None, False)}
    if "shape" in arguments or "one_sided" in arguments:
        arguments |= {"sensitivity": _shape(arguments)}
        del arguments["shape"]
        arguments.pop("one_sided", None)
    if "workload" in arguments:
        arguments["workload"] = workload_of(arguments["workload"])
        if arguments["loss"] == "l1":  # what the option is where nobody says
            del arguments["loss"]
    ranged = "bounds" in arguments
    constraints = _constraints(arguments, ranged)
    if constraints:
        arguments["constraints"] = constraints
    for name in ("resolution", "releases", "dimension"):
        if name in arguments:
            arguments[name] = whole_of(name, arguments[name])
    if "profile" in arguments:
        arguments["profile"] = [budget_of(words) for words in arguments["profile"]]
    if arguments.get("prior", "uniform") != "uniform":
        arguments["prior"] = _prior_file(arguments["prior"])
    return arguments


def _shape(arguments: dict[str, Any]) -> Shape:
    """The sensitivity that --shape and --one-sided mean."""
    if "shape" not in arguments:
        raise ArgumentError("one_sided", True, "left out without --shape")
    if "sensitivity" in arguments:
        raise ArgumentError("sensitivity", arguments["sensitivity"], "left out with --shape")
    kind, *sizes = arguments["shape"].split(":")
    counts = {"cube": 1, "sparse": 2}.get(kind, 0)
    if not counts or not counts <= len(sizes) <= counts + 1:
        allowed = "cube:K, cube:K:WIDTH, sparse:D:M or sparse:D:M:WIDTH"
        raise ArgumentError("shape", arguments["shape"], allowed)
    numbers = [whole_of("shape", size) for size in sizes[:counts]]
    made: Callable[..., Shape] = Cube if kind == "cube" else Sparse
    return made(*numbers, *sizes[counts:], one_sided="one_sided" in arguments)


def _constraints(arguments: dict[str, Any], ranged: bool) -> list[Demand]:
    """Take the options of constraints out, in the order of the help text.

    On a range `max_error` and `monotone` are arguments of `design` itself.
    """
    made: dict[str, Callable[[Any], Demand]] = {
        "support": lambda ends: Support(*(None if end == "none" else end for end in ends)),
        "symmetric": lambda _: Symmetric(),
        "unimodal": Unimodal,
        "unbiased": lambda _: Unbiased(),
        "distinguishing": Distinguishing,
        "loss_at_most": lambda pair: LossAtMost(*pair),
    }
    if not ranged:
        made |= {"max_error": MaxError, "monotone": lambda _: Monotone()}
    constraints = []
    for name in [name for name in OPTIONS if name in arguments and name in made]:
        try:
            constraints.append(made[name](arguments.pop(name)))
        except ArgumentError as error:  # about an argument of the constraint: t, low, high
            raise ArgumentError(name, error.value, error.allowed, error.words) from None
    return constraints


def budget_of(words: str) -> tuple[str, str]:
    epsilon, colon, delta = words.partition(":")
    if not colon:
        raise ArgumentError("profile", words, "EPS:DELTA, such as 1:0.01")
    return epsilon, delta


def whole_of(name: str, value: str) -> int:
    """An integer."""
    try:
        return int(value)
    except ValueError:
        raise ArgumentError(name, value, "a positive integer") from None


def _prior_file(path: str) -> Any:
    """A histogram, or a list of public samples."""
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ArgumentError("prior", path, f'"uniform" or a readable JSON file ({error})') from None
