"""Noise for other languages: run where the language is installed, against the exact law."""

from __future__ import annotations

import csv
import io
import shutil
import sqlite3
import subprocess
from collections import Counter

import pytest

from leastnoise import design
from leastnoise.errors import ArgumentError
from leastnoise.noise.export import LANGUAGES, exported, table_of

DRAWS = 20_000


@pytest.fixture(scope="module")
def found():
    return design(epsilon=1, delta="0.2", sensitivity=1, integer=True)


def agrees(found, drawn):
    """Whether counts of draws are within five standard deviations of the law."""
    values, sums = table_of(found)
    chances = [(b - a) / sums[-1] for a, b in zip([0, *sums], sums, strict=False)]
    counts = Counter(drawn)
    assert len(drawn) == DRAWS and set(counts) <= set(values)
    for value, p in zip(values, chances, strict=True):
        assert abs(counts[value] - DRAWS * p) < 5 * (DRAWS * p * (1 - p)) ** 0.5 + 1, value


def test_the_table_is_the_file(found):
    rows = list(csv.reader(io.StringIO(exported(found, "csv"))))[1:]
    values, sums = table_of(found)
    assert [(int(a), int(b)) for a, b in rows] == list(zip(values, sums, strict=True))
    assert sums[-1] == found.document.noise.denominator
    held = sqlite3.connect(":memory:")
    held.executescript(exported(found, "sql"))
    assert held.execute("SELECT count(*) FROM noise").fetchone() == (len(values),)


def test_javascript(found, tmp_path):
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    (tmp_path / "noise.mjs").write_text(exported(found, "js"))
    loop = f"for (let i = 0; i < {DRAWS}; i++) console.log(noise());"
    run = f'import {{ noise }} from "./noise.mjs"; {loop}'
    (tmp_path / "run.mjs").write_text(run)
    told = subprocess.run(["node", "run.mjs"], cwd=tmp_path, capture_output=True, check=True)
    agrees(found, [int(line) for line in told.stdout.split()])


def test_rust(found, tmp_path):
    if shutil.which("rustc") is None:
        pytest.skip("rustc is not installed")
    run = f'fn main() {{ for _ in 0..{DRAWS} {{ println!("{{}}", noise().unwrap()); }} }}'
    (tmp_path / "noise.rs").write_text(exported(found, "rust") + run)
    subprocess.run(["rustc", "-O", "noise.rs"], cwd=tmp_path, capture_output=True, check=True)
    told = subprocess.run([tmp_path / "noise"], capture_output=True, check=True)
    agrees(found, [int(line) for line in told.stdout.split()])


def test_what_cannot_be_exported_is_refused(found):
    with pytest.raises(ArgumentError, match="language must be csv"):
        exported(found, "cobol")
    for other in (design(epsilon=1, delta=0, sensitivity=1, integer=True),
                  design(epsilon=1, delta="0.2", sensitivity=1)):  # fmt: skip
        with pytest.raises(ArgumentError, match="without a tail"):
            exported(other, "csv")
    assert set(LANGUAGES) == {"csv", "sql", "js", "kotlin", "rust"}
