"""A total budget for several releases, each of which may depend on the value.

Each release keeps an equal share of the budget, or a Gaussian curve: that k of them then keep the
total is what the checker proves (`../certify/curve.proof.md`, which is about any mechanisms).
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from .._validate import check_time_limit
from ..certify.channel import check_channel
from ..errors import CertificateError
from ..exact import Number
from ..spec.combinations import refuse_combinations
from ..spec.problem import check_releases, mu_for, total_budget
from .design import DependentDesign, design_dependent


def design_for_releases(
    releases: int,
    *,
    epsilon: Number | None,
    delta: Number | None,
    time_limit: float | None = None,
    **options: Any,
) -> DependentDesign:
    """The better of two ways to spend a total budget: in equal shares, or along a curve.

    `lower` is over answers that keep the same share or the same curve. The options are those of
    `design_dependent`.
    """
    profile, gdp = options.pop("profile", None), options.pop("gdp", None)
    refuse_combinations({"releases": releases, "profile": profile, "gdp": gdp})
    # What can be read only once is read here: it is asked twice.
    options = {k: list(v) if isinstance(v, Iterator) else v for k, v in options.items()}
    count, limit = check_releases(releases), check_time_limit(time_limit)
    total = total_budget(count, epsilon, delta)
    start, mu = time.monotonic(), mu_for(total)
    best = design_dependent(
        epsilon=total.epsilon / count, delta=total.delta / count,
        time_limit=None if limit is None else limit / 2, **options,
    )
    # The noise of regions ends somewhere: it is below no curve.
    if mu is not None and options.get("regions") is None:
        left = None if limit is None else max(limit - (time.monotonic() - start), limit / 10)
        other = design_dependent(gdp=mu, time_limit=left, **options)
        best = min(best, other, key=lambda one: one.upper)
    question = replace(best.document.question, releases=total)
    document = replace(best.document, question=question)
    if not check_channel(document).proven:
        raise CertificateError("the exact check of the total budget failed; nothing is returned")
    return replace(best, document=document)
