"""The `about` object of a mechanism file: kept, bounded, and never believed."""

from __future__ import annotations

import json
import pickle
import time

import pytest

from leastnoise import design, load
from leastnoise.certify import check, parse
from leastnoise.errors import ArgumentError, FormatError

ABOUT = {
    "query": "mean age, in years",
    "neighbors": "one person more or less",
    "n": 4521,
    "share": 0.25,
    "dates": ["2024-05-01", {"of": "the table", "public": True, "none": None}],
}


@pytest.fixture(scope="module", params=[None, (0, 2)])
def made(request):
    return design(epsilon=1, delta=0.2, sensitivity=1, gap=0.2, bounds=request.param)


def test_it_is_kept(made, tmp_path):
    assert made.about == {}
    path = made.save(tmp_path / "a.json", about=ABOUT)
    read = load(path)
    assert read.about == ABOUT and made.about == {}
    assert read.certified
    # Kept by the next save, by pickles, and removed on demand.
    again = load(read.save(tmp_path / "b.json"))
    assert again == read and hash(again) == hash(read)
    assert (tmp_path / "b.json").read_bytes() == path.read_bytes()
    assert pickle.loads(pickle.dumps(read)).about == ABOUT
    bare = load(read.save(tmp_path / "c.json", about={}))
    assert bare.about == {} and bare == made
    # Two files that say different things are different files.
    assert read != made and read.document.dumps() != made.document.dumps()


def test_it_changes_no_verdict(made, tmp_path):
    path = made.save(tmp_path / "a.json", about={"epsilon": "0", "proven": True, "lower": "9"})
    assert load(path).verify().to_json() == made.verify().to_json()
    raw = json.loads(path.read_text())
    raw["lower"], raw["upper"] = "9", "9"
    path.write_text(json.dumps(raw))
    with pytest.raises(Exception, match="refuted"):
        load(path)


DEEP = {"a": [[[[[1]]]]]}
WRONG = [
    (["a list"], "must be an object"),
    ("text", "must be an object"),
    (None, "must be an object"),
    (DEEP, "levels deep"),
    ({"a": "x" * 20_001}, "characters long"),
    ({"a": [0] * 30_000}, "characters long"),
    ({"n": 10**19}, "whole numbers up to"),
]


@pytest.mark.parametrize(("wrong", "words"), WRONG)
def test_what_is_too_much_is_malformed(made, wrong, words, tmp_path):
    raw = json.loads(made.document.dumps())
    raw["about"] = wrong
    path = tmp_path / "bad.json"
    path.write_text(json.dumps(raw))
    with pytest.raises(FormatError, match=words):
        load(path)
    if wrong is not None:
        with pytest.raises(ArgumentError, match="about must be"):
            made.save(tmp_path / "never.json", about=wrong)
        assert not (tmp_path / "never.json").exists()


def test_numbers_that_json_cannot_say(made, tmp_path):
    text = made.document.dumps().rstrip("\n")[:-1] + ',"about":{"n":1e999}}'
    path = tmp_path / "bad.json"
    path.write_text(text)
    with pytest.raises(FormatError, match="finite"):
        load(path)
    for wrong in (float("nan"), float("inf"), object(), {1: 2}, b"bytes"):
        with pytest.raises(ArgumentError, match="about must"):
            made.save(path, about={"n": wrong})


def test_the_file_format_without_it_is_unchanged():
    plain = design(epsilon=1, delta=0.2, sensitivity=1, gap=0.2).document
    assert "about" not in plain.to_json()
    assert parse(plain.dumps()) == plain and check(plain).proven


def test_a_huge_one_ends_soon(made, tmp_path):
    raw = json.loads(made.document.dumps())
    raw["about"] = {"a": [[0] * 1900 for _ in range(1900)]}
    path = tmp_path / "huge.json"
    path.write_text(json.dumps(raw, separators=(",", ":")))
    start = time.process_time()
    with pytest.raises(FormatError, match="characters long"):
        load(path)
    assert time.process_time() - start < 4
