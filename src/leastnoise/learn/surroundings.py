"""What scikit-learn does around a fit that its budget does not cover: warnings and rejections."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Mapping
from types import FrameType
from typing import Any

from ..errors import ReleaseWarning

_WEIGHTS = {
    "sample_weight": "it would change how far one row can move the model",
    "class_weight": "it would change how far a row of that class can move the model",
}


def reject_weights(place: str, arguments: Mapping[str, Any]) -> None:
    """`TypeError` for arguments that a private classifier has not, with the reason for weights."""
    for name in arguments:
        words = f"{place} has no argument {name!r}"
        if name in _WEIGHTS:
            words += f": {_WEIGHTS[name]}. Leave it out"
            if name == "class_weight":
                words += ", or choose another threshold for predict_proba after the fit"
        raise TypeError(words)


def warn_of_surroundings() -> None:
    """Warn of budgets that a search spends, and of fitted steps in front of the model."""
    for frame in _callers():
        module, name = frame.f_globals.get("__name__", ""), frame.f_code.co_name
        if module == "sklearn.model_selection._validation" and name == "_fit_and_score":
            _warn(
                "each fit of a search or a cross-validation spends the whole budget: k fits spend "
                "k times epsilon and delta, unless no row is in two of them (pass accountant= to "
                "count them; compose adds them up)"
            )
        if module == "sklearn.pipeline" and name == "fit":
            for step in _fitted_steps(frame.f_locals.get("self")):
                _warn(
                    f"the step {step!r} in front of the private classifier is fitted on the same "
                    "rows without noise: the pipeline is not differentially private (use bounds= "
                    "for scaling, or fit the step on public rows)"
                )


def _callers() -> Iterator[FrameType]:
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        yield frame
        frame = frame.f_back


def _fitted_steps(pipeline: Any) -> Iterator[str]:
    """The names of a pipeline's steps before the last one that learn something from rows."""
    return (name for name, step in getattr(pipeline, "steps", [])[:-1] if _learns(step))


def _learns(step: Any) -> bool:
    """Whether fitting the step reads rows; it does not where its parameters are all stated."""
    from sklearn.utils import get_tags

    inner = getattr(step, "transformers", None) or getattr(step, "transformer_list", None)
    inner = inner or getattr(step, "steps", None)
    if inner is not None:
        return any(_learns(part[1]) for part in inner)
    if not hasattr(step, "fit") or not get_tags(step).requires_fit:
        return False
    categories = getattr(step, "categories", "auto")  # of encoders
    stated = not isinstance(categories, str) or getattr(step, "strategy", None) == "constant"
    return not stated


def _warn(words: str) -> None:
    warnings.warn(words, ReleaseWarning, stacklevel=4)
