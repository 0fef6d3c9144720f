"""Baselines of answers in a range: additive noise, its answers moved into the range."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..baselines import Mechanism, Remapped
from ..design import answer
from ..designs.design import Design
from ..errors import RegimeError
from ..facts import CONFIDENCE
from ..noise.ranged import RangeNoise
from ..problem.arguments import Arguments
from .additive import baselines, comparable, figures
from .table import ComparisonRow, Refused

#: Values of a range and quantiles of a noise that stand for all of them.
_VALUES, _QUANTILES = 256, 1 << 14


def rows(
    design: Design[RangeNoise], seconds: float | None, refused: Refused
) -> Iterator[ComparisonRow]:
    """The design, the best additive noise, closed forms, and the best of them remapped."""
    bounds = design.noise.bounds
    known = figures(design.error_bound(CONFIDENCE), bounds)
    yield ComparisonRow("design", "this design", design.upper, known, mechanism=design)
    if comparable(design) and design.exact_budget is not None:
        epsilon, delta = design.exact_budget
        plain = answer(
            Arguments(
                epsilon=epsilon,
                delta=delta,
                sensitivity=design.noise.document.sensitivity,
                loss=design.noise.document.loss,
                integer=design.integer,
                releases=design.releases if design.releases > 1 else None,
                time_limit=seconds,
            )
        )
        yield _in_range(design, "additive", "the best additive noise", plain, plain.noise)
    forms = []
    for baseline, remark in baselines(design, refused):
        try:
            yield _in_range(design, baseline.name, baseline.label, baseline, baseline, remark)
        except RegimeError as error:
            refused.append((baseline.name, str(error)))
            continue
        forms.append(baseline)
    if design.integer:
        yield from _best_remap(design, forms)


def _in_range(
    design: Design[RangeNoise], name: str, label: str, mechanism: Any, law: Any, remark: str = ""
) -> ComparisonRow:
    """Additive noise for values of a range, its answers moved into it."""
    low, high = design.noise.bounds
    if design.integer:
        width = round(high - low)
        values, noise = np.arange(low, high + 1), np.arange(-width, width + 1)
        below = np.concatenate([[0.0], np.asarray(law.cdf(noise[:-1])), [1.0]])
        masses = np.diff(below)
    else:
        values = low + (high - low) * (np.arange(_VALUES) + 0.5) / _VALUES
        noise = np.asarray(law.quantile((np.arange(_QUANTILES) + 0.5) / _QUANTILES))
        masses = np.full(_QUANTILES, 1 / _QUANTILES)
    errors = np.clip(values[:, None] + noise[None, :], low, high) - values[:, None]
    loss = float(np.mean(np.asarray(design.noise.document.loss(errors)) @ masses))
    known = figures(min(float(law.error_bound(CONFIDENCE)), high - low), (low, high))
    words = "moved into the range" + (f", {remark}" if remark else "")
    return ComparisonRow(name, label, loss, known, words, mechanism=mechanism)


def _best_remap(design: Design[RangeNoise], forms: list[Mechanism]) -> Iterator[ComparisonRow]:
    """The closed form that is best once its answers are remapped; none for very wide ranges."""
    low, high = design.noise.bounds
    remaps = []
    for form in forms:
        with contextlib.suppress(RegimeError):
            remaps.append(Remapped(form, round(low), round(high), design.noise.document.loss))
    if remaps:
        best = min(remaps, key=lambda remap: remap.expected_loss)
        words = "answers replaced, the best for uniform values"
        known = figures(best.error_bound(CONFIDENCE), (low, high))
        yield ComparisonRow(
            best.name, best.label, best.expected_loss, known, words, mechanism=best.noise
        )
