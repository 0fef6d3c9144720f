"""The error to expect of each question as the budget moves: from public numbers, no table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...errors import ArgumentError, LeastnoiseError
from ...problem.checks import check_delta, check_epsilon
from ...tables import plan
from ...tables.planning.budget import Budget
from ...tables.planning.planner import setting_for, shares
from ...tables.queries.base import Query
from ..questions import check_columns, queries_of, unit_of


def run(form: dict[str, Any], folder: Path, tell: Any) -> dict[str, Any]:
    """Tell the expected errors at the form's epsilon, then at each of `epsilons`."""
    queries = queries_of(form)
    if form["columns"] is not None:
        check_columns(form, form["columns"])
    at = form["epsilon"]
    tell("plan", {"epsilon": float(check_epsilon(at)), "queries": _planned(form, queries, at)})
    for epsilon in form["epsilons"]:
        try:
            planned = _planned(form, queries, epsilon)
        except LeastnoiseError:
            continue  # outside what can be planned for: the curve has no point there
        tell("plan", {"epsilon": float(check_epsilon(epsilon)), "queries": planned})
    return {}


def _planned(form: dict[str, Any], queries: list[Query], epsilon: str) -> list[dict[str, Any]]:
    unit, rows = unit_of(form), form["rows"]
    whole = Budget(check_epsilon(epsilon), check_delta(form["delta"], epsilon))
    if whole.epsilon == 0:
        raise ArgumentError("epsilon", epsilon, "positive")
    budgets = [whole]
    if len(queries) > 1:
        # As `ask_all` divides it.
        setting = setting_for(queries[0], unit, form["neighbors"], rows)
        budgets = shares(queries, whole.epsilon, whole.delta, setting, rows, form["loss"])
    told = []
    for query, budget in zip(queries, budgets, strict=True):
        found = plan(
            query,
            epsilon=budget.epsilon,
            delta=budget.delta,
            rows=rows,
            unit=unit,
            neighbors=form["neighbors"],
            loss=form["loss"],
        )
        told.append(
            {
                "query": found.query,
                "error": found.error,
                "relative": found.relative,
                "rank": query.mechanism == "choice",
                "grouped": query.by is not None,
                "epsilon": float(found.epsilon),
                "delta": float(found.delta),
                "keys_from": found.keys_from,
                "rows": found.rows,
                "release_probability": found.release_probability,
                "why": found.why,
                "noise": found.noise,
            }
        )
    return told
