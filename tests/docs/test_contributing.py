"""What CONTRIBUTING.md and the changelog point to is there."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

import leastnoise

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
PATHS = sorted(
    word
    for word in re.findall(r"`([\w./]+)`", TEXT)
    if ("/" in word or word.endswith((".py", ".md", ".txt"))) and word != "leastnoise/1"
)


@pytest.mark.parametrize("path", [path for path in PATHS if not path.startswith("name.")])
def test_a_file_that_is_named_is_there(path: str) -> None:
    assert any((base / path).exists() for base in (ROOT, ROOT / "src" / "leastnoise")), path


def test_targets_and_names_that_are_spoken_of_exist() -> None:
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.M))
    assert set(re.findall(r"`make (\w+)`", TEXT)) <= targets
    for name in re.findall(r"\((docs/[\w.-]+)\)", TEXT):
        assert (ROOT / name).exists(), name


def test_the_changelog_begins_with_what_is_not_released_and_knows_this_version() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    heads = re.findall(r"^## (.+)$", changelog, re.M)
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert heads[0] == "Unreleased"
    assert version in heads[1] or f"This will be {version}." in changelog
    assert leastnoise.__version__ == version
    for name, line in (
        ("CITATION.cff", f"version: {version}\n"),
        ("docs/cite.md", f"{{{version}}}"),
    ):
        assert line in (ROOT / name).read_text(encoding="utf-8"), name
