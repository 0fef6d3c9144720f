"""Reports with a new hash over something that is not true, which were called proven."""

from __future__ import annotations

import copy
import hashlib
import json
from contextlib import suppress
from fractions import Fraction

import pytest

from leastnoise import Ledger, Workload, design, partition_selection
from leastnoise.cache import workload_designed
from leastnoise.certify.file import parse_any
from leastnoise.certify.published import hash_of
from leastnoise.errors import FormatError
from leastnoise.exact import text_of
from leastnoise.tables import Count, Cumulative, Mean, MeanVector, Median, Sum, ask, ask_all, report
from leastnoise.tables.planning.budget import QueryBudget
from leastnoise.tables.planning.noise import joint_noises
from leastnoise.tables.queries.base import Setting
from leastnoise.tables.reports.basis import QueryBasis, check_batch, file_name
from leastnoise.tables.reports.report import check_report, read_report
from leastnoise.tables.unit import PrivacyUnit, Row

pd = pytest.importorskip("pandas")
pytest.importorskip("duckdb")

TABLE = pd.DataFrame(
    {"region": ["north", "south", "north", None] * 30, "income": [float(k) for k in range(120)]}
)
BOUNDS = {"low": 0, "high": 120}
KEYS = {"by": "region", "keys": "private"}
SMALL = {"epsilon": 1, "delta": "1e-6"}
LEDGER = "the ledger is about the same privacy unit, and can hold all these charges"


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    book = Ledger.create(tmp_path_factory.mktemp("r") / "b.db", epsilon=2)
    counted = ask(TABLE, Count(), epsilon=1, ledger=book)
    asked = {
        "sums": ask(TABLE, Cumulative("income", **BOUNDS, bins=4), epsilon=1),
        "groups": ask(TABLE, Count(by="region", keys=["north", "south"]), epsilon=1),
        "counts by key": ask(TABLE, Count(**KEYS), **SMALL),
        "keys apart": ask(TABLE, Median("income", **BOUNDS, step=1, **KEYS), **SMALL),
        "keys told": ask(TABLE, Sum("income", **BOUNDS, **KEYS), **SMALL),
        "drawn": ask_all(TABLE, [Count(), Mean("income", **BOUNDS)], epsilon=1),
        "drawn, and more": ask_all(
            TABLE,
            [Count(), Mean("income", **BOUNDS), Median("income", **BOUNDS, step=1)],
            epsilon=1,
        ),
        "replaced": ask(
            TABLE, Cumulative("income", **BOUNDS, bins=3), **SMALL, neighbors="replace"
        ),
    }
    found = {name: report(one).to_json() for name, one in asked.items()}
    return found | {"count": report(counted, ledger=book).to_json()}


def resealed(raw):
    return raw | {"sha256": hash_of(raw)}


def forged(raw, change):
    """The report with a change, and all that the tool would write for it."""
    held = copy.deepcopy(raw)
    change(held)
    with suppress(Exception):  # it may be no report at all
        written = read_report(held).to_json()
        for batch, again in zip(held["batches"], written["batches"], strict=True):
            for one, two in zip(batch["answers"], again["answers"], strict=True):
                one.update({name: two[name] for name in ("query", "why")})
                for own, number in zip(one["answers"], two["answers"], strict=True):
                    own.update(key=number["key"])
        held |= {name: written[name] for name in ("epsilon", "delta", "headings", "mechanisms")}
    return resealed(held)


def refuted(raw):
    return [step.words for step in check_report(raw) if step.verdict == "refuted"]


def refused(raw):
    """Whether it is refuted, or malformed."""
    try:
        return bool(refuted(raw))
    except FormatError:
        return True


# -- fields that read otherwise than they count ---------------------------------------------------


def _batch(**values):
    return lambda raw: raw["batches"][0].update(values)


def _answer(**values):
    return lambda raw: raw["batches"][0]["answers"][0].update(values)


def _basis(**values):
    return lambda raw: raw["batches"][0]["answers"][0]["basis"].update(values)


def _number(**values):
    return lambda raw: raw["batches"][0]["answers"][0]["answers"][0].update(values)


def _question(**values):
    return lambda raw: raw["batches"][0]["answers"][0]["basis"]["question"].update(values)


def _ledger(**values):
    return lambda raw: raw["ledger"].update(values)


