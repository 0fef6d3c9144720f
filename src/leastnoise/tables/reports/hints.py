"""What a reader of an answer must see at once, because no interval knows of it.

Computed from what was published and from the query: it costs nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..axes.period import period_of
from ..planning.release import NO_INTERVAL
from ..queries.base import PRIVATE, Query, Setting
from ..queries.coverage import BEYOND, LACKING, Coverage
from ..queries.numbers import LEFT_OUT, ROWS, Estimate
from ..queries.quantiles import Bounds

#: Left-out rows are worth a word from this part of all rows on.
_WORTH = 0.1
#: So near to a bound, in parts of the width, an answer is at it.
_NEAR = 0.01


def hints_of(
    query: Query,
    setting: Setting,
    estimates: Mapping[str, Estimate],
    coverage: Mapping[str, Estimate],
    notes: Sequence[str] = (),
) -> list[str]:
    """One sentence for each reason why the numbers may not be what they seem.

    coverage: what becomes of the rows, if that was estimated.
    notes: of the answer; the one that stands for an interval is a hint.
    """
    bounded = _bounded(query, setting)
    if bounded and BEYOND in coverage:
        beyond = coverage[BEYOND]
        bounded = f"{beyond.value:.0%} of the rows, on average, are beyond the bounds: {bounded}"
    left_out = _left_out(query, estimates) or _estimated(query, coverage)
    lacking = left_out or _empty(query, estimates)
    ranks = (note for note in notes if note.startswith(NO_INTERVAL))
    reasons = (
        *ranks,
        lacking,
        _at_bounds(query, estimates),
        _unbounded(query, estimates),
        bounded,
        "" if LACKING in coverage or left_out else _uncounted(query, estimates),
        other_keys(query),
    )
    return [words for words in reasons if words]


def other_keys(query: Query) -> str:
    """Rows whose key is not in a public list of values."""
    by = query.columns_by if query.by is None else query.by
    names = (by,) if isinstance(by, str) else by
    if query.keys in (None, PRIVATE) or all(map(period_of, names)):
        return ""
    return "rows with other keys, even by a blank or upper case, are in no group"


def _left_out(query: Query, estimates: Mapping[str, Estimate]) -> str:
    """Many rows have no value."""
    each, answers = len(query.columns_answered), list(estimates.values())
    groups = [answers[at : at + each] for at in range(0, len(answers), each)]
    known = ([_share(query, estimate) for estimate in group] for group in groups)
    shares = [max(found) for group in known if (found := [x for x in group if x is not None])]
    if not shares:
        return ""
    some = "" if len(groups) == 1 else f" in {len(shares)} of {len(groups)} groups"
    up_to = "" if len(shares) == 1 else "up to "
    return f"{up_to}{max(shares):.0%} of the rows{some} are left out: {query.lacking}"


def _estimated(query: Query, coverage: Mapping[str, Estimate]) -> str:
    """Many rows are left out, as an estimate of its own says."""
    left = coverage.get(LACKING)
    if left is None or left.low is None or left.low < _WORTH:
        return ""
    reasons = ["they are in no group"] * query.grouped + [query.lacking] * query.lacks_values
    return f"{left.value:.0%} of the rows, on average, are left out: {', or '.join(reasons)}"


def _uncounted(query: Query, estimates: Mapping[str, Estimate]) -> str:
    """Rows without a value are left out, and nothing that was published says how many."""
    counted = any(f.name == LEFT_OUT for one in estimates.values() for f in one.rests_on)
    if not query.lacks_values or query.counts_rows or counted:
        return ""
    return "rows without a value are left out; Coverage(query) or rests_on=0.1 estimates how many"


def _empty(query: Query, estimates: Mapping[str, Estimate]) -> str:
    """No number, or no group of a public list, clearly has a row."""
    if query.keys == PRIVATE or (query.counts_rows and not query.grouped):
        return ""
    rows = [
        estimate.low
        if query.counts_rows
        else next((float(f.low) for f in estimate.rests_on if f.name == ROWS), None)
        for estimate in estimates.values()
    ]
    if not rows or any(low is None or low > 0 for low in rows):
        return ""
    return (
        "no group clearly has a row: either there are few for this epsilon, or keys or bins are "
        "not those of the table"
        if query.grouped
        else "the answer rests on no row for certain: either there are few for this epsilon, or "
        f"{query.lacking}"
    )


def _share(query: Query, estimate: Estimate) -> float | None:
    """The part of a group's rows that is left out, where it surely is large."""
    figures = {figure.name: figure for figure in estimate.rests_on}
    left, rows = figures.get(LEFT_OUT), figures.get(ROWS)
    if left is None:
        return None
    if rows is not None:
        counted, most = float(rows.value), float(rows.high)
    elif query.counts_rows and estimate.high is not None:
        counted, most = estimate.value, estimate.high
    else:
        return None
    sure = left.low / max(1.0, left.low + most)
    return left.value / max(1.0, left.value + counted) if sure >= _WORTH else None


