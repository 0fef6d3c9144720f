"""Forged variants of the golden files have the verdicts that they had before."""

from __future__ import annotations

import pytest
from golden_files import DIGESTS, FORGED, KINDS, golden, read_lines, verdict
from golden_mutations import digest_of, some_variants


@pytest.mark.parametrize("kind", KINDS)
def test_verdicts_are_what_they_were(kind: str) -> None:
    recorded = read_lines(FORGED / f"{kind}.jsonl", "forged")
    assert list(recorded) == list(golden(kind))
    for name, data in golden(kind).items():
        forged = {label: verdict(text) for label, text in some_variants(data).items()}
        assert forged == recorded[name], name


def test_there_are_enough_and_most_are_caught() -> None:
    recorded = [read_lines(FORGED / f"{kind}.jsonl", "forged") for kind in KINDS]
    verdicts = [word for files in recorded for entry in files.values() for word in entry.values()]
    assert len(verdicts) >= 2_000
    share = {word: verdicts.count(word) / len(verdicts) for word in ("malformed", "proven")}
    assert share["malformed"] < 0.7 and share["proven"] < 0.25


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_many_verdicts_are_what_they_were(kind: str) -> None:
    """Two hundred of each file.

    Where a digest differs, `benchmarks/differential.py` between the two versions says which file.
    """
    recorded = read_lines(DIGESTS, "digest")
    for name, data in golden(kind).items():
        assert digest_of(data) == recorded[f"{kind}/{name}"], name
