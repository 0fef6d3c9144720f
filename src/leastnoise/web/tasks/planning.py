"""The error to expect of each question as the budget moves: from public numbers, no table."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ...errors import LeastnoiseError
from ...tables import plan, plan_all
from ...tables.planning.planner import Plan
from ...tables.queries.base import Query
from ..questions import check_columns, margins_of, queries_of, rows_of, unit_of


def run(form: dict[str, Any], folder: Path, tell: Any) -> dict[str, Any]:
    """Tell the errors to expect, as `ask` will have them.

    Where margins are stated: at the smallest epsilon that keeps them. Otherwise at the form's
    epsilon, then at each of `epsilons`.
    """
    queries = queries_of(form)
    if form["columns"] is not None:
        check_columns(form, form["columns"])

    def planned_at(epsilon: str | None) -> dict[str, Any]:
        return _plan_at(form, queries, epsilon, lambda words: tell("step", {"words": words}))

    if margins_of(form):
        tell("plan", planned_at(None))
        return {}
    tell("plan", planned_at(form["epsilon"]))
    for epsilon in form["epsilons"]:
        try:
            planned = planned_at(epsilon)
        except LeastnoiseError:
            continue  # outside what can be planned for: the curve has no point there
        tell("plan", planned)
    return {}


def _plan_at(
    form: dict[str, Any], queries: list[Query], epsilon: str | None, progress: Callable[[str], None]
) -> dict[str, Any]:
    options: dict[str, Any] = {
        "progress": progress,
        "epsilon": epsilon,
        "delta": form["delta"],
        "unit": unit_of(form),
        "neighbors": form["neighbors"],
        "loss": form["loss"],
    }
    rows, margins = rows_of(form, queries), margins_of(form)
    if len(queries) == 1:
        within = margins[0] if margins else None
        options |= {"within": within, "rests_on": form["rests_on"]}
        plans = [plan(queries[0], rows=rows[0], **options)]
        whole, floor = plans[0].epsilon, plans[0].floor
    else:
        shared = plan_all(queries, rows=rows, within=margins, **options)
        plans, whole, floor = list(shared), shared.epsilon, shared.floor
    told = [_describe_plan(*pair, len(queries) > 1) for pair in zip(queries, plans, strict=True)]
    return {"epsilon": float(whole), "floor": float(floor), "queries": told}


def _describe_plan(query: Query, query_plan: Plan, several: bool) -> dict[str, Any]:
    return {
        "query": query_plan.query,
        "error": query_plan.error,
        "relative": query_plan.relative,
        "rank": "rank" in query.counted,
        "ends": query.ends_of(query.columns_answered[0]),
        "grouped": query.by is not None,
        "epsilon": float(query_plan.epsilon),
        "shared": several and query_plan.shared,
        "delta": float(query_plan.delta),
        "keys_from": query_plan.keys_from,
        "rows": query_plan.rows,
        "bounded": query_plan.bounded,
        "release_probability": query_plan.release_probability,
        "why": query_plan.why,
        "noise": query_plan.noise,
    }
