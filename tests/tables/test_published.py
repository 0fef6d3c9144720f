"""Statements, reports, groups by several columns: from a published number to its proof."""

from __future__ import annotations

import copy
import hashlib
import json
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction

import pytest

from cli_command import run
from exact_sums import sums_of
from leastnoise import Ledger, design
from leastnoise.certify.published import hash_of
from leastnoise.errors import ArgumentError, FormatError
from leastnoise.tables import (
    Count,
    Histogram,
    Mean,
    Median,
    PrivacyUnit,
    Quantiles,
    ask,
    ask_all,
    report,
)
from leastnoise.tables.axes.crossed import Crossed, parts_of
from leastnoise.tables.queries.base import Setting
from leastnoise.tables.queries.digits import rounded
from leastnoise.tables.queries.numbers import Estimate
from leastnoise.tables.reports.report import (
    check_report,
    exit_code_of,
    read_report,
    summary_of_report,
)
from leastnoise.tables.sources import opened
from leastnoise.tables.unit import Row

pd = pytest.importorskip("pandas")
pytest.importorskip("duckdb")

TABLE = pd.DataFrame(
    {
        "region": ["north", "south", "north", "a, b", "south", None] * 20,
        "sex": ["f", "m"] * 60,
        "year": [2023, 2024, 2024] * 40,
        "income": [float(k) for k in range(120)],
        "person": [k % 30 for k in range(120)],
    }
)
CROSSED = {"by": ["region", "year"], "keys": [["north", "a, b", 'q"'], [2023, 2024, 2999]]}


def verdicts(raw):
    return [step.verdict for step in check_report(raw)]


def exact(query):
    with opened(TABLE) as table:
        found = sums_of(table, query, Setting(Row(), "add-remove"))
    return {query.label(key): one.rows for key, one in found.items() if one.rows}


def test_groups_by_several_columns_are_those_of_pandas():
    rows = TABLE[TABLE.region.isin(["north", "a, b"])].groupby(["region", "year"]).size()
    named = {(parts_of(label)[0], int(parts_of(label)[1])): n for label, n in exact(
        Count(**CROSSED)
    ).items()}  # fmt: skip
    assert named == rows.to_dict()
    bins = exact(Histogram("income", low=0, high=120, bins=2, by="sex", keys=["f"]))
    assert bins == {"f: [0, 60)": 30, "f: [60, 120]": 30}
    frame = ask(TABLE, Mean("income", low=0, high=120, **CROSSED), epsilon=5).to_frame()
    figures = ["rows", "rows left out"]
    assert list(frame.columns) == ["region", "year", "value", "low", "high", *figures]
    assert len(frame) == 9
    assert list(frame.region[3:6]) == ["a, b"] * 3


def test_combinations_have_names_of_their_own():
    lists = (("a", "a, b", "", ' "', "b"), ("c", "b, c", '", "', " c"))
    one = Crossed(("x", "y"), lists)
    labels = [one.label(number) for number in range(one.groups)]
    assert len(set(labels)) == 20
    assert [tuple(parts_of(label)) for label in labels] == [
        (a, b) for a in lists[0] for b in lists[1]
    ]


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"by": ["region", "sex"], "keys": "public"}, "keys"),
        ({"by": ["region", "sex"], "keys": [["north"]]}, "keys"),
        ({"by": ["sex", "sex"], "keys": [["f"], ["f"]]}, "by"),
        ({"by": [], "keys": []}, "by"),
        ({"by": ["a", "b"], "keys": [range(999), range(999)]}, "keys"),
    ],
)
def test_groups_that_cannot_be_are_refused(options, field):
    with pytest.raises(ArgumentError, match=f"^{field} must be"):
        Count(**options)


@pytest.mark.parametrize(
    ("value", "low", "high", "shown"),
    [
        (33871.142, 33525.3, 34216.9, ("33871", "33525", "34217")),
        (3.7123, 3.31, 4.11, ("3.7", "3.3", "4.2")),
        (3.7123, 3.55, 3.89, ("3.71", "3.55", "3.89")),
        (-0.001, -0.3, 0.3, ("0.0", "-0.3", "0.3")),
        (1234567.8, 1200000, 1270000, ("1234600", "1200000", "1270000")),
        (5, 3, 7, ("5", "3", "7")),
        (9873.4, 5000, 2e11, ("9900", "5000", "200000000000")),  # and not 0
        (507, -1e12, 1000, ("510", "-1000000000000", "1000")),
        (0.25, -1.5, 2.5, ("0.3", "-1.5", "2.5")),
        (12, 12, 12, ("12", "12", "12")),
        (5.5, None, None, ("5.5", "", "")),
    ],
)
def test_numbers_are_shown_as_their_interval_supports(value, low, high, shown):
    assert rounded(Estimate(value, low, high)) == shown


