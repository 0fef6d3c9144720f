"""The mechanism file and its checker: the standard library only, nothing from the solver side."""

from .file import check, check_any, check_bytes, check_file, parse_any, read_and_check, read_any
from .kinds.additive import AdditiveFile, ShiftCertificate, ShiftMultipliers, Tail, parse
from .kinds.dependent import DependentFile
from .report import NOT_CHECKED, PROVEN, REFUTED, Claim, Report

__all__ = [
    "NOT_CHECKED",
    "PROVEN",
    "REFUTED",
    "AdditiveFile",
    "Claim",
    "DependentFile",
    "Report",
    "ShiftCertificate",
    "ShiftMultipliers",
    "Tail",
    "check",
    "check_any",
    "check_bytes",
    "check_file",
    "parse",
    "parse_any",
    "read_and_check",
    "read_any",
]
