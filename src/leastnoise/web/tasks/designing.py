"""A design for the web app: its bracket as it closes, then everything that is drawn beside it.

What is only needed afterwards is imported afterwards, so that the first bracket comes soon.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...baselines import Mechanism
from ...design import Design, design
from ...formatting import number, outwards
from ..design_form import arguments_of
from .looks import look

FILE = "mechanism.json"
#: Ticked unless the user says otherwise; those that serve the budget.
_USUAL = ("laplace", "analytic-gaussian", "discrete-laplace", "discrete-gaussian")


def run(form: dict[str, Any], folder: Path, tell: Any) -> dict[str, Any]:
    """Design, save, and tell all there is to see; a stopped search tells its best so far."""
    stopped = False
    try:
        best = design(**arguments_of(form), progress=lambda now: _describe_noise(now, tell))
    except KeyboardInterrupt as stop:
        if not hasattr(stop, "design"):
            raise
        best, stopped = stop.design, True
    best.save(folder / FILE)
    tell.calm = True  # what follows ends by itself, and soon
    tell("design", describe_bracket(best, stopped))
    from . import curves

    baselines = _tell_losses(best, form["time_limit"], tell)
    if best.kind == "vector":
        tell("radial", curves.radial(best))
    elif best.kind == "dependent":
        tell("family", curves.family(best))
    else:
        tell("density", curves.density(best, baselines))
    if best.kind != "dependent":
        tell("profile", curves.profile(best, baselines))
    return {}


def _describe_noise(now: Any, tell: Any) -> None:
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


def describe_bracket(best: Design[Any], stopped: bool) -> dict[str, Any]:
    """The bracket, rounded outwards, and what to expect."""
    facts = best.facts()
    return {
        "kind": best.kind,
        "title": best.caption,
        "lower": best.lower,
        "upper": best.upper,
        "gap": best.gap,
        "lower_text": facts["lower"].text,
        "upper_text": facts["upper"].text,
        "gap_text": facts["gap"].text,
        "certified": best.certified,
        "converged": best.converged,
        "stopped": stopped,
        "status": best.status,
        "seconds": best.stats.get("seconds"),
        "facts": [
            [f"{fact.label} ({fact.note})" if fact.note else fact.label, fact.text]
            for fact in facts.noise
            if not fact.aside
        ],
    }


def _tell_losses(
    best: Design[Any], seconds: float | None, tell: Any
) -> list[tuple[str, Mechanism]]:
    """Tell the table of losses; returns the baselines whose curves can be drawn."""
    from ...comparison import compare_design

    comparison = compare_design(best, time_limit=seconds)
    tell("table", _table(comparison))
    return [
        (row.label, row.mechanism)
        for row in comparison.rows
        if isinstance(row.mechanism, Mechanism)
    ]


def _table(comparison: Any) -> dict[str, Any]:
    reasons = dict(comparison.refused)
    left_out = reasons.pop("baselines", None)
    rows = [row.to_json() for row in comparison.rows]
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
    words = "" if left_out is None else f"Baselines are left out: {left_out}."
    return {"rows": told, "words": words, "refused": list(reasons.values())}