@pytest.mark.parametrize(
    ("step", "shown"), [(781.25, "45700"), (0.2, "45703.1"), (1, "45703"), (1e6, "0")]
)
def test_numbers_without_an_interval_are_shown_as_their_grid_supports(step, shown):
    assert rounded(Estimate(45703.125, None, None, step=step)) == (shown, "", "")


def test_zeros_behind_a_number_without_an_interval_say_nothing():
    assert rounded(Estimate(16.0, None, None, step=0.01))[0] == "16"
    assert rounded(Estimate(100.0, None, None, step=1))[0] == "100"


def test_quantiles_are_shown_in_digits_of_their_bins():
    """Before: 45703.125, of bins 781.25 wide."""
    query = Quantiles("income", [0.5], low=0, high=200_000, bins=256)
    answer = ask(TABLE, query, epsilon=1)
    number = str(answer).splitlines()[0].split()[1]
    assert number.endswith("00") and "." not in number
    edges = [0, 5, 100, 300]
    assert [Quantiles("income", [0.5], bins=edges).step_at(x) for x in (0, 2.5, 52.5, 300)] == [
        *(5, 5, 95, 200)
    ]
    written = report(answer).to_json()
    assert written["batches"][0]["answers"][0]["answers"][0]["shown"] == [number, "", ""]
    assert exit_code_of(check_report(written)) == 0


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    """Reports of every way in which budgets of files make that of an answer."""
    book = Ledger.create(tmp_path_factory.mktemp("r") / "b.db", epsilon=20, delta="1e-4")
    person = PrivacyUnit("person", max_rows_per_group=2, max_groups=3)
    mean = Mean("income", low=0, high=120, **CROSSED)
    one = PrivacyUnit("person", max_rows_per_group=1, max_groups=1)
    keys = {"by": "sex", "keys": "private"}
    asked = {
        "drawn": ask(TABLE, mean, epsilon=1, unit=person, ledger=book),
        "keys": ask(TABLE, Histogram("income", low=0, high=120, bins=2), epsilon=1, unit=person),
        "once": ask(TABLE, Count(**keys), epsilon=1, delta="1e-6", unit=one),
        "argued": ask(TABLE, Median("income", low=0, high=120, step=1), epsilon=1),
        "steps": ask(TABLE, Mean("income", low=0, high=120), epsilon=1),
        "all": ask_all(TABLE, [Count(), Mean("income", low=0, high=120)], epsilon=1),
    }  # fmt: skip
    books = {"drawn": book}
    return {name: report(one, ledger=books.get(name)).to_json() for name, one in asked.items()}


def test_every_number_leads_to_its_proof(reports):
    for name, raw in reports.items():
        found = set(verdicts(json.loads(json.dumps(raw))))
        assert found == ({"proven", "by theorem"} if name == "argued" else {"proven"}), name


def resealed(raw):
    return raw | {"sha256": hash_of(raw)}


def forged(raw, change):
    """The report with a change, and all that the tool would write for it."""
    held = copy.deepcopy(raw)
    change(held)
    with suppress(Exception):  # it may be no report at all
        held = read_report(held).to_json()
    return resealed(held)


def changed(raw, change):
    """The report with a change, and nothing but the hash for it."""
    held = copy.deepcopy(raw)
    change(held)
    return resealed(held)


def refused(raw):
    try:
        return "refuted" in verdicts(raw)
    except FormatError:
        return True


def first(raw):
    return raw["batches"][0]["answers"][0]["basis"]


