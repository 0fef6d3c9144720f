"""Reports with a new hash over something that is not true, which were called proven."""

from __future__ import annotations

import copy
import hashlib
import json
import time
from contextlib import suppress
from fractions import Fraction

import pytest

from cli_command import run
from leastnoise import Ledger, design, keyed
from leastnoise.certify.any_file import parse_any
from leastnoise.errors import ArgumentError, FormatError
from leastnoise.exact import text_of
from leastnoise.queries import Count, Cumulative, Mean, Median, Total, ask, ask_all, report
from leastnoise.queries.base import Setting
from leastnoise.queries.noise import jointly
from leastnoise.queries.published import _checked_files, _hash_of, _headings, _walk, check_report
from leastnoise.queries.report_fields import _exact
from leastnoise.queries.statement import _of_values, check_statement
from leastnoise.queries.unit import Row

pd = pytest.importorskip("pandas")
pytest.importorskip("duckdb")

TABLE = pd.DataFrame(
    {"region": ["north", "south", "north", None] * 30, "income": [float(k) for k in range(120)]}
)
BOUNDS = {"low": 0, "high": 120}
KEYS = {"by": "region", "keys": "private"}
SMALL = {"epsilon": 1, "delta": "1e-6"}
LEDGER = "the ledger says that it is about the same unit, and can hold all these charges"


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    book = Ledger.create(tmp_path_factory.mktemp("r") / "b.db", epsilon=2)
    counted = ask(TABLE, Count(), epsilon=1, ledger=book)
    asked = {
        "sums": ask(TABLE, Cumulative("income", **BOUNDS, bins=4), epsilon=1),
        "groups": ask(TABLE, Count(by="region", keys=["north", "south"]), epsilon=1),
        "counts by key": ask(TABLE, Count(**KEYS), **SMALL),
        "keys apart": ask(TABLE, Median("income", **BOUNDS, step=1, **KEYS), **SMALL),
        "keys told": ask(TABLE, Total("income", **BOUNDS, **KEYS), **SMALL),
        "drawn": ask_all(TABLE, [Count(), Mean("income", **BOUNDS)], epsilon=1),
        "drawn, and more": ask_all(
            TABLE,
            [Count(), Mean("income", **BOUNDS), Median("income", **BOUNDS, step=1)],
            epsilon=1,
        ),
        "replaced": ask(
            TABLE, Cumulative("income", **BOUNDS, bins=3), **SMALL, neighbours="replace"
        ),
    }
    found = {name: report(one).to_json() for name, one in asked.items()}
    return found | {"count": report(counted, ledger=book).to_json()}


def forged(raw, change):
    """The report with a change, and all that the tool would write for it."""
    held = copy.deepcopy(raw)
    change(held)
    documents, _ = _checked_files(held["mechanisms"])
    with suppress(Exception):  # it may be no report at all
        held["headings"] = _headings(held, _walk(held, documents))
    return held | {"sha256": _hash_of({k: v for k, v in held.items() if k != "sha256"})}


def refuted(raw):
    return [step.words for step in check_report(raw) if step.verdict == "refuted"]


# -- fields that read otherwise than they count ---------------------------------------------------


def _answer(**values):
    return lambda raw: raw["answers"][0].update(values)


def _statement(**values):
    return lambda raw: raw["answers"][0]["statements"][0].update(values)


def _number(**values):
    return lambda raw: raw["answers"][0]["answers"][0].update(values)


def _ledger(**values):
    return lambda raw: raw["ledger"].update(values)


def _protected(**values):
    return lambda raw: (_answer(**values)(raw), _statement(**values)(raw))


def _hundred(raw):
    raw["epsilon"] = "1\N{ARABIC-INDIC DIGIT ZERO}0"
    _answer(epsilon="100")(raw)
    _statement(epsilon="100")(raw)


NOT_WRITTEN = {
    "a hundred that reads 1.0": _hundred,
    "a budget in parts of a thousand": lambda raw: raw.update(epsilon="1_000"),
    "a budget as a number": lambda raw: raw.update(epsilon=1.5),
    "a budget with a power": lambda raw: raw.update(epsilon="1e2"),
    "no number": lambda raw: raw.update(epsilon="one"),
    "neighbours of no table": _protected(neighbours="any two tables"),
    "look-alike neighbours": _protected(neighbours="\N{CYRILLIC SMALL LETTER A}dd-remove"),
    "a unit of no table": _protected(unit="everybody"),
    "a title that is a verdict": lambda raw: raw.update(title={"audit": "proven"}),
    "a title without an end": lambda raw: raw.update(title=json.loads("[" * 900 + "]" * 900)),
    "notes that are none": _answer(notes={"audit": "proven"}),
    "true for 1": _number(value=True, low=None, high=None, shown=["1", "", ""]),
    "a number in words": _number(value="7", low=None, high=None, shown=["7", "", ""]),
    "a key that is none": _number(key=None),
    "a charge before the first": _answer(charge=-7),
    "true charges": _ledger(charges=True),
    "no charges": _ledger(charges=0),
    "a ledger's words for a number": _ledger(left_epsilon="plenty"),
}


