"""What else one would add to a vector: closed forms and designs for each coordinate."""

from __future__ import annotations

import math

from scipy.optimize import brentq
from scipy.stats import norm


def gaussian_scale(epsilon: float, delta: float) -> float:
    """Standard deviation of the analytic Gaussian mechanism at sensitivity 1."""

    def excess(log_scale: float) -> float:
        s = math.exp(log_scale)
        upper = norm.logcdf(0.5 / s - epsilon * s)
        lower = epsilon + norm.logcdf(-0.5 / s - epsilon * s)
        return math.exp(upper) * -math.expm1(min(0.0, lower - upper)) - delta

    return math.exp(brentq(excess, -12.0, 30.0, xtol=1e-14))