FORGERIES = {
    "a smaller epsilon": lambda raw: raw["batches"][0].update(epsilon="0.999"),
    "a number that moves further": lambda raw: first(raw).update(neighbors="replace"),
    "more groups": lambda raw: first(raw).update(
        unit={"kind": "PrivacyUnit", "id": "person", "max_rows_per_group": 2, "max_groups": 9},
        question=first(raw)["question"] | {"by": "region", "keys": list("abcdefghij")},
    ),
    "another file": lambda raw: first(raw).update(files=["0" * 64] * len(first(raw)["files"])),
    "no file": lambda raw: first(raw).update(files=[]),
    "a larger epsilon": lambda raw: raw["batches"][0].update(epsilon="2"),
    "another question": lambda raw: first(raw).update(question={"kind": "Count"}),
    "another form": lambda raw: first(raw).update(form=1 - first(raw)["form"]),
}  # fmt: skip
TOLD = {
    "a smaller report's budget": lambda raw: raw.update(epsilon="0.5"),
    "another query": lambda raw: raw["batches"][0]["answers"][0].update(query="count()"),
    "a file under another's name": lambda raw: raw.update(
        mechanisms={name: f"{text} " for name, text in raw["mechanisms"].items()}
    ),
}  # fmt: skip


RIDERS = {
    "another question of the draw": lambda raw: raw["batches"][0]["answers"].append(
        copy.deepcopy(raw["batches"][0]["answers"][0])
    ),
    "one question less": lambda raw: raw["batches"][0]["answers"].pop(),
    "the other way around": lambda raw: raw["batches"][0]["answers"].reverse(),
    "each by itself": lambda raw: raw.update(
        batches=[raw["batches"][0] | {"answers": [one]} for one in raw["batches"][0]["answers"]]
    ),
}


@pytest.mark.parametrize("name", RIDERS)
def test_numbers_of_one_draw_are_all_that_is_drawn(reports, name):
    assert len(reports["all"]["batches"][0]["answers"]) == 2
    assert refused(forged(reports["all"], RIDERS[name]))


def test_units_that_are_replaced_have_no_moves_of_one_sign(reports):
    def change(raw):
        for answer in raw["batches"][0]["answers"]:
            answer["basis"]["neighbors"] = "replace"

    assert refused(forged(reports["all"], change))


@pytest.mark.parametrize("name", [*FORGERIES, *TOLD])
def test_forged_reports_are_refuted(reports, name):
    for honest in (reports["drawn"], reports["steps"]):
        forge, every = (forged, FORGERIES) if name in FORGERIES else (changed, TOLD)
        assert refused(forge(honest, every[name]))


def test_what_is_proven_is_said_of_the_unit_that_it_is_proven_for(reports):
    """Noise is in steps: of a person with more rows, whose steps are larger, it costs the same."""
    person = {"kind": "PrivacyUnit", "id": "person", "max_rows_per_group": 9}

    def change(raw):
        # Of a person no number of rows that are left out is released.
        first(raw).update(unit=person, files=first(raw)["files"][:2])

    held = forged(reports["steps"], change)
    for raw, unit, rows in ((reports["steps"], "row", 1), (held, "privacy unit person", 9)):
        steps = check_report(raw)
        assert {step.verdict for step in steps} == {"proven"}
        most = rows * 120
        assert any(f"at most {most}, in steps" in step.words for step in steps)
        assert any(step.words.endswith(f"for one {unit}, add-remove") for step in steps)


@pytest.mark.parametrize(
    "other", [{"unit": PrivacyUnit("person", max_rows_per_group=9)}, {"neighbors": "replace"}]
)
def test_budgets_of_different_units_do_not_add_up(other):
    """One row moves little where a person has many: epsilon is another one for each of them."""
    one, two = ask(TABLE, Count(), epsilon=1), ask(TABLE, Count(), epsilon=1, **other)
    with pytest.raises(ArgumentError, match="one neighboring relation"):
        report([one, two])
    parts = [report(answer).to_json() for answer in (one, two)]
    both = parts[0] | {
        "epsilon": "2",
        "batches": [batch for part in parts for batch in part["batches"]],
        "mechanisms": parts[0]["mechanisms"] | parts[1]["mechanisms"],
    }
    with pytest.raises(FormatError, match="one neighboring relation"):
        verdicts(resealed(both))


def test_a_budget_below_zero_pays_for_no_other(reports):
    """A median at epsilon = -0.9 made epsilon = 0.1 of a count at 1, and the sum was proven."""

    def change(raw):
        raw["batches"][0]["epsilon"] = first(raw)["epsilon"] = "-0.9"

    with pytest.raises(FormatError, match="epsilon"):
        verdicts(forged(reports["argued"], change))
    with pytest.raises(FormatError, match="epsilon"):
        verdicts(forged(reports["argued"], lambda raw: first(raw).update(epsilon="-0.9")))
    with pytest.raises(FormatError, match="delta"):
        verdicts(forged(reports["argued"], lambda raw: raw["batches"][0].update(delta="-1")))


