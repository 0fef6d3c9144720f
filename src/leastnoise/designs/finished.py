"""From a search to a design: bytes are written, read back and checked, for every kind.

Nothing else makes a design, but for `load`, which reads and checks a file of the user's.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from ..certify import Report, check_bytes
from ..certify.base import AnyFile
from ..engine.bounds import Lower, Upper, joined
from ..engine.search import Bracket, Search
from ..errors import CertificateError, FormatError, LimitError
from ..formatting import gap_of, gap_words, number
from ..losses import Loss
from ..problem.arguments import DesignRequest
from .design import Design

_NOT_READ_BACK = "the mechanism file does not read back as this design"


def finished(asked: DesignRequest[Any], search: Search) -> Design[Any]:
    """Run the search and return its design, every claim of which has passed the exact checker.

    `CertificateError` if one has not (then nothing is returned), and `ContradictionError` if exact
    bounds exclude each other.
    """
    return search.finish(lambda bracket: _made(asked, search, bracket))


def _made(asked: DesignRequest[Any], search: Search, bracket: Bracket) -> Design[Any]:
    loss, plan = asked.problem.loss, search.plan
    lower, upper, document, report = _checked(search, bracket, loss.certified)
    stats = {
        "rounds": bracket.rounds,
        "resolutions": tuple(bracket.resolutions) or (upper.resolution,),
        "resolution": upper.resolution,
        "lower_resolution": lower.resolution,
        "columns": bracket.columns,
        "rows": bracket.rows,
        "pairs": bracket.pairs,
        "origin": upper.origin,
        "method": upper.method,
        "lower_method": lower.method,
        "repair": upper.repair,
        "solver_failures": len(bracket.failures),
        "seconds": search.clock() - search.start,
    }
    if plan.stats is not None:
        stats |= plan.stats(document, search)
    if plan.status is not None:
        status = plan.status(document, search)
    else:
        status = _status(asked, document, report.proven, search, lower, upper)
    return _design(document, report, loss, search.gap, status, stats)


def designed(document: AnyFile, loss: Loss, gap: float, status: str) -> Design[Any]:
    """The design of a document, read back from its bytes and checked.

    `CertificateError` if the file does not read back as the document, or a claim is not proven.
    """
    try:
        report = _read_back(document)
    except LimitError:
        raise
    except FormatError:
        raise CertificateError(_NOT_READ_BACK) from None
    return _design(document, report, loss, gap, status, {})


def _design(
    document: AnyFile, report: Report, loss: Loss, gap: float, status: str, stats: Mapping[str, Any]
) -> Design[Any]:
    """The design of a document with this report; an estimate only where the loss is a function."""
    if not report.private or (loss.certified and not report.proven):
        raise CertificateError(f"the exact check failed, nothing is returned: {report.claims}")
    converged = gap_of(document) <= gap
    return Design(document, loss, converged, status, MappingProxyType({**stats}), report.proven)


def _read_back(document: AnyFile) -> Report:
    """What the exact check finds of a file's bytes, which must read back as the document."""
    again, report = check_bytes(document.dumps().encode())
    if again != document:
        raise CertificateError(_NOT_READ_BACK)
    return report


def _checked(search: Search, bracket: Bracket, exact: bool) -> tuple[Lower, Upper, AnyFile, Report]:
    """The closest halves whose file anybody can read and check within one budget of work."""
    plan, unreadable = search.plan, False
    last: AnyFile | None = None
    for lower, upper in bracket.halves(lambda: plan.trivial(plan.problem)):
        try:
            document = joined(lower, upper, exact)
            if document is last:
                continue  # (a file that states both of its bounds)
            last = document
            report = _read_back(document)
        except LimitError:
            continue
        except FormatError:
            unreadable = True
            continue
        return lower, upper, document, report
    if not unreadable:
        plan.too_long(plan.problem)
    raise CertificateError(_NOT_READ_BACK)


def _advice(reason: str, gap: float) -> str:
    """What would help."""
    if reason == "interrupted":
        return ""
    enough = f"gap={number(1.06 * gap, 2)}" if math.isfinite(gap) else "a larger gap"
    if "time limit" in reason:
        return f" (a longer time_limit may close it; {enough} is reached)"
    return f" (more time will not help; {enough} can be reached)"


def _status(
    asked: DesignRequest[Any],
    document: AnyFile,
    certified: bool,
    search: Search,
    lower: Lower,
    upper: Upper,
) -> str:
    bracket, additive = search.bracket, document.kind in ("additive", "integer")
    words = gap_words(document, certified)
    words += f" (noise: {upper.method}; bound: {lower.method or 'no multipliers'})"
    words += f" after {bracket.rounds} rounds" if bracket.rounds else ""
    if bracket.resolutions:
        last = bracket.resolutions[-1]
        words += f" at resolution {last}" if additive else f" on {last} cells"
    words += search.plan.remarks(search.plan.problem, search)
    if gap_of(document) > search.gap and search.plan.aims_at_gap:
        reason = search.reason or "stopped when no constraint was left to add"
        words += f"; {reason}, before the gap of {number(100 * search.gap)}% that was asked for"
        words += _advice(reason, gap_of(document))
        if bracket.failures:
            words += f" (the solver gave up {len(bracket.failures)} times)"
    if document.sensitivity > asked.problem.sensitivity:
        served = float(document.sensitivity)
        words += f"; private up to a sensitivity of {served:g}, a multiple of the step"
    return words
