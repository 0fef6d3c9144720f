"""`leastnoise design --bounds LOW HIGH`: what the command line needs for data dependent noise."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ..design import DependentDesign, design
from ..errors import ArgumentError
from ..words import UNPROVEN, outwards
from .demands import budgets_in_words, described_budgets


def run_dependent(**options: Any) -> DependentDesign:
    """The design that the options of the command line ask for.

    Options are those of `design` with bounds, as text or numbers; None means not given. `prior` may
    also be the path of a JSON file: a histogram, or a list of public samples.
    """
    given = {name: value for name, value in options.items() if value is not None}
    if str(given.get("regions", "")).isdigit():
        given["regions"] = int(given["regions"])
    elif "regions" in given:
        given["regions"] = given["regions"].split(",")
    prior = given.get("prior", "uniform")
    if isinstance(prior, str) and prior != "uniform":
        given["prior"] = _prior_file(prior)
    found: DependentDesign = design(**given)
    return found


def _prior_file(path: str) -> Any:
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ArgumentError(
            "prior", path, f'"uniform" or a readable JSON file ({error})'
        ) from None


def describe(found: DependentDesign) -> dict[str, Any]:
    """What `--json` prints: plain numbers, the bracket rounded outwards."""
    low, high = found.bounds
    document = found.document
    return {
        "kind": "dependent",
        "epsilon": found.epsilon,
        "delta": found.delta,
        "sensitivity": found.sensitivity,
        "loss": found.loss.name,
        "bounds": [low, high],
        "integer": found.integer,
        "prior": "uniform" if document.question.prior is None else "histogram",
        "lower": found.lower,
        "upper": found.upper,
        "gap": found.gap if found.gap != float("inf") else None,
        "certified": found.certified,
        "converged": found.converged,
        "status": found.status,
        "seconds": found.stats["seconds"],
        "rounds": found.stats["rounds"],
        "steps": document.last,
        "answers": len(found.answers),
        "revealing": found.revealing,
        "worst_expected_loss": float(found.expected_loss(found.nodes).max()),
        **described_budgets(document),
    }


def lines(found: DependentDesign) -> list[str]:
    """A few lines for people."""
    low, high = found.bounds
    budgets = "; ".join(budgets_in_words(found.document))
    word = "proven" if found.certified else UNPROVEN
    words = [
        f"private answers on [{low:g}, {high:g}], {budgets}, sensitivity {found.sensitivity:g}, "
        f"loss {found.loss.name}",
        f"expected loss at most {outwards(found.upper, 8, True)}, {word}",
        f"no private answer can go below {outwards(found.lower, 8, False)}, {word}",
    ]
    if found.revealing > 1e-9:
        words.append(
            f"with probability up to {found.revealing:.6g} the answer is the true value, up to "
            f"rounding to steps of {float(found.document.step):.6g}")
    words.append(f"{found.status}; {found.stats['seconds']:.2f} s")
    return words
