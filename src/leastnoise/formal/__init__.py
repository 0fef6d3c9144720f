"""Mechanism files proven by Coq: the theory, a translator, and the command that runs it."""

from .coq import Proof, accepts, assumptions, compiled, missing, prove
from .translate import NotCovered, translated

__all__ = [
    "NotCovered",
    "Proof",
    "accepts",
    "assumptions",
    "compiled",
    "missing",
    "prove",
    "translated",
]
