"""Mechanism files proven by Coq: the theory, a translator, and the command that runs it."""

from .coq import Proof, accepts, assumptions, compiled, missing, prove
from .translate import NotCovered, left_out, translated

__all__ = [
    "NotCovered",
    "Proof",
    "accepts",
    "assumptions",
    "compiled",
    "left_out",
    "missing",
    "prove",
    "translated",
]
