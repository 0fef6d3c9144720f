"""Designs of every kind are of one class, and all that shows one reads the same facts."""

from __future__ import annotations

import copy
import json
import os
import pickle
from html import escape
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from golden_files import KINDS, golden, text_of_file
from golden_texts import SHOWN

from leastnoise import ArgumentError, Design, load
from leastnoise.cli.facts import json_of, show_design
from leastnoise.comparison import Comparison, ComparisonRow
from leastnoise.noise import DesignNoise
from leastnoise.web.tasks.designing import describe_bracket

#: What is released of a design of each kind.
VALUES: dict[str, Any] = {"additive": 1.5, "integer": 2, "dependent": 1, "keyed": {"a": 10**9}}


@pytest.fixture(scope="module", params=KINDS)
def design(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Design[Any]:
    """The first design of a kind whose texts are golden."""
    path = tmp_path_factory.mktemp("golden") / "mechanism.json"
    name = SHOWN[request.param][0]
    path.write_text(text_of_file(golden(request.param)[name]), encoding="utf-8")
    return load(path)


def value_for(design: Design[Any]) -> Any:
    """What can be released of it."""
    if design.kind == "workload":
        return [1] * design.noise.workload.cells
    return VALUES.get(design.kind, [1] * design.dimension)


def test_there_is_one_class(design: Design[Any], tmp_path: Path) -> None:
    assert type(design) is Design and isinstance(design.noise, DesignNoise)
    assert repr(design).startswith("Design(") and design.verify().private
    for again in (pickle.loads(pickle.dumps(design)), load(design.save(tmp_path / "m.json"))):
        assert again == design and type(again) is Design and repr(again) == repr(design)
    assert copy.deepcopy(design) is design
    design.release(value_for(design))
    assert (np.asarray(design.error_bound(0.9)) <= np.asarray(design.error_bound(0.95))).all()


def test_every_reader_tells_the_same_facts(
    design: Design[Any], capsys: pytest.CaptureFixture[str]
) -> None:
    facts = design.facts()
    assert [*facts] == [*facts.problem, *facts.bracket, *facts.noise]
    assert len({fact.name for fact in facts}) == len([*facts])
    page, web = design._repr_html_(), describe_bracket(design, stopped=False)
    with patch.dict(os.environ, COLUMNS="200"):
        show_design(design)
    table = capsys.readouterr().out
    for label, text, note in facts.rows:
        assert escape(label) in page and escape(text) in page and escape(note) in page
        assert label in table and text in table
    told = [value for _, value in web["facts"]]
    assert told == [fact.text for fact in facts.noise if not fact.aside]
    assert (web["upper_text"], web["gap_text"]) == (facts["upper"].text, facts["gap"].text)
    assert web["title"] == design.caption and design.caption in page
    plain = {fact.name: fact.value for fact in facts}
    assert design.plain().keys() == plain.keys() <= json_of(design).keys()
    assert json.dumps(design.plain())
    for fact in facts.problem:
        assert fact.aside or fact.value is None or fact.argument in repr(design)


def test_bounds_are_written_on_their_safe_side(design: Design[Any]) -> None:
    facts = design.facts()
    assert float(facts["lower"].text) <= design.lower <= design.upper
    assert design.upper <= float(facts["upper"].text)
    assert (facts["lower"].side, facts["upper"].side) == ("at least", "at most")


def test_a_design_that_was_read_is_compared(design: Design[Any]) -> None:
    table = design.compare()
    assert type(table) is Comparison and all(type(row) is ComparisonRow for row in table)
    assert table["design"].loss == design.upper and table.lower == design.lower
    heads = {tuple(fact.name for fact in row.facts) for row in table}
    assert len(heads) == 1 and len(table.head) == len(table.rows[0].cells)
    assert len(table) > 1 or table.refused
    assert {row["name"] for row in table.to_json()["rows"]} == {row.name for row in table}
    assert table.rows[0].label in repr(table)


def test_what_a_kind_has_not_is_said(design: Design[Any], tmp_path: Path) -> None:
    value = value_for(design)
    for option in ("exact", "whole"):
        if option not in design.noise.RELEASE_OPTIONS:
            with pytest.raises(ArgumentError, match=f"^{option} must be left out for "):
                design.release(value, **{option: True})
    for name, given in (("baselines", ["laplace"]), ("kind", "map"), ("answers", [1])):
        try:
            design.plot(tmp_path / "a.svg", **{name: given})
        except ArgumentError as error:
            assert str(error).startswith(f"{name} must be")
        except ValueError:
            assert name == "answers"  # too few of them
    with pytest.raises(AttributeError, match=f"this design is of {design.noise.title}"):
        design.nothing  # noqa: B018
    others = {"group_size_for", "std_of", "clamped", "bias", "block_error", "radial_cdf"}
    for name in others:
        hint = f"design.noise.{name}$" if hasattr(design.noise, name) else "this design is of"
        with pytest.raises(AttributeError, match=hint):
            getattr(design, name)
    if design.kind != "keyed":
        with pytest.raises(ArgumentError, match="private keys alone"):
            design.compare().of([1])


def test_several_vectors_warn_like_several_numbers(design: Design[Any]) -> None:
    if design.kind in ("keyed", "workload"):
        assert design.words_of_many(value_for(design)) == ""
        return
    many = [value_for(design)] * (design.releases + 1)
    assert f"{len(many)} releases of epsilon" in design.words_of_many(many)
    assert design.words_of_many(value_for(design)) == ""
