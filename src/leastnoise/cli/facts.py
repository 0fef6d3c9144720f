"""The facts of a design on the command line: a table for people, an object for JSON."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table

from ..facts import caption
from .shared import say


def json_of(design: Any) -> dict[str, Any]:
    """What `--json` prints of a design of any kind: its facts, and how the search went."""
    stats = design.stats
    facts = {**design.plain(), "status": design.status}
    if stats:  # (a file that was read has none)
        facts |= {
            "seconds": stats["seconds"],
            "rounds": stats["rounds"],
            "resolution": stats["resolutions"][-1] if stats["rounds"] else None,
            "repair": stats.get("repair"),
        }
    return facts


def show_design(design: Any) -> None:
    """The same for people: a table, and a sentence."""
    title = f"{design.noise.title}, {caption(design.problem_facts, symbols=False)}"
    table = Table(title=title, show_header=False, title_justify="left")
    for row in design.facts().rows:
        table.add_row(*row)
    Console().print(table)
    searched = design.stats.get("rounds")  # (closed forms take no time)
    seconds = f"; {design.stats['seconds']:.2f} s" if searched else ""
    say(f"{design.status}{seconds}.")


def show_comparison(comparison: Any) -> None:
    """A table of mechanisms, what the lower bound is, and what rows note."""
    design = comparison.design
    title = f"{design.noise.title}, {caption(design.problem_facts, symbols=False)}"
    table = Table(title=title, title_justify="left")
    for place, heading in enumerate(comparison.head):
        table.add_column(heading, justify="right" if place else "left")
    for row in comparison.rows:
        table.add_row(*row.cells, style="bold" if row.name == "design" else None)
    Console().print(table)
    say(f"Excess over the lower bound: {comparison.bound_words}.")
    notes: dict[str, list[str]] = {}
    for row in comparison.rows:
        if row.note:
            notes.setdefault(row.note, []).append(row.label)
    for note, labels in notes.items():
        say(f"{', '.join(labels)}: {note}.")
    for name, reason in comparison.refused:
        say(f"Left out: {name} ({reason}).")
