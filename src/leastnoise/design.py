"""design(...): the best noise for a budget with a certified bracket, a `Design` for every problem.

What is particular to a range, a vector, several numbers or many queries is in the design's noise.
"""

from __future__ import annotations

from dataclasses import replace
from inspect import signature
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Unpack, overload

from .certify import Report, read_and_check
from .certify.base import AnyFile
from .designs.design import Design
from .designs.finished import finished
from .engine.methods import plan_of
from .engine.search import Search
from .errors import ArgumentError, CertificateError, ScaleError
from .exact import Number
from .formatting import gap_words
from .hints import unnamed
from .losses import Loss
from .problem.arguments import (
    Arguments,
    CommonArguments,
    DesignRequest,
    RangeArguments,
    ShapeArguments,
    WorkloadArguments,
    asked,
)
from .problem.shape import Ball, Shape
from .problem.shape_arguments import shaped
from .problem.workload import Workload
from .problem.workload_arguments import workloaded

if TYPE_CHECKING:
    from .noise.additive import AdditiveNoise
    from .noise.joint import JointNoise
    from .noise.ranged import RangeNoise
    from .noise.vector import VectorNoise
    from .noise.workload import WorkloadNoise


@overload
def design(
    *, bounds: None = None, dimension: None = None, **given: Unpack[CommonArguments]
) -> Design[AdditiveNoise]: ...


@overload
def design(
    *, bounds: tuple[Number, Number], **given: Unpack[RangeArguments]
) -> Design[RangeNoise]: ...


@overload
def design(*, sensitivity: Shape, **given: Unpack[ShapeArguments]) -> Design[JointNoise]: ...


@overload
def design(*, workload: Workload, **given: Unpack[WorkloadArguments]) -> Design[WorkloadNoise]: ...


@overload
def design(
    *, dimension: int, **given: Unpack[CommonArguments]
) -> Design[AdditiveNoise] | Design[VectorNoise]: ...


def design(*args: object, **given: Any) -> Design[Any]:
    """The noise with the least expected loss that (epsilon, delta)-DP allows.

    Returns a `Design` with the noise, and with proven bounds: `upper` on the expected loss of this
    noise, `lower` on that of every mechanism of the class that docs/optimal.md names. When
    `converged`, (upper - lower) / lower is at most `gap`. Floats mean their shortest decimal: 0.2
    is one fifth.

    Guarantee: one release is (epsilon, delta)-DP if neighboring datasets change the value by at
    most `sensitivity`. Privacy and both bounds are checked in exact arithmetic before the design
    is returned. Nothing checks the sensitivity: if it is too small, the release is not private.

    Example: a mean that one person can move by at most 200.

        >>> best = design(epsilon=1, delta=1e-6, sensitivity=200)
        >>> print(best)
        Design(epsilon=1, delta=1e-6, sensitivity=200, loss=l1): expected loss in
        [191.8695, 191.9004], gap 0.017%
        >>> answer = best.release(64_400)  # private: publish it, once

    epsilon, delta: the budget of one release; 0 <= epsilon <= 15, 0 <= delta < 1, not both 0.
    sensitivity: the most that the query can change between neighboring datasets; it must be
        stated, because privacy rests on it. An integer if `integer`, which asks for noise on
        the integers.
    loss: "l1", "l2", "pinball:0.8", "power:3", "huber:0.5", "piecewise:FILE", or a loss object.
    gap: 1e-3 if None, 5e-3 with `gdp` and a loss other than "l2" (unless `integer`), or 1e-2 with
        `bounds` (5e-2 if there is a curve, too).
    time_limit: seconds, 60 if None (600 with `bounds`); the best bracket so far is then returned
        with `converged=False`. Ctrl-C raises KeyboardInterrupt, whose attribute `design` is the
        best so far, if there was one.
    resolution: cells per sensitivity (of the range, with `bounds`); chosen by the engine if None.
    progress: True for a line that moves, or a function that is called with a `Progress`.
    bounds: (low, high), public, with further options that `design_dependent` explains: `prior`,
        `instance_bound`, `max_error`, `outputs`, `crossing`, `exact_answers`, `monotone`,
        `core`.
    constraints: what else the noise must obey, such as `Support(-2, 2)` or `Monotone()`; the
        lower bound is then over noise that obeys it too. With `bounds`: `MaxError`, and
        `LossAtMost` for the loss itself.
    profile: further budgets [(epsilon, delta), ...] to satisfy at the same time; epsilon and delta
        may then be left out.
    gdp: mu; the noise is then mu-GDP and composes like Gaussian noise: k releases together are
        sqrt(k) mu-GDP.
    releases: how many releases epsilon and delta are to last for. The noise comes from a search
        over privacy profiles and need not be the best; the lower bound is over all noise (with
        `bounds`: an equal share or a Gaussian curve, and the bound is over such noise).
    output_step: releases are then multiples of it; the sensitivity must be one too, unless there
        are `bounds`. What rounding any value to such a grid costs is part of `upper`.
    dimension: how many numbers are released together, 1 to 1,000. From 2 on the noise is a
        `VectorNoise`: the sensitivity is then the largest Euclidean distance between the vectors of
        neighboring datasets, and the loss one of the norm of the error. The gap is 3e-3 and the
        time limit 60 seconds, if None.
    sensitivity may also be a shape, for several numbers released together: `Cube(k)` (one unit
        moves each of k numbers by at most 1), `Sparse(dimension=d, max_changed=m)` (at most m of
        d), `Blocks` of such, one-sided where a unit is added or removed; the noise is a
        `JointNoise`, and the loss is the mean over all numbers (`weights`: weighted), or
        loss="largest" that of the largest error. `Ball(d, radius)` says the same as `dimension=d`.
    workload: a `Workload` of many linear queries about one vector of counts; the noise is a
        `WorkloadNoise`. The budget is `gdp`, `zcdp` (rho), or epsilon and delta; the loss "l2", the
        total of all squared errors, or "largest", the largest variance; `neighbors` is
        "add-remove" or "replace".
    """
    if args:
        raise unnamed("design()", ["epsilon", "delta", "sensitivity"])
    if given.get("workload") is not None:
        given.setdefault("loss", "l2")
    return answer(Arguments.of(given))


