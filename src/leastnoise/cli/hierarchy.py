"""`leastnoise hierarchy`: solve one bounding problem of the paper and say what it proves."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from ..errors import ArgumentError
from ..losses import TYPED
from ..problem.checks import stated_sensitivity
from .options import SENSITIVITY_HELP
from .shared import JSON_HELP, SHORT, show_json, working


class BoundSide(StrEnum):
    """Which bound."""

    UPPER = "upper"
    LOWER = "lower"


class Algorithm(StrEnum):
    """How to solve it."""

    CUTTING_PLANE = "cutting-plane"
    DIRECT = "direct"
    INTERIOR = "interior"


def hierarchy(
    *,
    epsilon: Annotated[str, typer.Option(help="Privacy budget epsilon.", metavar="NUMBER")],
    delta: Annotated[str, typer.Option(help="Privacy budget delta, above 0.", metavar="NUMBER")],
    beta: Annotated[
        str, typer.Option(help="Width of a cell; divides the sensitivity.", metavar="NUMBER")
    ],
    cells: Annotated[int, typer.Option(help="L: the problem has 2L+1 cells, i = -L..L.")],
    bound: Annotated[BoundSide, typer.Option(help="P (upper) or D (lower).")],
    sensitivity: Annotated[
        str | None, typer.Option(help=SENSITIVITY_HELP, metavar="NUMBER")
    ] = None,
    algorithm: Annotated[
        Algorithm,
        typer.Option(help="Algorithm 1, or the whole program at once (simplex, interior point)."),
    ] = Algorithm.CUTTING_PLANE,
    limits: Annotated[
        tuple[str, str] | None,
        typer.Option(
            "--range", metavar="LOW HIGH", help="Data dependent noise for a query with this range."
        ),
    ] = None,
    loss: Annotated[str, typer.Option(help=f"{', '.join(TYPED)}.", metavar="LOSS")] = "l1",
    monotone: Annotated[
        bool, typer.Option(help="Only noise whose density falls away from 0.")
    ] = False,
    time_limit: Annotated[
        float | None, typer.Option(help="Time limit in seconds.", metavar="SECONDS")
    ] = None,
    write: Annotated[
        Path | None,
        typer.Option(help="Write the linear program as .mps or .lp, too.", metavar="FILE"),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
) -> None:
    """Solve P(L,beta) or D(L,beta), or P'(L,beta) or D'(L,beta) with --range.

    Exit code 0: a certified bound; 1: none, such as at a time limit; 2: bad input.

    \b
    Example:
      leastnoise hierarchy --epsilon 1 --delta 0.2 --sensitivity 1 --beta 1/4 --cells 8 \\
        --bound upper
    """
    common = {
        "epsilon": epsilon,
        "delta": delta,
        "sensitivity": stated_sensitivity(sensitivity),
        "beta": beta,
        "cells": cells,
        "loss": loss,
    }
    from ..paper.hierarchy import Options

    problem = _problem(common, bound, limits, monotone)
    if write is not None:
        problem.write(write)
    with working("solving"):
        solution = problem.solve(algorithm.value, Options(time_limit=time_limit))
    code = 0 if solution.certified else SHORT
    if json:
        show_json("hierarchy", code, solution.summary())
    else:
        typer.echo(str(solution))
        typer.echo(
            f"{solution.rounds} rounds, {solution.constraints} constraints, "
            f"{solution.seconds:.2f} s"
        )
    raise typer.Exit(code)


def _problem(
    common: dict[str, Any], bound: BoundSide, limits: tuple[str, str] | None, monotone: bool
) -> Any:
    """The bounding problem that is asked for."""
    from ..paper.hierarchy import D, DPrime, P, PPrime

    if limits is None:
        return (P if bound is BoundSide.UPPER else D)(**common, monotone=monotone)
    if bound is BoundSide.UPPER:
        return PPrime(**common, limits=limits, monotone=monotone)
    if monotone:
        raise ArgumentError("monotone", monotone, "off for the data dependent lower bound")
    return DPrime(**common, limits=limits)
