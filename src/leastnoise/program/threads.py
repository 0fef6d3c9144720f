"""Threads of BLAS, which only wait for each other where matrices are small."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

import scipy.linalg  # noqa: F401 (its library is to be found, too)
from threadpoolctl import ThreadpoolController

#: The libraries of NumPy and SciPy; looking for them anew takes milliseconds.
_BLAS = ThreadpoolController()


def blas_threads(most: int | None) -> AbstractContextManager[Any]:
    """At most so many threads; None: as many as there are."""
    limit: AbstractContextManager[Any] = _BLAS.limit(limits=most, user_api="blas")
    return limit
