"""leastnoise: the least noise that differential privacy allows, with a proof.

Names are imported on first use, so that `leastnoise.certify` runs without NumPy.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOME = {
    "design": "design",
    "Design": "design",
    "load": "design",
    "Progress": "engine.search",
    "L1": "losses",
    "L2": "losses",
    "Pinball": "losses",
    "Power": "losses",
    "Huber": "losses",
    "Piecewise": "losses",
    "Sum": "losses",
    "Custom": "losses",
    "Loss": "losses",
    "Distinguishing": "spec.constraints",
    "LossAtMost": "spec.constraints",
    "MaxError": "spec.constraints",
    "Monotone": "spec.constraints",
    "Support": "spec.constraints",
    "Symmetric": "spec.constraints",
    "Unbiased": "spec.constraints",
    "Unimodal": "spec.constraints",
    "closed_forms": "mechanisms",
    "design_dependent": "dependent",
    "DependentDesign": "dependent",
    "compare": "compare",
    "design_for_error": "compare",
    "tradeoff": "curves",
    "frontier": "curves",
    "break_even": "accounting",
    "compose": "accounting",
    "DPLogisticRegression": "estimators",
    "DPNaiveBayes": "estimators",
    "sweep": "sweep",
    "budget_grid": "sweep",
    "ArgumentError": "errors",
    "CertificateError": "errors",
    "ContradictionError": "errors",
    "FormatError": "errors",
    "LeastnoiseError": "errors",
    "MissingExtraError": "errors",
    "RegimeError": "errors",
}

__all__ = [
    "L1",
    "L2",
    "ArgumentError",
    "CertificateError",
    "ContradictionError",
    "Custom",
    "DPLogisticRegression",
    "DPNaiveBayes",
    "DependentDesign",
    "Design",
    "Distinguishing",
    "FormatError",
    "Huber",
    "LeastnoiseError",
    "Loss",
    "LossAtMost",
    "MaxError",
    "MissingExtraError",
    "Monotone",
    "Piecewise",
    "Pinball",
    "Power",
    "Progress",
    "RegimeError",
    "Sum",
    "Support",
    "Symmetric",
    "Unbiased",
    "Unimodal",
    "break_even",
    "budget_grid",
    "closed_forms",
    "compare",
    "compose",
    "design",
    "design_dependent",
    "design_for_error",
    "frontier",
    "load",
    "sweep",
    "tradeoff",
]

if TYPE_CHECKING:
    from .accounting import break_even, compose
    from .compare import compare, design_for_error
    from .curves import frontier, tradeoff
    from .dependent import DependentDesign, design_dependent
    from .design import Design, design, load
    from .engine.search import Progress
    from .errors import (
        ArgumentError,
        CertificateError,
        ContradictionError,
        FormatError,
        LeastnoiseError,
        MissingExtraError,
        RegimeError,
    )
    from .estimators import DPLogisticRegression, DPNaiveBayes
    from .losses import L1, L2, Custom, Huber, Loss, Piecewise, Pinball, Power, Sum
    from .mechanisms import closed_forms
    from .spec.constraints import (
        Distinguishing,
        LossAtMost,
        MaxError,
        Monotone,
        Support,
        Symmetric,
        Unbiased,
        Unimodal,
    )
    from .sweep import budget_grid, sweep


def __getattr__(name: str) -> Any:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f".{home}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])


class _Package(ModuleType):
    def __setattr__(self, name: str, value: object) -> None:
        # Importing the module leastnoise.design must not hide the function of the same name.
        if not (name in _HOME and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
