"""`leastnoise design --bounds LOW HIGH`: what the command line needs for data dependent noise."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table

from ..designs.accuracy import error_bound
from ..designs.ranged import DependentDesign
from ..formatting import UNPROVEN, outwards
from .demands import bracket_of, budgets_in_words, described_budgets
from .shared import say


def describe(found: DependentDesign) -> dict[str, Any]:
    """What `--json` prints of noise that depends on the value."""
    low, high = found.bounds
    document = found.document
    return {
        **bracket_of(found),
        "bounds": [low, high],
        "integer": found.integer,
        "prior": "uniform" if document.problem.prior is None else "histogram",
        "resolution": found.stats.get("resolution"),
        "steps": document.last,
        "answers": len(found.answers),
        "revealing": found.revealing,
        "worst_expected_loss": float(found.expected_loss(found.spots).max()),
        "error_95": error_bound(found, 0.95),
        **described_budgets(document),
    }


def print_table(found: DependentDesign) -> None:
    """A table for people, and a sentence."""
    low, high = found.bounds
    budgets = "; ".join(budgets_in_words(found.document))
    word = "proven" if found.certified else UNPROVEN
    kind = "integers" if found.integer else "answers"
    table = Table(
        title=f"private {kind} in [{low:g}, {high:g}], {budgets}, "
        f"sensitivity {found.sensitivity:g}, loss {found.loss.name}",
        show_header=False,
        title_justify="left",
    )
    table.add_row(
        "expected loss at most", outwards(found.upper, 8, True), f"of these answers, {word}"
    )
    table.add_row("no private answer has less than", outwards(found.lower, 8, False), word)
    worst = float(found.expected_loss(found.spots).max())
    table.add_row("expected loss at the worst value", f"{worst:.6g}", "")
    table.add_row("95% of errors within", f"{error_bound(found, 0.95):.6g}", "at the worst value")
    if found.revealing > 1e-9:
        table.add_row(
            "the exact value with probability",
            f"{found.revealing:.6g}",
            f"at most, rounded to steps of {float(found.document.finest):.6g}",
        )
    Console().print(table)
    seconds = found.stats.get("seconds")
    say(f"{found.status}{'' if seconds is None else f'; {seconds:.2f} s'}.")
