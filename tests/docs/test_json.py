"""What docs/command-line.md says of JSON: one object, with the keys that it lists."""

from __future__ import annotations

import json
import re

from doc_pages import ROOT, shell

PAGE = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")


def listed(command: str) -> set[str]:
    """The keys that the page lists for a command, those of lists inside left out."""
    row = re.findall(rf"^\| `{command}` \| (.*) \|$", PAGE, re.M)[-1]
    plain = re.sub(r": a list of [^;]*(?:;|$)", ";", re.sub(r"\([^)]*\)", "", row))
    return set(re.findall(r"`(\w+)`", plain))


def test_commands_about_tables_print_what_the_page_lists(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text("x\n1\n2\n", encoding="utf-8")
    for command in (
        "ledger create b.db --epsilon 7/2",
        "plan 'count()' --epsilon 1 --rows 100",
        "ask a.csv 'count()' --epsilon 1 --ledger b.db",
        "ledger show b.db",
        "ledger history b.db",
        "doctor",
    ):
        told = json.loads(shell(f"leastnoise {command} --json", tmp_path))
        name = told.pop("command")
        assert command.startswith(name) and told.pop("exit_code") == 0
        assert set(told) == listed(name), name