def said(raw, heading):
    return next(one["by"] for one in raw["headings"] if one["heading"] == heading)


def _heading(number, **words):
    return lambda raw: raw["headings"][number].update(words)


def _every(**values):
    def change(raw):
        for answer in raw["batches"][0]["answers"]:
            answer.update(values)

    return change


UNTRUE = {
    "another unit in the heading": _heading(0, words="company"),
    "other neighbors in the heading": _heading(1, words="replace: all"),
    "a smaller loss in the heading": _heading(2, words="epsilon = 0.1, delta = 0"),
    "all of it proven": _heading(10, by="proven"),
    "a heading left out": lambda raw: raw["headings"].pop(),
    "a heading more": lambda raw: raw["headings"].append(
        {"heading": "Audit", "by": "proven", "words": "passed"}
    ),
    "another confidence": _every(confidence=0.999),
    "another reason": _every(why="no row matters"),
    "numbers that read otherwise": lambda raw: raw["batches"][0]["answers"][0]["answers"][0].update(
        shown=["7", "6", "8"]
    ),
    "a number twice": lambda raw: raw["batches"][0]["answers"][0]["answers"].append(
        raw["batches"][0]["answers"][0]["answers"][0]
    ),
    "a file that nothing names": lambda raw: (
        raw["mechanisms"].update({hashlib.sha256(SPARE.encode()).hexdigest(): SPARE}),
        raw["headings"][3].update(words=raw["headings"][3]["words"].replace("1", "2")),
    ),
    "a ledger that was never charged": lambda raw: (
        raw.update(ledger=BOOK),
        raw["headings"][5].update(by="stated by the tool", words=LEDGER),
    ),
}
SPARE = design(epsilon=1, delta=0, sensitivity=1, integer=True).document.dumps()
BOOK = {
    "epsilon": 9.0, "delta": 0.0, "spent_epsilon": 1.0, "spent_delta": 0.0, "left_epsilon": 8.0,
    "left_delta": 0.0, "composition": "basic", "charges": 1, "created": "", "closed": None,
    "protects": "row, add-remove",
}  # fmt: skip
LEDGER = "a ledger of epsilon = 9, delta = 0, of which 1 and 0 are spent"


@pytest.mark.parametrize("name", UNTRUE)
def test_what_a_report_says_of_itself_is_what_the_tool_would_write(reports, name):
    """All of these were called proven: they were in the hash, and in nothing else."""
    assert refused(changed(reports["steps"], UNTRUE[name]))


def test_a_ledger_that_has_spent_less_than_the_answers_is_refuted(reports):
    def change(raw):
        raw["ledger"].update(spent_epsilon=0.5, left_epsilon=19.5)
        words = raw["headings"][5]["words"]
        raw["headings"][5]["words"] = words.replace("of which 1 and", "of which 0.5 and")

    assert "refuted" in verdicts(forged(reports["drawn"], change))


@pytest.mark.parametrize(
    "change",
    [
        lambda raw: raw["ledger"].update(composition="of another kind"),
        lambda raw: raw["batches"][0].update(charge=None),
        lambda raw: raw["batches"].append(raw["batches"][0]),
    ],
    ids=["unknown sums", "no charge", "one charge for two"],
)
def test_a_ledger_has_room_for_every_charge(reports, change):
    steps = check_report(forged(reports["drawn"], change))
    assert [one.verdict for one in steps if one.words.startswith("the ledger")] == ["refuted"]


def test_headings_call_proven_what_verify_calls_proven(reports):
    """They said it of a median, of intervals and of the ledger's balance, too."""
    assert said(reports["steps"], "Privacy loss") == "proven"
    assert said(reports["argued"], "Privacy loss") == "by theorem"
    for name, heading in (
        ("argued", "Mechanisms"),
        ("steps", "Accuracy"),
        ("steps", "What one unit can change"),
        ("drawn", "Composition with other releases"),
    ):
        assert said(reports[name], heading) == "stated by the tool"
    assert "refuted" in verdicts(changed(reports["argued"], _heading(2, by="proven")))


