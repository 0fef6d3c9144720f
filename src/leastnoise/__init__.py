"""leastnoise: the least noise that differential privacy allows, with a proof.

Names are imported on first use, so that `leastnoise.certify` runs without NumPy.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING, Any

__version__ = "0.2.0"

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
    "WeightedSum": "losses",
    "Custom": "losses",
    "Loss": "losses",
    "Distinguishing": "problem",
    "LossAtMost": "problem",
    "MaxError": "problem",
    "Monotone": "problem",
    "Support": "problem",
    "Symmetric": "problem",
    "Unbiased": "problem",
    "Unimodal": "problem",
    "closed_forms": "baselines",
    "design_dependent": "design",
    "partition_selection": "partition_selection",
    "Workload": "problem.workload",
    "Ball": "problem.shape",
    "Blocks": "problem.shape",
    "Cube": "problem.shape",
    "Sparse": "problem.shape",
    "Shape": "problem.shape",
    "compare": "compare",
    "design_for_error": "compare",
    "tradeoff": "curves",
    "frontier": "curves",
    "break_even": "accounting",
    "compose": "accounting",
    "DPLogisticRegression": "learn",
    "DPNaiveBayes": "learn",
    "sweep": "sweep",
    "budget_grid": "sweep",
    "Ledger": "tables.ledger",
    "Answer": "tables",
    "Bounds": "tables",
    "Count": "tables",
    "Coverage": "tables",
    "CsvFile": "tables",
    "Cumulative": "tables",
    "ExcelFile": "tables",
    "Histogram": "tables",
    "Marginals": "tables",
    "Mean": "tables",
    "MeanVector": "tables",
    "Median": "tables",
    "PrivacyUnit": "tables",
    "Quantile": "tables",
    "Quantiles": "tables",
    "RangeCounts": "tables",
    "Proportion": "tables",
    "Sum": "tables",
    "Summary": "tables",
    "Variance": "tables",
    "ask": "tables",
    "ask_all": "tables",
    "compare_units": "tables",
    "plan": "tables",
    "plan_all": "tables",
    "report": "tables",
    "ArgumentError": "errors",
    "BudgetError": "errors",
    "EngineError": "errors",
    "LedgerError": "errors",
    "CertificateError": "errors",
    "ContradictionError": "errors",
    "FormatError": "errors",
    "LeastnoiseError": "errors",
    "MissingExtraError": "errors",
    "NotAnsweredError": "errors",
    "RegimeError": "errors",
    "ReleaseWarning": "errors",
}

__all__ = [
    "L1",
    "L2",
    "Answer",
    "ArgumentError",
    "Ball",
    "Blocks",
    "Bounds",
    "BudgetError",
    "CertificateError",
    "ContradictionError",
    "Count",
    "Coverage",
    "CsvFile",
    "Cube",
    "Cumulative",
    "Custom",
    "DPLogisticRegression",
    "DPNaiveBayes",
    "Design",
    "Distinguishing",
    "EngineError",
    "ExcelFile",
    "FormatError",
    "Histogram",
    "Huber",
    "LeastnoiseError",
    "Ledger",
    "LedgerError",
    "Loss",
    "LossAtMost",
    "Marginals",
    "MaxError",
    "Mean",
    "MeanVector",
    "Median",
    "MissingExtraError",
    "Monotone",
    "NotAnsweredError",
    "Piecewise",
    "Pinball",
    "Power",
    "PrivacyUnit",
    "Progress",
    "Proportion",
    "Quantile",
    "Quantiles",
    "RangeCounts",
    "RegimeError",
    "ReleaseWarning",
    "Shape",
    "Sparse",
    "Sum",
    "Summary",
    "Support",
    "Symmetric",
    "Unbiased",
    "Unimodal",
    "Variance",
    "WeightedSum",
    "Workload",
    "ask",
    "ask_all",
    "break_even",
    "budget_grid",
    "closed_forms",
    "compare",
    "compare_units",
    "compose",
    "design",
    "design_dependent",
    "design_for_error",
    "frontier",
    "load",
    "partition_selection",
    "plan",
    "plan_all",
    "report",
    "sweep",
    "tradeoff",
]
if find_spec("sklearn") is None:  # a star import takes every name; each alone says what to install
    __all__.remove("DPLogisticRegression")
    __all__.remove("DPNaiveBayes")

if TYPE_CHECKING:
    from .accounting import break_even, compose
    from .baselines import closed_forms
    from .compare import compare, design_for_error
    from .curves import frontier, tradeoff
    from .design import Design, design, design_dependent, load
    from .engine.search import Progress
    from .errors import (
        ArgumentError,
        BudgetError,
        CertificateError,
        ContradictionError,
        EngineError,
        FormatError,
        LeastnoiseError,
        LedgerError,
        MissingExtraError,
        NotAnsweredError,
        RegimeError,
        ReleaseWarning,
    )
    from .learn import DPLogisticRegression, DPNaiveBayes
    from .losses import L1, L2, Custom, Huber, Loss, Piecewise, Pinball, Power, WeightedSum
    from .partition_selection import partition_selection
    from .problem import (
        Distinguishing,
        LossAtMost,
        MaxError,
        Monotone,
        Support,
        Symmetric,
        Unbiased,
        Unimodal,
    )
    from .problem.shape import Ball, Blocks, Cube, Shape, Sparse
    from .problem.workload import Workload
    from .sweep import budget_grid, sweep
    from .tables import (
        Answer,
        Bounds,
        Count,
        Coverage,
        CsvFile,
        Cumulative,
        ExcelFile,
        Histogram,
        Marginals,
        Mean,
        MeanVector,
        Median,
        PrivacyUnit,
        Proportion,
        Quantile,
        Quantiles,
        RangeCounts,
        Sum,
        Summary,
        Variance,
        ask,
        ask_all,
        compare_units,
        plan,
        plan_all,
        report,
    )
    from .tables.ledger import Ledger


def __getattr__(name: str) -> Any:
    home = _HOME.get(name)
    if home is None:
        from .hints import name_words

        hint = name_words(name, __all__)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}.{hint}")
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
