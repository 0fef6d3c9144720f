"""Designs inside other libraries: OpenDP, SciPy, diffprivlib.

Each function lives in the module of its library and imports it when called (`OptimalMechanism`,
when it is first named); nothing here is needed to design or to release.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .opendp import (
    make_least_noise,
    register_opendp,
    then_least_noise,
    to_opendp,
    to_opendp_profile,
)
from .scipy_stats import to_scipy

__all__ = [
    "OptimalMechanism",
    "make_least_noise",
    "register_opendp",
    "then_least_noise",
    "to_opendp",
    "to_opendp_profile",
    "to_scipy",
]

if TYPE_CHECKING:
    from .diffprivlib import OptimalMechanism


def __getattr__(name: str) -> Any:
    if name == "OptimalMechanism":
        from .diffprivlib import OptimalMechanism

        return OptimalMechanism
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