NOT_WRITTEN = {
    "a hundred that reads 1.0": _batch(epsilon="1\N{ARABIC-INDIC DIGIT ZERO}0"),
    "a budget in parts of a thousand": _batch(epsilon="1_000"),
    "a budget as a number": _batch(epsilon=1.5),
    "a budget with a power": _batch(epsilon="1e2"),
    "a budget with a sign": _batch(epsilon="+1"),
    "no number": _batch(epsilon="one"),
    "more than any delta": _batch(delta="1"),
    "neighbors of no table": _basis(neighbors="any two tables"),
    "look-alike neighbors": _basis(neighbors="\N{CYRILLIC SMALL LETTER A}dd-remove"),
    "a unit of no table": _basis(unit={"kind": "Everybody"}),
    "a unit in words": _basis(unit="row"),
    "a row of several rows": _basis(unit={"kind": "Row", "max_rows_per_group": 2}),
    "a title that is a verdict": lambda raw: raw.update(title={"audit": "proven"}),
    "a title without an end": lambda raw: raw.update(title=json.loads("[" * 900 + "]" * 900)),
    "notes that are none": _answer(notes={"audit": "proven"}),
    "a note that is none": _answer(notes=[{"audit": "proven"}]),
    "noise that is none": _answer(noise=["proven"]),
    "true for 1": _number(value=True, low=None, high=None, shown=["1", "", ""]),
    "a number in words": _number(value="7", low=1, high=9, shown=["7", "1", "9"]),
    "a charge before the first": _batch(charge=-7),
    "a true charge": _batch(charge=True),
    "true charges": _ledger(charges=True),
    "no charges": _ledger(charges=0),
    "a ledger's words for a number": _ledger(left_epsilon="plenty"),
    "a ledger's number in words": _ledger(left_epsilon="1"),
    "less than nothing left": _ledger(left_epsilon=-1.0),
    "a ledger of no day": _ledger(created=7),
    "a ledger that no day closed": _ledger(closed=False),
    "a question of another kind": _question(kind="Query"),
    "a question in words": _basis(question="count()"),
    "a column that is a number": _question(column=5),
    "a key twice": _question(by="region", keys=["a", "a"]),
    "a key that is a number": _question(by="region", keys=[1]),
    "an argument of another question": _question(low="0"),
    "nothing, written down": _question(where=None),
    "a form that is true": _basis(form=False),
    "no such form": _basis(form=1),
    "a form before the first": _basis(form=-1),
    "rows that are not public": _basis(size=100),
    "keys that were not found": _basis(found=["north"]),
    "a part of the budget that is none": _basis(epsilon="1"),
    "no part of the budget": _basis(epsilon="0"),
    "a field that nobody reads": _basis(audited="yes"),
}


@pytest.mark.parametrize("name", NOT_WRITTEN)
def test_a_report_says_nothing_in_another_way_than_the_tool(reports, name):
    assert not refused(reports["count"]) and not refused(forged(reports["count"], lambda raw: None))
    assert refused(forged(reports["count"], NOT_WRITTEN[name]))


def test_a_report_of_another_format_is_refused_in_words(reports):
    for earlier in (1, 2):
        with pytest.raises(FormatError, match="mechanism files verify alone"):
            check_report(reports["count"] | {"format": f"leastnoise-report/{earlier}"})
    assert refused(resealed(reports["count"] | {"format": "leastnoise-report/4"}))


def test_a_draw_without_numbers_is_malformed(reports):
    """It ended in an IndexError."""

    def change(raw):
        for answer in raw["batches"][0]["answers"]:
            answer["basis"]["files"] = []

    assert refused(forged(reports["drawn"], change))


def test_what_has_no_end_is_malformed(reports):
    """A field of 980 lists in one another ended in a RecursionError."""
    held = []
    for _ in range(5_000):
        held = [held]
    with pytest.raises(FormatError):
        check_report(reports["count"] | {"more": held})


def test_one_draw_that_costs_more_than_is_said_is_refuted(reports):
    """It was not covered, as if it had been composed."""
    for name in ("drawn", "drawn, and more"):  # (the second was called composed, exit code 3)
        found = refuted(forged(reports[name], _batch(epsilon="0.5")))
        assert any("all of it spends epsilon = 1," in one for one in found)


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
    found["batches"][0]["charge"] += 1  # of two charges, and the ledger has one
    assert refuted(forged(found, lambda raw: None)) == [LEDGER]


# -- files that are about something else ----------------------------------------------------------


def _file(raw, text):
    name = hashlib.sha256(text.encode()).hexdigest()
    raw["mechanisms"][name] = text
    return name


@pytest.mark.parametrize("name", ["keys apart", "keys told", "counts by key"])
def test_noise_for_numbers_finds_no_keys(reports, name):
    """Which keys there are, noise on their counts does not hide, and no file without a delta."""
    plain = design(epsilon="0.5", delta=0, sensitivity=1, integer=True).document.dumps()

    def apart(raw):
        _batch(epsilon="2")(raw)
        _basis(keys=_file(raw, plain))(raw)

    def counted(raw):
        _batch(epsilon="2")(raw)
        _basis(files=[_file(raw, plain)])(raw)

    assert refused(forged(reports[name], apart)) and refused(forged(reports[name], counted))


