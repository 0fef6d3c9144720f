"""Random neighbors for Hypothesis: ordinary and extreme values, in any source."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from leastnoise import PrivacyUnit

from .questions import RELATIONS, many
from .sources import ENGINES, holds
from .tables import EXTREMES, GROUPS, KINDS, NEWCOMER, ORDINARY, Pair, Table

_DRAWN: dict[str, Any] = {
    "number": st.floats(),
    "whole": st.integers(-(2**63), 2**63 - 1),
    "big": st.integers(0, 2**64 - 1),
    "text": st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8),
    "nano": st.integers(-(2**63), 2**63 - 1),
}
_NAMES = st.sampled_from([*GROUPS, "North", "", "é", "e\u0301", "a\nb", "'", '"', None])
UNITS = (
    "row",
    PrivacyUnit("p", 1, 1),
    PrivacyUnit("p", 2, 1),
    PrivacyUnit("p", 3, 2),
    PrivacyUnit("p", 2),
)


@st.composite
def cases(draw: Any, sources: Sequence[str] = ENGINES["duckdb"]) -> tuple[str, Pair, Any, Any]:
    """(source, pair, question, unit)."""
    source = draw(st.sampled_from(sources))
    kinds = [kind for kind in KINDS if holds(source, kind, ORDINARY[kind][0])]
    kind = draw(st.sampled_from(kinds))
    held = [v for v in (*ORDINARY[kind], *EXTREMES[kind]) if holds(source, kind, v)]
    value = st.sampled_from(held)
    if kind in _DRAWN:
        value = st.one_of(value, _DRAWN[kind].filter(lambda v: holds(source, kind, v)))
    rows = st.lists(st.tuples(st.integers(0, 5), _NAMES, value), min_size=1, max_size=10)
    unit, relation = draw(st.sampled_from(UNITS)), draw(st.sampled_from(RELATIONS))
    question = draw(st.sampled_from(many(kind)))
    if isinstance(unit, PrivacyUnit) and unit.max_groups is None and _private(question):
        unit = PrivacyUnit("p", 2, 1)
    most = 1 if unit == "row" else 5
    mine = st.lists(st.tuples(st.just(NEWCOMER), _NAMES, value), min_size=1, max_size=most)
    base = Table((("p", "whole"), ("g", "text"), ("x", kind)), tuple(draw(rows)))
    at = draw(st.integers(0, len(base.rows)))
    one = base.with_rows(tuple(draw(mine)), at) if relation == "replace" else base
    two = base.with_rows(tuple(draw(mine)), at)
    return source, Pair(one, two, relation, f"{one.rows} / {two.rows}"), question, unit


def _private(question: Any) -> bool:
    if isinstance(question, list):
        return any(map(_private, question))
    return getattr(question, "keys", None) == "private"