@pytest.mark.parametrize("name", NOT_WRITTEN)
def test_a_report_says_nothing_in_another_way_than_the_tool(reports, name):
    with pytest.raises(FormatError, match="as this tool writes it"):
        check_report(forged(reports["count"], NOT_WRITTEN[name]))


def test_a_draw_without_numbers_is_malformed(reports):
    """It ended in an IndexError."""

    def change(raw):
        for answer in raw["answers"]:
            answer["mechanisms"] = answer["statements"][0]["releases"] = []

    with pytest.raises(FormatError, match="lacks its numbers"):
        check_report(forged(reports["drawn"], change))


def test_one_draw_that_costs_more_than_is_said_is_refuted(reports):
    """It was not covered, as if it had been composed."""

    def change(raw):
        for one in (raw, *raw["answers"]):
            one["epsilon"] = "0.5"

    words = "statements add up to more"
    for name in ("drawn", "drawn, and more"):  # (the second was called composed, exit code 3)
        assert any(words in one for one in refuted(forged(reports[name], change)))


# -- ledgers that cannot hold the answers ---------------------------------------------------------

UNPAID = {
    "squares of mu, which no answer has": _ledger(composition="gaussian"),
    "half a square is more than that": _ledger(composition="concentrated", epsilon=0.4),
    "more spent than there was": _ledger(composition="concentrated", spent_epsilon=3.0),
    "a filter that is full": _ledger(composition="adaptive", delta=1e-6),
    "a filter without its delta": _ledger(composition="adaptive"),
    "more left than was there": _ledger(left_epsilon=500.0),
    "two charges that no filter takes": _ledger(
        composition="adaptive",
        epsilon=10.0,
        delta=1e-5,
        spent_epsilon=100.0,
        charges=2,
        left_epsilon=0.0,
    ),
    "squares that are not alike": _ledger(  # 1 and 1/4, and not twice 9/16
        composition="adaptive",
        epsilon=6.0,
        delta=1e-5,
        spent_epsilon=1.5,
        charges=2,
        left_epsilon=0.0,
    ),
    "a delta left": _ledger(left_delta=0.1),
}


@pytest.mark.parametrize("name", UNPAID)
def test_a_ledger_is_one_whose_filter_takes_these_charges(reports, name):
    """All but the basic composition were believed."""
    raw = forged(reports["count"], UNPAID[name])
    assert refuted(raw) == [LEDGER]


@pytest.mark.parametrize(
    ("kind", "epsilon", "delta"),
    [("basic", "1/3", 0), ("adaptive", 20, "1e-5"), ("concentrated", "1/18", 0)],
)
def test_honest_ledgers_of_every_composition_are_proven(tmp_path, kind, epsilon, delta):
    """Up to the very last of a budget that no float holds."""
    budget = {"zcdp": epsilon} if kind == "concentrated" else {"epsilon": epsilon, "delta": delta}
    more = {"composition": kind} if kind == "adaptive" else {}
    book = Ledger.create(tmp_path / "b.db", **budget, **more)
    answers = ask(TABLE, Count(), epsilon="1/3", ledger=book)
    raw = report(answers, ledger=book).to_json()
    assert not refuted(json.loads(json.dumps(raw)))
    name = "rho" if kind == "concentrated" else "epsilon"  # (rho was called epsilon)
    (words,) = [one["words"] for one in raw["headings"] if one["heading"].startswith("Compos")]
    assert words.startswith(f"a ledger of {name} = ")
    book.close()
    assert not refuted(report(answers, ledger=book).to_json())


def test_questions_that_share_a_plain_sum_are_one_charge(tmp_path):
    """`report` refused the ledger, once the budget was spent: they are of one charge, no batch."""
    book = Ledger.create(tmp_path / "b.db", epsilon=1, delta="1e-6")
    queries = [Count(**KEYS), Median("income", **BOUNDS, step=1)]
    answers = ask_all(TABLE, queries, **SMALL, ledger=book)
    assert [one.batch for one in answers] == ["", ""] and len({one.charge for one in answers}) == 1
    found = report(answers, ledger=book).to_json()
    assert not refuted(found)
    found["answers"][0]["charge"] += 1  # of two charges, and the ledger has one
    assert refuted(forged(found, lambda raw: None)) == [LEDGER]