def test_no_unknown_key_is_shown_without_a_delta(reports):
    """The sum of a report that shows such keys at delta = 0 was called proven."""
    plain = design(epsilon="1/33", delta=0, sensitivity=1).document.dumps()

    def change(raw):
        raw["mechanisms"].clear()
        _basis(files=[_file(raw, plain)] * 2)(raw)

    pure = forged(reports["keys told"], change)
    assert refuted(pure) == []  # the noise needs no delta
    (words,) = refuted(forged(pure, _batch(delta="0")))
    assert "which keys are released" in words


@pytest.mark.parametrize(
    ("name", "verdict"),
    [("keys told", "not covered"), ("keys apart", "by theorem"), ("drawn, and more", "by theorem")],
)
def test_a_sum_is_proven_only_if_all_of_it_is(reports, name, verdict):
    """A median says its own epsilon, and the sum with it was called proven."""
    (found,) = [one for one in check_report(reports[name]) if "all of it spends" in one.words]
    assert found.verdict == verdict


def test_nothing_is_chosen_at_epsilon_0(reports):
    def change(raw):
        (text,) = raw["mechanisms"].values()
        _batch(epsilon=text_of(parse_any(text).epsilon))(raw)
        _basis(epsilon="0")(raw)

    assert refused(forged(reports["keys apart"], change))


def test_every_way_has_its_kind_of_file():
    """Keys with their counts came from plain noise, and a vector's length from a number's."""
    files = {
        "keyed": partition_selection(epsilon=1, delta="1e-6", max_groups=1).document,
        "vector": design(epsilon=1, delta=0, sensitivity=1, dimension=2, loss="l2").document,
        "longer": design(epsilon=1, delta=0, sensitivity=1, dimension=3, loss="l2").document,
        "integer": design(epsilon=1, delta=0, sensitivity=1, integer=True).document,
        "wider": design(epsilon=1, delta=0, sensitivity=2, integer=True).document,
        "real": design(epsilon=1, delta=0, sensitivity=1).document,
        "sums": workload_designed(Workload.prefix(2), Fraction(1), Fraction(0))[0].document,
        "others": workload_designed(Workload.prefix(3), Fraction(1), Fraction(0))[0].document,
    }
    texts = {name: one.dumps() for name, one in files.items()}
    documents = {file_name(texts[name]): one for name, one in files.items()}
    vector = MeanVector(["x", "y"], low=[0, 0], high=[1, 1])
    right = [
        (Count(**KEYS), {"private_keys": ()}, {"keyed"}),
        (vector, {}, {"vector"}),
        (Count(), {}, {"integer", "real"}),
        (Sum("x", low=0, high="1/2", nulls="middle"), {}, {"real"}),
        (Cumulative("x", low=0, high=1, bins=2), {}, {"sums"}),
    ]
    for query, more, kinds in right:
        size = 9 if query is vector else None
        setting = Setting(Row(), "replace" if size else "add-remove", size)
        for name, text in texts.items():
            one = QueryBasis(query, setting, (text,), **more)
            steps = check_batch([one], documents, QueryBudget(Fraction(1), Fraction(1, 10**6)))
            assert ("refuted" not in {s.verdict for s in steps}) == (name in kinds), (query, name)


def test_sums_are_one_release_however_many_groups_a_unit_moves(reports):
    """Steps of one release were called releases of several groups, and their deltas added up."""
    honest = reports["replaced"]
    (text,) = honest["mechanisms"].values()
    delta = 2 * parse_any(text).delta
    assert refuted(honest) == [] and delta < Fraction(honest["delta"])  # e^epsilon is left out
    assert refuted(forged(honest, _batch(delta=text_of(delta))))
    many = {"kind": "PrivacyUnit", "id": "region", "max_rows_per_group": 2}
    for change in (
        _basis(unit=many),
        _basis(neighbors="add-remove", unit=many | {"max_rows_per_group": 3}),
    ):
        assert refuted(forged(honest, change))
    fewer = {"kind": "PrivacyUnit", "id": "region", "max_rows_per_group": 1, "max_groups": 2}
    assert not refuted(forged(honest, _basis(neighbors="add-remove", unit=fewer)))


def test_a_number_that_moves_twice_is_no_two_numbers():
    """Two parts of one name made two deltas of what costs 1 + e^epsilon of them."""
    document = design(epsilon="0.5", delta="0.1", sensitivity=1).document
    one = QueryBasis(
        Mean("x", **BOUNDS), Setting(Row(), "replace"), (document.dumps(),) * 2, form=1
    )
    assert (one.release_form.steps, one.release_form.most) == (2, 2)
    for delta, verdict in (("0.2", "refuted"), ("0.27", "proven")):
        budget = QueryBudget(Fraction(1), Fraction(delta))
        (step, last) = check_batch([one], {file_name(document.dumps()): document}, budget)
        assert (step.verdict, last.verdict) == ("proven", verdict)


