"""Strings that users read use the words of the field, and not those of this project's beginnings.

Docstrings (but for those of the command line, which are its help), comments and names are not
looked at, nor are the packages below `_APART`: the checker
keeps its own language, and the engine's strings are read by developers.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "leastnoise"
_APART = {"certify", "engine", "program"}

#: What stands in no sentence, and what to write instead.
BANNED = {
    r"whole[- ]numbers?\b": "integer(s)",
    r"\blaws?\b(?!\.)": "distribution(s)",
    r"\bstairs\b": "staircase",
    r"\b(refuse[sd]?|refusals?)\b": "reject",
    r"\bpersons\b": "people",
    r"\btexts\b": "strings",
    r"\btruths\b": "Booleans",
    r"[0-9}] %(?![(\w])": "95%, without a space",
    r"\bmended\b": "fixed",
    r"\bneighbour": "neighbor",
    r"\bhockey stick\b": "hockey-stick divergence",
    r"\btold apart\b|\btells? apart\b": "distinguish",
    r"\brivals?\b": "baselines",
    r"keys with their counts": "private keys (partition selection)",
    r"\bis shown\b|\bare shown\b(?! \()|\bshown with\b|\bshows a key\b": "released",
    r"\bquestions?\b": "query, or problem",
    r"\bas private\b": "of the same budget, (epsilon, delta)-DP",
    r"\bnoise by levels\b": "K-norm noise",
    r"\bcosts? (at least|at most|nothing)\b": "spends, or: has an expected loss of",
    r"\bpaid for\b|\bpays from\b": "spent",
    r"\bcentred\b|\bminimis|\bcolour\b": "American spelling",
}
#: How many there may be. It may only fall.
MOST = 0


def _docstrings(tree: ast.AST) -> set[int]:
    """The nodes that are docstrings, of attributes as well, by their identity."""
    return {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }


def sentences(path: Path) -> Iterator[tuple[int, str]]:
    """The strings of a module that hold a space, with their lines; {} for what is filled in."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    skipped = set() if path.parent.name == "cli" else _docstrings(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            parts = [p.value if isinstance(p, ast.Constant) else "{}" for p in node.values]
            skipped |= {id(p) for p in node.values}
            text = "".join(map(str, parts))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = node.value
        else:
            continue
        if id(node) not in skipped and " " in text.strip():
            yield node.lineno, text


def _is_code(text: str) -> bool:
    """Whether it is SQL or Coq, which have words of their own."""
    return (
        re.search(r"\b(SELECT|CASE|WHERE|GROUP BY|Require|Definition)\b|\{\} % \{\}", text)
        is not None
    )


def test_no_sentence_has_a_word_that_the_field_does_not_use() -> None:
    found = [
        f"{path.relative_to(SOURCE)}:{line}: {match.group()!r}, write {better}: {text[:90]!r}"
        for path in sorted(SOURCE.rglob("*.py"))
        if path.relative_to(SOURCE).parts[0] not in _APART
        for line, text in sentences(path)
        if not _is_code(text)
        for word, better in BANNED.items()
        if (match := re.search(word, text)) is not None
    ]
    assert len(found) <= MOST, "\n".join(found)


def test_the_scan_finds_a_sentence_in_a_formatted_string(tmp_path: Path) -> None:
    module = tmp_path / "m.py"
    module.write_text(
        '"""A law."""\nx = 1\ny = f"{x} whole numbers"\nz = "law"\n', encoding="utf-8"
    )
    assert list(sentences(module)) == [(3, "{} whole numbers")]