def _bounded(query: Query, setting: Setting) -> str:
    """Not all rows of a person count."""
    unit = setting.unit
    if unit.column is None or isinstance(query, Coverage):
        return ""
    most, groups = unit.max_rows_per_group, unit.max_groups
    keys = query.public_keys if query.grouped else ("",)
    each = " in a group" if query.grouped else ""
    fewer = query.grouped and groups is not None and (keys is None or groups < len(keys))
    if most == 1 and query.counts_rows:
        words = f"each {unit.name} counts once{each}"
    else:
        rows = "one row" if most == 1 else f"{most} rows"
        words = f"at most {rows} of each {unit.name} count{each}"
    if fewer and groups is not None:
        listed = "" if keys is None else f" of {len(keys)}"
        words += f", and in at most {groups}{listed} group{'s' * (groups > 1 or keys is not None)}"
    elif most == 1 and query.counts_rows:
        return f"{words}: further rows do not count"
    if query.adds_up:
        return f"{words}: numbers are too small where people have more"
    return f"{words}: answers are about these rows, not about all"


def _at_bounds(query: Query, estimates: Mapping[str, Estimate]) -> str:
    """A mean or a quantile is where values were clamped."""
    bounds = [query.ends_of(column) for column in query.columns_answered]
    near = [
        end
        for number, estimate in enumerate(estimates.values())
        for end in bounds[number % len(bounds)] or ()
        if _is_near(estimate, end, bounds[number % len(bounds)])
    ]
    if not near:
        return ""
    some = "the answer is" if len(estimates) == 1 else f"{len(near)} answers are"
    where = f" {near[0]:g}" if len(set(near)) == 1 else ""
    return (
        f"{some} at the bound{where}: either there are few rows, or most values lie beyond the "
        "bounds, and then the answer is wrong"
    )


def _unbounded(query: Query, estimates: Mapping[str, Estimate]) -> str:
    """A quantile that is to be a bound is not known on one side."""
    if not isinstance(query, Bounds):
        return ""
    first, last = (float(query.target.edges[end]) for end in (0, -1))
    if all(estimate.low != first and estimate.high != last for estimate in estimates.values()):
        return ""
    return (
        "an interval reaches the end of the grid: either there are few rows for this epsilon and "
        "these levels, or values lie beyond"
    )


def _is_near(estimate: Estimate, end: float, bounds: tuple[float, float] | None) -> bool:
    """Whether it is near in parts of the width, and not clearly apart: 500 of 0 to 100,000 is."""
    apart = abs(estimate.value - end)
    if bounds is None or apart > _NEAR * (bounds[1] - bounds[0]):
        return False
    low, high = estimate.low, estimate.high
    if low is not None and high is not None and low <= end <= high:
        return True
    return apart <= max(_NEAR * abs(end), estimate.step or 0.0)
