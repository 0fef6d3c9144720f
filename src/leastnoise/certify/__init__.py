"""The mechanism file and its checker: the standard library only, nothing from the solver side."""

from .document import Certificate, Document, ShiftMultipliers, Tail, parse, read
from .report import NOT_CHECKED, PROVEN, REFUTED, Claim, Report, check

__all__ = [
    "NOT_CHECKED", "PROVEN", "REFUTED", "Certificate", "Claim", "Document", "Report",
    "ShiftMultipliers", "Tail", "check", "parse", "read",
]
