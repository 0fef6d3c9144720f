"""Every golden file is written back byte for byte and proves what it proved before."""

from __future__ import annotations

from pathlib import Path

import pytest
from golden_files import (
    KINDS,
    REPORTS,
    claims_of,
    golden,
    keys_of,
    read_lines,
    report_of,
    text_of_file,
    written_back,
)
from golden_keys import KEYS

FILES = [(kind, name) for kind in KINDS for name in golden(kind)]


def test_there_are_enough_and_they_are_small() -> None:
    assert len(FILES) >= 300
    assert sum(path.stat().st_size for path in Path(__file__).parent.rglob("*.jsonl")) < 1_000_000


@pytest.mark.parametrize("kind", KINDS)
def test_every_key_and_every_name_occurs(kind: str) -> None:
    """`golden_keys.py` lists them as the readers have them: a new key needs a golden file."""
    assert set().union(*map(keys_of, golden(kind).values())) == KEYS[kind]


@pytest.mark.parametrize("kind", KINDS)
def test_claims_are_what_they_were(kind: str) -> None:
    recorded = read_lines(REPORTS / f"{kind}.jsonl", "report")
    assert list(recorded) == list(golden(kind))
    for name, data in golden(kind).items():
        report = report_of(text_of_file(data))
        assert report["exit_code"] == recorded[name]["exit"], name
        assert claims_of(report) == recorded[name]["claims"], name


@pytest.mark.parametrize("kind", KINDS)
def test_files_are_written_back_byte_for_byte(kind: str, tmp_path: Path) -> None:
    for name, data in golden(kind).items():
        text = text_of_file(data)
        assert written_back(text, tmp_path) == text, name
