"""Designs inside other libraries: OpenDP, SciPy, diffprivlib.

Each function lives in the module of its library and imports it when called; nothing here is
needed to design or to release.
"""

from __future__ import annotations

from .diffprivlib import OptimalMechanism
from .opendp import (
    make_least_noise,
    register_opendp,
    then_least_noise,
    to_opendp,
    to_opendp_profile,
)
from .scipy_stats import to_scipy

__all__ = [
    "OptimalMechanism", "make_least_noise", "register_opendp", "then_least_noise", "to_opendp",
    "to_opendp_profile", "to_scipy",
]