def test_a_ledger_is_that_of_all_answers(tmp_path):
    book = Ledger.create(tmp_path / "b.db", epsilon=5)
    charged, free = (ask(TABLE, Count(), epsilon=1, ledger=one) for one in (book, None))
    other = ask(TABLE, Count(), epsilon=1, neighbors="replace", ledger=None)
    for answers in ([free], [charged, free], [replace(other, charge=1)]):
        with pytest.raises(ArgumentError, match="charged to"):
            report(answers, ledger=book)
    assert set(verdicts(report(charged, ledger=book).to_json())) == {"proven"}


def test_a_charge_that_is_left_out_is_said_in_the_first_lines(tmp_path):
    book = Ledger.create(tmp_path / "b.db", epsilon=5)
    queries = [Count(where="income > 1"), Median("income", low=0, high=120)]
    one, two = ([*ask_all(TABLE, queries, epsilon=1, ledger=book, unit="row")] for _ in range(2))
    whole, part = (report(some, ledger=book) for some in (one + two, two))
    texts = {}
    for name, raw in (("whole", whole.to_json()), ("part", part.to_json())):
        texts[name] = summary_of_report(raw, check_report(raw))
    assert "of which 2 and 0 are spent. This report has all charges" in texts["whole"]
    assert texts["part"].endswith("lacks 1 of the 2 charges that the ledger had at the time.")
    assert "lacks 1 of the 2 charges" in part.to_html()
    assert "<p>This report has all charges" in whole.to_html()
    none = report(ask(TABLE, Count(), epsilon=1, unit="row")).to_json()
    assert "names no ledger" in summary_of_report(none, check_report(none))
    raw = whole.to_json()  # the total of a report whose author deleted a charge
    del raw["batches"][:2]
    steps = check_report(raw | {"sha256": hash_of(raw)})
    words = "false. Do not use this report. The first of them: all charges add up to epsilon = 1, "
    assert words in summary_of_report(raw, steps)


def test_queries_stand_once_above_the_steps_of_their_charge(tmp_path):
    book = Ledger.create(tmp_path / "b.db", epsilon=5)
    where = "income > 11 and income < 97"
    for _ in range(2):
        answers = ask(TABLE, Count(where=where), epsilon=1, ledger=book, unit="row")
    report(answers, tmp_path / "r.html", ledger=book)
    shown, told = run("verify", tmp_path / "r.json"), run("verify", "--json", tmp_path / "r.json")
    assert shown.stdout.count(where) == 1 and "charge 2: count()" in shown.stdout
    steps = [one["step"] for one in json.loads(told.stdout)["steps"]]
    assert sum(step.startswith(f"charge 2: count() where {where}: ") for step in steps) == 2
    page = (tmp_path / "r.html").read_text().split("From the numbers to their proofs")[1]
    assert page.split("</details>")[0].count(where.replace(">", "&gt;").replace("<", "&lt;")) == 1


def test_a_field_that_nobody_reads_is_no_part_of_a_report(reports):
    for place in (
        lambda raw: raw,
        lambda raw: raw["batches"][0],
        lambda raw: raw["batches"][0]["answers"][0],
        lambda raw: raw["batches"][0]["answers"][0]["answers"][0],
        first,
        lambda raw: first(raw)["question"],
        lambda raw: first(raw)["unit"],
    ):
        assert refused(changed(reports["steps"], lambda raw, at=place: at(raw).update(audit="yes")))


def test_numbers_beyond_all_floats_are_refused_in_words(reports):
    """They ended in an OverflowError."""
    for numbers in ([10**400, 0, 1], [1, 10**400, None]):
        held = dict(zip(("value", "low", "high"), numbers, strict=True))
        with pytest.raises(FormatError):
            verdicts(changed(reports["steps"], _every(answers=[held | {"key": "", "shown": []}])))
    for question in ({"high": str(10**400)}, {"high": "1e999999999"}, {"low": "-1e-400"}):
        with pytest.raises(FormatError):
            verdicts(
                changed(reports["steps"], lambda raw, q=question: first(raw)["question"].update(q))
            )
    with pytest.raises(FormatError):  # (JSON's 1e400: the hash ended in a ValueError)
        check_report(reports["steps"] | {"title": float("inf")})
    with pytest.raises(FormatError):
        check_report(reports["steps"] | {"sha256": float("inf")} | {"x": float("inf")})


def test_a_smaller_delta_is_refuted(reports):
    smaller = forged(reports["once"], lambda raw: raw["batches"][0].update(delta="0.0000001"))
    assert "refuted" in verdicts(smaller)


def test_a_changed_number_breaks_the_hash(reports):
    held = copy.deepcopy(reports["steps"])
    held["batches"][0]["answers"][0]["answers"][0]["value"] += 1
    assert verdicts(held)[0] == "refuted"


