"""`leastnoise hierarchy`: solve one bounding problem of the paper and say what it proves."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from ..ask.values import stated_sensitivity
from ..errors import ArgumentError, LeastnoiseError
from .demands import SENSITIVITY_HELP
from .shared import JSON_HELP, SHORT, say, show_json, working


class Side(StrEnum):
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
    epsilon: Annotated[str, typer.Option(help="Privacy budget epsilon.")],
    delta: Annotated[str, typer.Option(help="Privacy budget delta, above 0.")],
    beta: Annotated[str, typer.Option(help="Width of a cell; divides the sensitivity.")],
    cells: Annotated[int, typer.Option(help="L: the problem has 2L+1 cells, i = -L..L.")],
    bound: Annotated[Side, typer.Option(help="P (upper) or D (lower).")],
    sensitivity: Annotated[str | None, typer.Option(help=SENSITIVITY_HELP)] = None,
    algorithm: Annotated[
        Algorithm,
        typer.Option(help="Algorithm 1, or the whole program at once (simplex, interior point)."),
    ] = Algorithm.CUTTING_PLANE,
    limits: Annotated[
        tuple[str, str] | None,
        typer.Option("--range", metavar="LOW HIGH", help="Data dependent noise on this range."),
    ] = None,
    loss: Annotated[str, typer.Option(help='"l1", "l2", "pinball:TAU", ...')] = "l1",
    monotone: Annotated[bool, typer.Option(help="Only noise that falls away from 0.")] = False,
    solver: Annotated[str, typer.Option(help='"highs" or "gurobi".')] = "highs",
    time_limit: Annotated[float | None, typer.Option(help="Seconds.")] = None,
    json: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
) -> None:
    """Solve P(L,beta) or D(L,beta), or P'(L,beta) or D'(L,beta) with --range.

    Exit code 0: a certified bound; 1: none, such as at a time limit; 2: bad input.

    \b
    Example:
      leastnoise hierarchy --epsilon 1 --delta 0.2 --sensitivity 1 --beta 1/4 --cells 8 \\
        --bound upper
    """
    from ..hierarchy import BoundingProblem, D, DPrime, Options, P, PPrime

    common = {
        "epsilon": epsilon,
        "delta": delta,
        "sensitivity": stated_sensitivity(sensitivity),
        "beta": beta,
        "cells": cells,
        "loss": loss,
    }
    try:
        problem: BoundingProblem
        if limits is None:
            problem = (P if bound is Side.UPPER else D)(**common, monotone=monotone)  # type: ignore
        elif bound is Side.UPPER:
            problem = PPrime(**common, limits=limits, monotone=monotone)  # type: ignore[arg-type]
        elif monotone:
            raise ArgumentError("monotone", monotone, "off for the data dependent lower bound")
        else:
            problem = DPrime(**common, limits=limits)  # type: ignore[arg-type]
        with working("solving"):
            found = problem.solve(algorithm.value, solver, Options(time_limit=time_limit))
    except LeastnoiseError as error:
        say(f"error: {error}", err=True)
        if json:
            show_json("hierarchy", 2, {"error": str(error)})
        raise typer.Exit(2) from None
    code = 0 if found.certified else SHORT
    if json:
        show_json("hierarchy", code, found.summary())
    else:
        typer.echo(str(found))
        typer.echo(f"{found.rounds} rounds, {found.constraints} constraints, {found.seconds:.2f} s")
    raise typer.Exit(code)
