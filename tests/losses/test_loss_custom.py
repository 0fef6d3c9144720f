"""Python functions as losses: estimates, and what is still promised of them."""

from __future__ import annotations

import pytest

from leastnoise.errors import ArgumentError
from leastnoise.losses import L1, Custom


def test_custom_losses_are_estimates() -> None:
    loss = Custom(lambda x: x * x, convex=True)
    assert not loss.certified and loss.spec() == {"name": "custom"}
    assert not (loss + L1()).certified
    with pytest.raises(ArgumentError):
        Custom(lambda x: x * x)
    with pytest.raises(ArgumentError, match="unbounded"):
        Custom(lambda x: 1.0, convex=True)