# What `help`, notebooks and tests see: each argument with its type and default, and what returns.
design.__signature__ = signature(Arguments).replace(  # type: ignore[attr-defined]
    return_annotation=Design
)


def answer(arguments: Arguments, *, noise_alone: bool = False) -> Design[Any]:
    """`design` for arguments that were put together before; its guarantee is that of `design`.

    noise_alone: for a shape, whether nobody asks for a bound from below, which is then 0.
    """
    wanted = replace(_asked(arguments), noise_alone=noise_alone)
    try:
        search = Search(plan_of(wanted), wanted.gap, wanted.time_limit, wanted.progress)
        return finished(wanted, search)
    except (OverflowError, ZeroDivisionError):
        raise ScaleError from None


def _asked(arguments: Arguments) -> DesignRequest[Any]:
    """What the arguments mean, whatever they are about."""
    if arguments.workload is not None:
        return workloaded(arguments)
    for name in ("zcdp", "neighbors"):
        if name in arguments.given():
            value = getattr(arguments, name)
            raise ArgumentError(name, value, "left out unless there is a workload")
    if isinstance(arguments.sensitivity, Shape):
        return shaped(arguments)
    if arguments.weights is not None:
        raise ArgumentError("weights", "given", "left out unless there is a shape")
    if isinstance(arguments.sensitivity, Ball):
        arguments = _of_ball(arguments, arguments.sensitivity)
    return asked(arguments)


def _of_ball(arguments: Arguments, ball: Ball) -> Arguments:
    if arguments.dimension is not None:
        raise ArgumentError("dimension", arguments.dimension, "left out: a Ball has one")
    return replace(arguments, dimension=ball.dimension, sensitivity=ball.radius)


def design_dependent(
    *, bounds: tuple[Number, Number], **arguments: Unpack[RangeArguments]
) -> Design[RangeNoise]:
    """`design` with a public range: the answers with the least expected loss on it.

    bounds: (low, high), public. A value outside counts as the nearer end.
    prior: where in the range the true value is thought to lie, from public knowledge only:
        "uniform", {"edges": ..., "masses": ...}, a density function or public samples. A
        function or samples become a histogram of 16 equal bins, and that is the prior.
    resolution: cells of the range on the finest mesh; chosen by the engine if None.
    instance_bound: no value's expected loss may exceed it, or a pair (loss, number): no value's
        expectation of that loss may (convex losses only).
    max_error: no answer may be further than this from the true value; `lower` is then over
        answers that keep to it.
    outputs: the only answers allowed; `output_step`: its multiples. The lower bound stays one over
        all answers.
    crossing: (at, slope): an answer on the other side of `at` than the true value costs
        slope * |answer - at| more.
    exact_answers: whether a value's node may have an answer of its own, itself (with at most
        probability delta, which costs nothing more); False: no answer belongs to one node only.
    monotone: whether a larger value must make larger answers likelier (P(answer <= y) never grows
        with the value). The best answers are like that up to rounding; this makes it a claim.
    core: (low, high) inside wide bounds, at least one sensitivity wide: rows of its own for the
        values in it, one additive noise for all values beyond it on each side. Prior, `lower`
        and `upper` are then about values of the core; privacy holds on all of `bounds`. Chosen
        around `crossing` if None and the bounds are more than 1000 sensitivities apart.

    The other arguments are those of `design`. Without `time_limit` the search ends after ten
    minutes at most.

    Guarantee: that of `RangeNoise`.

    Example: a count that everybody knows to lie between 0 and 10.

        >>> budget = {"epsilon": 0.5, "delta": 0, "sensitivity": 1}
        >>> best = design_dependent(**budget, bounds=(0, 10), integer=True)
        >>> round(best.upper, 3)
        1.417
    """
    return design(bounds=bounds, **arguments)


def load(path: str | Path) -> Design[Any]:
    """Read the design in a mechanism file, after the exact checker has proven its claims.

    Raises `FormatError` if the file is malformed and `CertificateError` if a claim is refuted. A
    file whose privacy is proven and whose bracket could not be checked is loaded with `certified`
    False.

    Guarantee: a design is returned only if its privacy is proven, by exact arithmetic.

    Example: a file that is checked as it is read.

        >>> _ = design(epsilon=1, delta=0, sensitivity=1, integer=True).save("count.json")
        >>> load("count.json").certified
        True
    """
    return loaded(*read_and_check(path), str(path), f"read from {Path(path).name}")


def stated_loss(document: AnyFile) -> Loss | None:
    """The loss of a file; None for a Python function, which it does not hold."""
    loss = document.loss
    return loss if loss is not None and loss.certified else None


def loaded(document: AnyFile, report: Report, path: str, status: str) -> Design[Any]:
    """The design of a document and of what the exact check of it found."""
    if report.exit_code == 1 or not report.private:
        refuted = [claim.name for claim in report.claims if claim.verdict == "refuted"]
        raise CertificateError(f"{path}: refuted: {', '.join(refuted) or 'privacy not proven'}")
    status += f"; {gap_words(document, report.proven)}"
    loss = stated_loss(document)
    return Design(document, loss, True, status, MappingProxyType({}), report.proven)


__all__ = ["Design", "answer", "design", "design_dependent", "load", "loaded"]
