"""Designs that are less good, and made sooner, for tests to which any design is as good."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest


@contextmanager
def coarse_designs(factory: pytest.TempPathFactory) -> Iterator[None]:
    """What tables design is within 10 % of the least loss, and kept apart from all that is finer.

    Kept for this run and all its processes.
    """
    from leastnoise import cache as kept
    from leastnoise.engine.shapes import method

    folder = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    remembered = kept.designed, kept.designed_together, kept.workload_designed
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LEASTNOISE_CACHE", str(folder / "coarse"))
        patch.setattr(kept, "_GAP", "0.1")
        patch.setattr(method, "_INNER", replace(method._INNER, gap_of_vector=0.1))
        for one in remembered:
            one.cache_clear()
        yield
    for one in remembered:
        one.cache_clear()