@pytest.mark.parametrize("change", [
    lambda raw: raw.pop("batches"),
    lambda raw: raw.update(batches=[]),
    lambda raw: raw.update(batches=7),
    lambda raw: first(raw).pop("size"),
    lambda raw: first(raw).update(form="0"),
    lambda raw: first(raw).update(files=3),
    lambda raw: raw.update(mechanisms=[]),
    lambda raw: raw.update(mechanisms={"x": 7}),
    lambda raw: raw.pop("ledger"),
    lambda raw: first(raw)["question"].update(where="(" * 10**5),
])  # fmt: skip
def test_reports_that_are_none_are_malformed(reports, change):
    with pytest.raises(FormatError):
        verdicts(changed(reports["steps"], change))
    with pytest.raises(FormatError):
        verdicts([])


def test_all_files_of_a_report_share_one_limit_of_work(reports, monkeypatch):
    monkeypatch.setattr("leastnoise.certify.published._WORK", 10)
    with pytest.raises(FormatError, match="more work than allowed"):
        verdicts(reports["all"])


def test_a_report_is_written_for_people_and_for_machines(tmp_path):
    title = "Income <of> all"
    answers = ask(TABLE, Count(by="region", keys=["north", "<em>"]), epsilon=1)
    found = report(answers, tmp_path / "r.html", title=title)
    page = (tmp_path / "r.html").read_text()
    assert "Income &lt;of&gt; all" in page and "<em>" not in page and "not covered" in page
    assert json.loads((tmp_path / "r.json").read_text()) == found.to_json()
    assert found.epsilon == Fraction(1)
    with pytest.raises(ArgumentError, match=r"^report must be"):
        report(answers, tmp_path / "r.pdf")


def test_what_a_key_or_a_name_says_is_text_and_no_command():
    """A key such as "$10 to $20" was a formula for the picture, and some of them no valid one."""
    odd = ["<script>alert(1)</script>", "$\\frac$", "{title}", "'><img src=x onerror=y>"]
    table = pd.DataFrame({"<u>$_$": odd})
    answer = ask(table, Count(by="<u>$_$", keys=odd), epsilon=1)
    page = report(answer, title=odd[0]).to_html()
    assert "data:image/png" in page
    page, _, rest = page.partition('<script type="application/json" id="report">')
    held, _, code = rest.partition("</script>")
    assert "<" not in held and json.loads(held)["title"] == odd[0]
    assert code.count("</script>") == 1 and code.endswith("</script>\n</body></html>\n")
    page += answer._repr_html_()
    assert not any(one in page for one in ("<script", "<img src=x", "<u>"))


def test_the_page_of_a_report_verifies_like_its_json(tmp_path):
    report(ask(TABLE, Count(), epsilon=1), tmp_path / "r.html")
    for name in ("r.html", "r.json"):
        found = run("verify", tmp_path / name)
        assert found.returncode == 0 and found.stdout.startswith("Proven: all answers"), name
    page = (tmp_path / "r.html").read_text()
    (tmp_path / "r.html").write_text(page.replace('"title": "Private', '"title": "Pirate'))
    assert run("verify", tmp_path / "r.html").returncode == 1
    (tmp_path / "other.html").write_text("<html>")
    found = run("verify", tmp_path / "other.html")
    assert found.returncode == 2 and "holds no report" in found.stderr


def test_no_sign_turns_the_words_beside_it_around():
    """A column's name or a condition can hold signs that make a line read backwards."""
    turned = "x\u202ey"
    answer = ask(
        pd.DataFrame({turned: ["a"]}), Count(where=f"\"{turned}\" != '\u2066b'"), epsilon=1
    )
    page = report(answer, title=turned).to_html() + answer._repr_html_()
    assert not {*"\u202e\u2066"} & {*page}
    assert "x\\u202ey" in page


def test_a_title_is_a_text():
    with pytest.raises(ArgumentError, match=r"^title must be a string"):
        report(ask(TABLE, Count(), epsilon=1), title=7)


def test_coq_has_not_proven_a_report(reports, tmp_path):
    """`verify --formal` ended with 0, which says that it had."""
    path = tmp_path / "r.json"
    path.write_text(json.dumps(reports["steps"]))
    found = run("verify", "--formal", path)
    assert found.returncode == 2 and "left out for a report" in found.stderr
