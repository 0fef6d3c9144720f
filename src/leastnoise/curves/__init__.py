"""Curves of designs: one loss against another, loss against privacy, each point a bracket."""

from .frontier import Frontier, frontier
from .tradeoff import Tradeoff, tradeoff

__all__ = ["Frontier", "Tradeoff", "frontier", "tradeoff"]
