"""The door for data: every source becomes a table of a public schema, whose values have one
meaning on every engine that is covered. Statements and proofs: `forms.proof.md`.
"""

from .opening import open_table, opened, quietly
from .table import DATE, LONGEST_KEY, MOMENT, NUMBER, TEXT, TRUTH, WHOLE, Column, Table, ValueForm

__all__ = [
    "DATE",
    "LONGEST_KEY",
    "MOMENT",
    "NUMBER",
    "TEXT",
    "TRUTH",
    "WHOLE",
    "Column",
    "Table",
    "ValueForm",
    "open_table",
    "opened",
    "quietly",
]