# -- files that are about something else ----------------------------------------------------------


def _with_file(raw, text, epsilon):
    """The statement of the keys rests on this file."""
    answer, keys = raw["answers"][0], raw["answers"][0]["statements"][0]
    assert keys["question"] == f"keys of {answer['query']}"
    name = hashlib.sha256(text.encode()).hexdigest()
    release = {"part": "keys", "moved": "1", "divided_by": "1", "mechanism": name}
    keys.update(how="once", epsilon=epsilon, delta="0", groups=1, releases=[release])
    keys.update(why="A unit has a part in at most 1 keys.")
    named = [one["mechanism"] for s in answer["statements"] for one in s["releases"]]
    answer["mechanisms"], files = named, raw["mechanisms"] | {name: text}
    raw["mechanisms"] = {one: files[one] for one in named}


@pytest.mark.parametrize("name", ["keys apart", "keys told"])
def test_noise_for_numbers_finds_no_keys(reports, name):
    """Which keys there are, noise on their counts does not hide, and no file without a delta."""
    plain = design(epsilon="0.5", delta=0, sensitivity=1, integer=True).document.dumps()

    def change(raw):
        _with_file(raw, plain, "0.5")
        raw.update(epsilon="2")
        raw["answers"][0].update(epsilon="2")

    (words,) = refuted(forged(reports[name], change))
    assert "no file of the report is about such a number" in words

    def in_steps(raw):
        change(raw)
        raw["answers"][0]["statements"][0].update(how="steps")

    (words,) = refuted(forged(reports[name], in_steps))
    assert "its statements are about this question" in words


def test_every_way_has_its_kind_of_file():
    """Keys with their counts came from plain noise, and a vector's length from a number's."""
    files = {
        "keyed": keyed(epsilon=1, delta="1e-6", max_groups=1).document,
        "vector": design(epsilon=1, delta=0, sensitivity=1, dimension=2, loss="l2").document,
        "integer": design(epsilon=1, delta=0, sensitivity=1, integer=True).document,
    }
    right = {("once", "rows"): "keyed", ("steps", "vector"): "vector", ("steps", "rows"): "integer"}
    for (how, part), kind in right.items():
        for name in files:
            release = {"part": part, "moved": "1", "divided_by": "1", "mechanism": name}
            raw = {"epsilon": "1", "delta": "0.000001", "how": how, "groups": 1, "steps": 1}
            steps = check_statement(raw | {"most": 1, "releases": [release]}, files)
            assert {step.verdict for step in steps} == {"proven" if name == kind else "refuted"}


def test_sums_are_one_release_however_many_groups_a_unit_moves(reports):
    """Steps of one release were called releases of several groups, and their deltas added up."""
    honest = reports["replaced"]
    (text,) = honest["mechanisms"].values()
    delta = 2 * parse_any(text).delta
    assert refuted(honest) == [] and delta < Fraction(honest["delta"])  # e^epsilon is left out

    def groups(raw):
        statement = raw["answers"][0]["statements"][0]
        assert (statement["groups"], statement["steps"]) == (1, 2)
        for one in (raw, raw["answers"][0], statement):
            one["delta"] = text_of(delta)
        statement.update(groups=2, steps=1, most=1)
        statement["releases"][0]["moved"] = "1"

    def cells(raw):
        groups(raw)
        raw["answers"][0]["statements"][0].update(groups=1, steps=2)

    def parts(raw):
        statement = raw["answers"][0]["statements"][0]
        statement["releases"] *= 2
        raw["answers"][0]["mechanisms"] *= 2

    def statements(raw):
        groups(raw)
        answer = raw["answers"][0]
        answer["statements"][0].update(groups=1, epsilon="0.5", delta=text_of(delta / 2))
        answer["statements"] *= 2
        answer["mechanisms"] *= 2

    for change in (groups, cells, parts):
        found = refuted(forged(honest, change))
        assert any("no file of the report is about such" in one for one in found)
    (words,) = refuted(forged(honest, statements))
    assert "its statements are about this question" in words


def test_a_number_that_moves_twice_is_no_two_numbers():
    """Two parts of one name made two deltas of what costs 1 + e^epsilon of them."""
    files = {"a": design(epsilon="0.5", delta="0.1", sensitivity=1, integer=True).document}
    one = {"part": "rows", "moved": "1", "divided_by": "1", "mechanism": "a"}
    raw = {"epsilon": "1", "delta": "0.2", "how": "steps", "groups": 1, "steps": 2}
    for most, moved, names in ((2, "2", ["rows"]), (1, "1", ["rows"] * 2)):
        releases = [one | {"moved": moved, "part": name} for name in names]
        steps = check_statement(raw | {"most": most, "releases": releases}, files)
        assert "refuted" in {step.verdict for step in steps}