@pytest.mark.parametrize("name", ["counts by key", "keys apart", "sums", "groups", "drawn"])
def test_a_unit_that_is_replaced_leaves_one_group_for_another(reports, name):
    """Both of them move, so the same files cost twice as much, or are about another shape."""

    def change(raw):
        for answer in raw["batches"][0]["answers"]:
            answer["basis"]["neighbors"] = "replace"

    assert not refuted(reports[name]) and refuted(forged(reports[name], change))


@pytest.mark.parametrize("name", ["counts by key", "keys apart", "sums", "groups", "drawn"])
def test_a_person_has_more_rows_and_groups_than_a_row(reports, name):
    def change(raw):
        for answer in raw["batches"][0]["answers"]:
            own = {"kind": "PrivacyUnit", "id": "region", "max_rows_per_group": 2, "max_groups": 2}
            answer["basis"]["unit"] = own

    assert refused(forged(reports[name], change))


def test_a_reason_is_that_of_the_question(reports):
    for change in (_answer(why="No key matters."), _answer(query="keys of count()")):
        held = copy.deepcopy(reports["keys apart"])
        change(held)
        assert refuted(resealed(held))


def test_one_law_is_for_so_many_releases():
    """Beside a draw they said the budget of all questions, and the sum was not covered."""
    budget, one = QueryBudget(Fraction(1), Fraction(1, 2)), Setting(Row(), "add-remove")
    (noise,) = joint_noises([Count().forms(one)[0]], *budget.pair, 12, "l1")
    document = noise.noises[0].design.document
    own = QueryBasis(Count(), one, (document.dumps(),))
    files = {file_name(document.dumps()): document}
    median = QueryBasis(Median("x", **BOUNDS), one, (), epsilon=Fraction(1))
    for many, verdict in ((12, "proven"), (13, "refuted"), (11, "refuted")):
        assert check_batch([own] * many, files, budget)[0].verdict == verdict
    assert check_batch([own] * 12 + [median], files, budget)[-1].verdict == "refuted"


def test_each_of_two_questions_may_have_one_law_for_all_its_releases():
    """Honest questions beside a draw were refuted: so alike that both had the same file."""
    query, one = (
        Count(by="g", keys=[*map(str, range(12))]),
        Setting(PrivacyUnit("p", 1), "add-remove"),
    )
    (noise,) = joint_noises([query.forms(one)[0]], Fraction(1), Fraction(1, 2), 12, "l1")
    document = noise.noises[0].design.document
    own, files = QueryBasis(query, one, (document.dumps(),)), {}
    files[file_name(document.dumps())] = document
    for times, verdict in ((1, "refuted"), (2, "proven"), (3, "refuted")):
        budget = QueryBudget(Fraction(times), Fraction(times, 2))
        steps = check_batch([own, own], files, budget)
        assert [step.verdict for step in steps] == ["proven", "proven", verdict]


def test_questions_that_are_asked_together_are_about_the_same_rows():
    """One was about 9 rows and the other about a million, or a person had other bounds."""
    document = design(epsilon="0.5", delta=0, sensitivity=1).document
    file, budget = document.dumps(), QueryBudget(Fraction(1), Fraction(0))

    def refuted(*settings):
        query = Sum("x", **BOUNDS, nulls="middle")
        batch = [QueryBasis(query, one, (file,)) for one in settings]
        steps = check_batch(batch, {file_name(file): document}, budget)
        return any(step.verdict == "refuted" for step in steps)

    sizes = [Setting(Row(), "replace", size) for size in (9, 10**6, None)]
    persons = [Setting(PrivacyUnit("p", 1, most), "add-remove") for most in (1, 2)]
    for one, two in (sizes[:2], sizes[1:], persons):
        assert refuted(one, two) and not refuted(one, one)


def test_nothing_composes_deltas_to_less_than_their_sum():
    """They were called composed by privacy loss distributions, exit code 3."""
    document = design(epsilon="0.5", delta="0.1", sensitivity=1).document
    own = QueryBasis(Count(), Setting(Row(), "add-remove"), (document.dumps(),))
    for delta, verdict in (("0.19", "refuted"), ("0.2", "not covered")):
        budget = QueryBudget(Fraction(3, 4), Fraction(delta))
        steps = check_batch([own, own], {file_name(document.dumps()): document}, budget)
        assert steps[-1].verdict == verdict


def test_numbers_are_those_of_the_question(reports):
    for name in ("sums", "groups", "drawn", "count"):
        for change in (
            lambda own: own.append(own[0] | {"key": "another"}),
            lambda own: own[0].update(key="another"),
            lambda own: own[0].update(key=None),
            list.pop,
        ):
            held = copy.deepcopy(reports[name])
            change(held["batches"][0]["answers"][0]["answers"])
            assert refused(resealed(held))


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
