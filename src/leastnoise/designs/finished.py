"""From a search to a design: both halves in one document, and the checker has the last word."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from ..certify import Document, check_bytes
from ..certify.file import AnyDocument
from ..engine.bounds import Lower, Upper
from ..engine.search import Bracket, Search
from ..errors import CertificateError, FormatError
from ..formatting import gap_of, gap_words, number, ordered
from ..problem.arguments import Asked
from .additive import Design
from .base import BaseDesign
from .joint import JointDesign
from .keyed import KeyedDesign
from .ranged import DependentDesign
from .vector import VectorDesign
from .workload import WorkloadDesign

AnyDesign = Design | DependentDesign | VectorDesign  #: what a search finds

#: The design that a file of each kind is.
_DESIGNS: dict[str, type[BaseDesign]] = {
    "additive": Design,
    "integer": Design,
    "dependent": DependentDesign,
    "vector": VectorDesign,
    "keyed": KeyedDesign,
    "joint": JointDesign,
    "workload": WorkloadDesign,
}


def finished(asked: Asked, search: Search) -> AnyDesign:
    """Run the search and return its design, every claim of which has passed the exact checker.

    `CertificateError` if one has not (then nothing is returned), and `ContradictionError` if exact
    bounds exclude each other.
    """
    return search.finish(lambda bracket: _made(asked, search, bracket))


def _made(asked: Asked, search: Search, bracket: Bracket) -> AnyDesign:
    loss = asked.problem.loss
    for lower, upper in bracket.halves(lambda: search.plan.trivial(search.plan.problem)):
        low, high = ordered(lower.value, upper.value, loss.certified)
        proof = lower.certificate if loss.certified else None
        halves: dict[str, Any] = {"lower": low, "upper": high, "certificate": proof}
        # As anybody will read and check the file, within one budget of work.
        with contextlib.suppress(FormatError):
            document = replace(upper.document, **halves)
            report = check_bytes(document.dumps().encode())[1]
            break
    else:
        raise CertificateError("no design was found that can be checked and written to a file")
    if not report.private or (loss.certified and not report.proven):
        raise CertificateError(f"the exact check failed, nothing is returned: {report.claims}")
    converged = gap_of(document) <= search.gap
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
    status = _status(asked, document, report.proven, converged, search, lower, upper)
    found: AnyDesign = kind_of(document)(
        document, loss, converged, status, MappingProxyType(stats), report.proven
    )
    return found


def kind_of(document: AnyDocument) -> Callable[..., Any]:
    """The class of the design that a document is."""
    return _DESIGNS[document.kind]


def _advice(reason: str, gap: float) -> str:
    """What would help."""
    if reason == "interrupted":
        return ""
    enough = f"gap={number(1.06 * gap, 2)}" if math.isfinite(gap) else "a larger gap"
    if "time limit" in reason:
        return f" (a longer time_limit may close it; {enough} is reached)"
    return f" (more time will not help; {enough} can be reached)"


def _status(
    asked: Asked,
    document: AnyDocument,
    certified: bool,
    converged: bool,
    search: Search,
    lower: Lower,
    upper: Upper,
) -> str:
    bracket, additive = search.bracket, isinstance(document, Document)
    words = gap_words(document, certified)
    words += f" (noise: {upper.method}; bound: {lower.method or 'no multipliers'})"
    words += f" after {bracket.rounds} rounds" if bracket.rounds else ""
    if bracket.resolutions:
        last = bracket.resolutions[-1]
        words += f" at resolution {last}" if additive else f" on {last} cells"
    words += search.plan.remarks(search.plan.problem, search)
    if not converged and search.plan.aims_at_gap:
        reason = search.reason or "stopped when no constraint was left to add"
        words += f"; {reason}, before the gap of {number(100 * search.gap)}% that was asked for"
        words += _advice(reason, gap_of(document))
        if bracket.failures:
            words += f" (the solver gave up {len(bracket.failures)} times)"
    if document.sensitivity > asked.problem.sensitivity:
        served = float(document.sensitivity)
        words += f"; private up to a sensitivity of {served:g}, a multiple of the step"
    return words
