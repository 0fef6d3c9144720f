"""All arguments of `design`, checked once, before anything is dispatched.

`asked` returns an `Asked`: the frozen question, and how to search. Whatever makes no sense is
refused here with an `ArgumentError` that names the argument.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..errors import ArgumentError
from ..exact import rational
from ..losses import as_loss
from .budgets import check_releases, refuse_too_many, total_budget
from .combinations import refuse_combinations
from .demands import check_constraints
from .domain import (
    DependentOptions,
    core_of,
    cuts_of,
    outputs_of,
    question_of,
    refuse_many,
    refuse_options,
    refuse_pure,
    with_constraints,
)
from .privacy import Releases
from .question import Question
from .values import (
    check_dimension,
    check_gap,
    check_progress,
    check_resolution,
    check_sizes,
    check_time_limit,
    stated_sensitivity,
)

#: Gaps that are asked for if nobody says which: additive, with a range, with a curve on a range,
#: for a vector.
_GAP, _GAP_OF_RANGE, _GAP_OF_CURVE, _GAP_OF_VECTOR = 1e-3, 1e-2, 5e-2, 3e-3
#: Without a time limit a search ends after so many seconds; on a range.
_SECONDS, _LONGEST = 60.0, 600.0
#: The same for a vector.
_LONGEST_OF_VECTOR = 60.0
#: Arguments whose numbers must be of a size that floats can steer by.
_SIZED = (
    *("epsilon", "delta", "output_step", "bounds", "profile", "time_limit"),
    *("instance_bound", "max_error", "core", "outputs", "crossing"),
)
#: The finest mesh of a range that may be asked for.
_MOST_CELLS = 256


@dataclass(frozen=True)
class Asked:
    """A question and how to search for its answer.

    `total` is the budget of several releases (the question's epsilon and delta are then that
    total). The rest is for a range: which answers are allowed, whether a value may be answered
    with itself, where one noise ends and the next begins, and the whole of a wide range whose
    core the question is about.
    """

    question: Question
    gap: float
    time_limit: float | None
    resolution: int | None
    progress: Callable[[Any], None] | bool | None
    total: Releases | None = None
    outputs: tuple[Fraction, ...] | None = None
    exact_answers: bool = True
    cuts: tuple[Fraction, ...] | None = None
    wide: tuple[Fraction, Fraction] | None = None


def asked(arguments: dict[str, Any], options: DependentOptions) -> Asked:
    """What the arguments of `design` mean; `options` are those that need bounds."""
    values = dict(arguments)
    gap, limit, progress = (values.pop(name) for name in ("gap", "time_limit", "progress"))
    resolution, releases, bounds = (
        values.pop(name) for name in ("resolution", "releases", "bounds")
    )
    for name, value in {**arguments, **options}.items():
        if name in _SIZED:
            check_sizes(name, value)
    dimension = check_dimension(values.pop("dimension"))
    integer = _flag("integer", values["integer"])
    check_progress(progress)
    count = 1 if releases is None else check_releases(releases)
    demands = check_constraints(values["constraints"], integer and bounds is None)
    values |= {"integer": integer, "constraints": demands}
    refuse_options(options, arguments, bounds is not None)
    values["sensitivity"] = stated_sensitivity(values["sensitivity"])
    values["loss"] = as_loss(values["loss"])
    check_sizes("loss", _numbers_of(values["loss"].spec()))
    if bounds is not None:
        options = with_constraints(demands, values["loss"], options)
    refuse_combinations(
        {
            "resolution": resolution,
            "bounds": bounds,
            "releases": count if count > 1 else None,
            **{name: values[name] for name in ("integer", "profile", "gdp", "output_step")},
            "constraints": demands or None,
            "dimension": dimension if dimension > 1 else None,
            **options,
        }
    )
    total = None if count == 1 else total_budget(count, values["epsilon"], values["delta"])
    usual = _GAP if dimension == 1 else _GAP_OF_VECTOR
    if bounds is not None:
        usual = _GAP_OF_RANGE if values["gdp"] is None else _GAP_OF_CURVE
    wanted = float(check_gap(usual if gap is None else gap))
    seconds, cells = check_time_limit(limit), check_resolution(resolution)
    if bounds is not None:
        more = _ranged(values, bounds, options, cells)
        return Asked(
            gap=wanted,
            time_limit=seconds or _LONGEST,
            resolution=cells,
            progress=progress,
            total=total,
            **more,
        )
    if dimension > 1:
        vector = {name: values[name] for name in ("epsilon", "delta", "sensitivity", "loss")}
        question = Question.of_vector(dimension=dimension, **vector)
        return Asked(question, wanted, seconds or _LONGEST_OF_VECTOR, None, progress)
    if total is not None:
        refuse_too_many(total)
    return Asked(Question.of(**values), wanted, seconds or _SECONDS, cells, progress, total)


def _ranged(
    values: dict[str, Any], bounds: Any, options: DependentOptions, cells: int | None
) -> dict[str, Any]:
    """What is asked about a range: the question, and how its answers may look."""
    # What can be read only once is read here.
    given: dict[str, Any] = {
        k: list(v) if isinstance(v, Iterator) else v for k, v in options.items()
    }
    prior, crossing = given.get("prior", "uniform"), given.get("crossing")
    integer, outputs = values["integer"], given.get("outputs")
    core = core_of(given.get("core"), bounds, values["sensitivity"], integer, prior, crossing)
    step = values["output_step"]
    if core is not None:  # chosen for a range so wide, if nobody asked for one
        refuse_combinations(
            {
                "bounds": bounds,
                "core": core,
                "integer": integer,
                "resolution": cells,
                "output_step": step,
                **given,
            }
        )
    question = question_of(
        bounds=bounds if core is None else core,
        prior=prior,
        crossing=crossing,
        monotone=_flag("monotone", given.get("monotone", False)),
        instance_bound=given.get("instance_bound"),
        max_error=given.get("max_error"),
        **{
            name: values[name]
            for name in ("epsilon", "delta", "sensitivity", "loss", "integer", "profile", "gdp")
        },
    )
    if cells is not None and cells > _MOST_CELLS:
        raise ArgumentError("resolution", cells, f"at most {_MOST_CELLS} cells of the range")
    found: dict[str, Any] = {
        "question": question,
        "outputs": outputs_of(outputs, step, question),
        "exact_answers": _flag("exact_answers", given.get("exact_answers", True)),
    }
    regions = given.get("regions")
    if core is not None:
        refuse_pure(question, "core")
        found["wide"] = tuple(rational(end, "bounds") for end in bounds)
    elif regions is not None:
        refuse_many(bounds, integer)
        refuse_pure(question, "regions")
        found["cuts"] = cuts_of(regions, question)
    return found


def _numbers_of(spec: object) -> list[Any]:
    """The numbers in the JSON object of a loss."""
    if isinstance(spec, dict):
        return [_numbers_of(one) for name, one in spec.items() if name != "name"]
    if isinstance(spec, (list, tuple)):
        return [_numbers_of(one) for one in spec]
    return [spec]


def _flag(name: str, value: object) -> bool:
    # (NumPy has a bool of its own.)
    if not isinstance(value, bool) and type(value).__name__ not in ("bool_", "bool"):
        raise ArgumentError(name, value, "True or False")
    return bool(value)
