"""What is asked: the budget, the sensitivity, the loss."""

from .problem import Problem

__all__ = ["Problem"]
