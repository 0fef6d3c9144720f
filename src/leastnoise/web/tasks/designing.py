"""A design for the web app: its bracket as it closes, then everything that is drawn beside it.

What is only needed afterwards is imported afterwards, so that the first bracket comes soon.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...baselines import Mechanism
from ...design import DependentDesign, Design, VectorDesign, design
from ...designs.accuracy import error_bound
from ...designs.keyed import KeyedDesign
from ...formatting import NEGLIGIBLE, number, outwards, percent
from ...problem.arguments import Arguments
from ...show.captions import caption
from ..asked import arguments_of
from .looks import look

Found = Design | DependentDesign | VectorDesign
FILE = "mechanism.json"
#: Ticked unless the user says otherwise; those that serve the budget.
_USUAL = ("laplace", "analytic-gaussian", "discrete-laplace", "discrete-gaussian")
_MANY = "Baselines are left out: they satisfy one budget and no constraints."


def run(form: dict[str, Any], folder: Path, tell: Any) -> dict[str, Any]:
    """Design, save, and tell all there is to see; a stopped search tells its best so far."""
    arguments = arguments_of(form)
    stopped = False
    try:
        found: Found = design(**arguments, progress=lambda now: _told(now, tell))
    except KeyboardInterrupt as stop:
        best = getattr(stop, "design", None)
        if best is None:
            raise
        found, stopped = best, True
    found.save(folder / FILE)
    tell.calm = True  # what follows ends by itself, and soon
    tell("design", described(found, stopped))
    from . import curves

    baselines = _compared(found, arguments, bool(form["second_loss"]), tell)
    if isinstance(found, Design):
        tell("density", curves.density(found, baselines))
        tell("profile", curves.profile(found, baselines))
    elif isinstance(found, VectorDesign):
        tell("radial", curves.radial(found))
        tell("profile", curves.profile(found, []))
    else:
        tell("family", curves.family(found))
    return {}


def _told(now: Any, tell: Any) -> None:
    tell.sometimes(
        "progress",
        {
            "lower": now.lower,
            "upper": now.upper,
            "seconds": now.seconds,
            "rounds": now.rounds,
            "resolution": now.resolution,
        },
    )


def described(found: Found | KeyedDesign, stopped: bool) -> dict[str, Any]:
    """The bracket, rounded outwards, and what to expect."""
    return {
        "kind": kind_of(found),
        "title": caption(found),
        "lower": found.lower,
        "upper": found.upper,
        "gap": found.gap,
        "lower_text": outwards(found.lower, 6, False),
        "upper_text": outwards(found.upper, 6, True),
        "gap_text": percent(found.gap),
        "certified": found.certified,
        "converged": found.converged,
        "stopped": stopped,
        "status": found.status,
        "seconds": found.stats.get("seconds"),
        "facts": _facts(found),
    }


def kind_of(found: Found | KeyedDesign) -> str:
    """additive, integer, dependent, vector or keyed."""
    if isinstance(found, KeyedDesign):
        return "keyed"
    if isinstance(found, Design):
        return "integer" if found.integer else "additive"
    return "vector" if isinstance(found, VectorDesign) else "dependent"


def _facts(found: Found | KeyedDesign) -> list[list[str]]:
    if isinstance(found, KeyedDesign):
        return [
            ["a key is released half the time from", f"{found.group_size_for(0.5)} units"],
            ["a key is always released from", f"{found.always_released_from} units"],
            ["largest error", number(found.reach)],
        ]
    if isinstance(found, Design):
        noise = found.noise
        low, high = noise.support
        facts = [
            ["95% of errors within", number(noise.error_bound(0.95), 5)],
            ["standard deviation", number(noise.std, 5)],
            ["support", f"{number(low, 5)} to {number(high, 5)}"],
        ]
        if noise.atom > NEGLIGIBLE:
            facts.append(["exactly 0 with probability", number(noise.atom, 4)])
        return facts
    if isinstance(found, VectorDesign):
        law = found.noise
        end = [] if law.endless else [["largest error", number(float(law.radii[-1]), 5)]]
        return [
            ["95% of errors (Euclidean) within", number(law.error_radius(0.95), 5)],
            ["standard deviation of a coordinate", number(law.variance**0.5, 5)],
            *end,
        ]
    facts = [
        ["95% of errors within, at the worst value", number(error_bound(found, 0.95), 5)],
        ["expected loss at the worst value", number(found.expected_loss(found.spots).max(), 5)],
    ]
    if found.revealing > NEGLIGIBLE:
        facts.append(["the exact value with probability at most", number(found.revealing, 4)])
    return facts


def _compared(
    found: Found, arguments: dict[str, Any], second: bool, tell: Any
) -> list[tuple[str, Mechanism]]:
    """Tell the table of losses; returns the baselines whose curves can be drawn."""
    from ...compare import beside
    from ...compare_vectors import beside_vectors

    if isinstance(found, VectorDesign):
        compared: Any = beside_vectors(found)
    elif arguments.get("constraints") or arguments.get("max_error") or second:
        error = found.noise.error_bound(0.95) if isinstance(found, Design) else error_bound(found)
        own = {"name": "design", "label": "this design", "loss": found.upper}
        tell("table", _table([own | {"excess": found.gap, "error_95": error, "note": ""}], _MANY))
        return []
    else:
        compared = beside(found, Arguments.of(arguments))
    rows = [row.to_json() for row in compared.rows]
    tell("table", _table(rows, "", [reason for _, reason in compared.refused]))
    return [
        (row.label, row.mechanism)
        for row in compared.rows
        if isinstance(getattr(row, "mechanism", None), Mechanism)
    ]


def _table(
    rows: list[dict[str, Any]], words: str, refused: list[str] | None = None
) -> dict[str, Any]:
    told = [
        {
            "name": row["name"],
            "label": row["label"],
            "loss": row["loss"],
            "loss_text": outwards(row["loss"], 6, True)
            if row["name"] == "design"
            else number(row["loss"], 6),
            "excess": row["excess"],
            "error_95": None if row["error_95"] is None else number(row["error_95"], 5),
            "note": row["note"],
            "usual": row["name"] in _USUAL,
            **look(row["name"]),
        }
        for row in rows
    ]
    return {"rows": told, "words": words, "refused": refused or []}