@pytest.mark.parametrize("name", ["counts by key", "keys apart", "sums", "groups"])
def test_a_unit_that_is_replaced_moves_two_of_them(reports, name):
    """What a unit that is added moves was believed of one that leaves a group for another."""

    def change(raw):
        for one in (*raw["answers"], *(s for a in raw["answers"] for s in a["statements"])):
            one["neighbours"] = "replace"

    assert not refuted(reports[name])
    words = refuted(forged(reports[name], change))
    assert any("its neighbours and all its numbers" in one for one in words)


def test_no_question_is_one_of_keys(reports):
    """So plain noise found keys: a question with their words was its own statement."""

    def change(raw):
        answer = raw["answers"][0]
        answer["query"] = answer["statements"][0]["question"] = f"keys of {answer['query']}"

    (words,) = refuted(forged(reports["count"], change))
    assert words.startswith("keys of count(): its statements are about this question")


def test_a_reason_says_of_how_many_keys_a_unit_is(reports):
    assert not refuted(reports["keys apart"])
    for change in ({"why": "A unit has a part in at most 9 keys."}, {"why": "No key matters."}):
        assert refuted(forged(reports["keys apart"], _statement(**change)))

    def groups(raw):  # (so the keys of a unit in two groups cost as much as one)
        raw["answers"][0]["statements"][1]["groups"] = 2

    (words,) = refuted(forged(reports["keys apart"], groups))
    assert "its statements are about this question" in words


def test_releases_together_say_their_own_budget():
    """Beside a draw they said that of all questions, and the sum was not covered."""
    budget = Fraction(1), Fraction(1, 2)
    (noise,) = jointly([Count().forms(Setting(Row(), "add-remove"))[0]], *budget, 12, "l1")
    said = _of_values(noise, Fraction(2), Fraction(3, 4))
    assert (said["how"], said["epsilon"], said["delta"]) == ("together", *budget)


def test_sums_have_as_many_answers_as_their_file(reports):
    def change(raw):
        own = raw["answers"][0]["answers"]
        own.append(own[0] | {"key": "another"})

    assert refuted(forged(reports["sums"], change))


def test_headings_say_whether_keys_are_public(reports):
    """They were called public where they had been found privately."""
    said = {
        name: next(one["words"] for one in raw["headings"] if one["heading"].startswith("Bounds"))
        for name, raw in reports.items()
    }
    assert {name for name, words in said.items() if "privately" in words} == {
        "counts by key",
        "keys apart",
        "keys told",
    }


# -- checking ends soon, and says what it did -----------------------------------------------------


def test_long_budgets_do_not_keep_the_checker_for_hours(reports):
    """A report of 3 MB took minutes: denominators that share nothing multiply."""

    def change(raw):
        answer = raw["answers"][0]
        own = [
            answer["statements"][0] | {"epsilon": f"1/{10**1900 + 2 * k + 1}"} for k in range(300)
        ]
        answer.update(statements=own, mechanisms=answer["mechanisms"] * len(own))

    held = copy.deepcopy(reports["count"])
    change(held)
    with pytest.raises(FormatError, match="more work"):
        check_report(held)


def test_powers_of_two_are_read_as_soon_as_other_numbers(reports):
    """A report of 2 MB took 20 s: every number was halved thousands of times."""
    begin = time.process_time()
    for power in range(12_900, 13_000):
        assert _exact(f"1/{1 << power}")
    assert time.process_time() - begin < 1  # (it was 2, and is 0.05)


def test_many_numbers_are_no_reason_to_refuse_a_report(reports, tmp_path):
    """A report of more than 8 MB was malformed."""
    held = copy.deepcopy(reports["count"])
    held["answers"][0]["noise"] = "x" * 8_000_000
    path = tmp_path / "r.json"
    path.write_text(json.dumps(forged(held, lambda raw: None)))
    assert run("verify", path).returncode == 0


def test_coq_has_not_proven_a_report(reports, tmp_path):
    """`verify --formal` ended with 0, which says that it had."""
    path = tmp_path / "r.json"
    path.write_text(json.dumps(reports["count"]))
    found = run("verify", "--formal", path)
    assert found.returncode == 2 and "left out for a report" in found.stderr


def test_a_title_is_a_text():
    with pytest.raises(ArgumentError, match=r"^title must be a text"):
        report(ask(TABLE, Count(), epsilon=1), title=7)
