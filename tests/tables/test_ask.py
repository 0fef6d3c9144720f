"""ask(...): right answers from every kind of table, paid for before any noise is drawn."""

from __future__ import annotations

import json
import subprocess
import sys
from fractions import Fraction

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from leastnoise import (
    ArgumentError,
    BudgetError,
    Count,
    Histogram,
    Ledger,
    MaxError,
    Mean,
    Median,
    PrivacyUnit,
    Proportion,
    Quantile,
    Sum,
    Variance,
    ask,
    design,
)
from leastnoise.sampling import Entropy, system_entropy
from leastnoise.tables.planning import noise as noise_module
from leastnoise.tables.sources import opened

BOUNDS = {"low": 120, "high": 190}
N = 4000
FRAME = pd.DataFrame(
    {
        "person_id": [i // 4 for i in range(N)],
        "salary": [120 + (i * 37) % 71 + 0.25 for i in range(N)],
        "region": [("north", "south", "west")[i % 3] for i in range(N)],
        "year": [2023 + i % 2 for i in range(N)],
    }
)
CLAMPED = FRAME.salary.clip(120, 190)


def covers(answer, true, key=None, slack=8.0):
    interval = answer.interval if key is None else answer.interval[key]
    width = interval[1] - interval[0]
    # Nine intervals wide: a failure is no bad luck.
    return interval[0] - 4 * width - slack <= true <= interval[1] + 4 * width + slack


@pytest.fixture(params=["csv", "csv.gz", "tsv", "parquet", "pandas", "polars", "arrow", "duckdb"])
def source(request, tmp_path):
    kind = request.param
    path = tmp_path / f"data.{kind}"
    if kind in ("csv", "csv.gz"):
        FRAME.to_csv(path, index=False)
    elif kind == "tsv":
        FRAME.to_csv(path, index=False, sep="\t")
    elif kind == "parquet":
        pq.write_table(pa.Table.from_pandas(FRAME), path)
    elif kind == "duckdb":
        import duckdb

        with duckdb.connect(str(path)) as con:
            con.register("f", pa.Table.from_pandas(FRAME))
            con.execute("create table people as select * from f")
        return f"duckdb://{path}#people"
    else:
        return {
            "pandas": FRAME,
            "polars": pl.from_pandas(FRAME),
            "arrow": pa.Table.from_pandas(FRAME),
        }[kind]
    return path if kind == "csv" else str(path)


def test_every_kind_of_table(source):
    person = PrivacyUnit("person_id", max_rows_per_group=4, max_groups=3)
    answer = ask(
        source,
        Mean("salary", **BOUNDS, where="year = 2024", by="region", keys=["north", "south"]),
        epsilon=4,
        delta=1e-6,
        unit=person,
    )
    here = FRAME[FRAME.year == 2024]
    for key in ("north", "south"):
        true = here[here.region == key].salary.clip(120, 190).mean()
        assert covers(answer, true, key)
    assert set(answer.value) == {"north", "south"}
    assert covers(ask(source, "count()", epsilon=1), N)


@pytest.mark.parametrize(
    "unit", ["row", PrivacyUnit("person_id", max_rows_per_group=4, max_groups=3)], ids=str
)
@pytest.mark.parametrize("neighbors", ["add-remove", "replace"])
def test_answers_are_near_the_truth(unit, neighbors):
    options = {"epsilon": 4, "delta": 1e-6, "unit": unit, "neighbors": neighbors}

    assert covers(ask(FRAME, Count(), **options), N)
    with opened(FRAME) as table:
        _near_the_truth(lambda query: ask(table, query, **options))


def _near_the_truth(asked):
    assert covers(
        asked(Count(where="year = 2024 and region = 'west'")),
        len(FRAME[(FRAME.year == 2024) & (FRAME.region == "west")]),
    )
    assert covers(asked(Sum("salary", **BOUNDS)), CLAMPED.sum())
    assert covers(asked(Mean("salary", **BOUNDS)), CLAMPED.mean())
    assert covers(asked(Variance("salary", **BOUNDS)), CLAMPED.var(ddof=0))
    assert covers(asked(Proportion("salary > 150")), (FRAME.salary > 150).mean())
    assert abs(asked(Median("salary", **BOUNDS)).value - CLAMPED.median()) < 5
    assert abs(asked(Quantile("salary", 0.9, **BOUNDS)).value - CLAMPED.quantile(0.9)) < 5
    bins = asked(Histogram("salary", bins=7, **BOUNDS))
    assert covers(bins, ((FRAME.salary >= 130) & (FRAME.salary < 140)).sum(), "[130, 140)")
    found = asked(Count(by="region", keys="private"))
    assert set(found.value) == {"north", "south", "west"}


def test_the_salary_example_uses_the_public_number_of_rows():
    data = FRAME.head(194)
    answer = ask(
        data,
        Mean("salary", **BOUNDS, nulls="middle"),
        epsilon=1,
        delta=0.2,
        neighbors="replace",
        loss="l2",
    )
    assert "0.3608" in answer.noise or "70/194" in answer.why or "35/97" in answer.why
    assert any("194" in note for note in answer.notes)
    assert covers(answer, data.salary.clip(120, 190).mean())


def test_centring_a_mean_beats_a_plain_total_and_count():
    data = FRAME.head(500)
    budget = {"epsilon": 1, "delta": Fraction(1, 10**6)}
    mine = ask(data, Mean("salary", **BOUNDS), **budget).interval
    half = {"epsilon": Fraction(1, 2), "delta": Fraction(1, 2 * 10**6)}
    total = ask(data, Sum("salary", **BOUNDS), **half).interval
    count = ask(data, Count(), **half).interval
    plain = (total[1] / count[0]) - (total[0] / count[1])
    assert 4 * (mine[1] - mine[0]) < plain


class _Watch(Entropy):
    """Refuses to give a byte before the ledger has the charge."""

    def __init__(self, ledger):
        self.ledger, self.drawn = ledger, 0

    def bytes(self, count):
        assert len(self.ledger.history()) == 1, "noise before the charge"
        self.drawn += 1
        return system_entropy().bytes(count)


@pytest.mark.parametrize(
    "query",
    [
        Count(),
        Mean("salary", **BOUNDS),
        Median("salary", **BOUNDS),
        Count(by="region", keys="private"),
    ],
    ids=str,
)
def test_the_charge_is_durable_before_any_noise_is_drawn(tmp_path, query):
    ledger = Ledger.create(tmp_path / "b.db", epsilon=1, delta=1e-6)
    watch = _Watch(ledger)
    answer = ask(FRAME, query, epsilon=1, delta=1e-6, ledger=ledger, entropy=watch)
    assert watch.drawn or query.keys == "private"
    (charge,) = ledger.history()
    assert (charge.id, charge.epsilon) == (answer.charge, 1)
    assert charge.query == str(query) and len(charge.mechanism) == 64
    again = _Watch(ledger)
    with pytest.raises(BudgetError, match=r"epsilon=0, delta=[^ ]+ is left"):
        ask(FRAME, query, epsilon=1, delta=1e-6, ledger=ledger, entropy=again)
    assert not again.drawn and len(ledger.history()) == 1


def test_the_ledger_is_bound_to_the_unit(tmp_path):
    path = tmp_path / "b.db"
    Ledger.create(path, epsilon=10)
    ask(
        FRAME,
        "count()",
        epsilon=1,
        ledger=path,
        unit=PrivacyUnit("person_id", max_rows_per_group=4),
    )
    with pytest.raises(BudgetError, match="do not add up"):
        ask(FRAME, "count()", epsilon=1, ledger=path)


def test_a_failed_question_costs_nothing(tmp_path):
    ledger = Ledger.create(tmp_path / "b.db", epsilon=1, delta=1e-6)
    with pytest.raises(ArgumentError, match="a column of the table"):
        ask(FRAME, Mean("wages", **BOUNDS), epsilon=1, ledger=ledger)
    with pytest.raises(ArgumentError, match="margin of error of the noise cannot be computed"):
        ask(FRAME, Count(), epsilon=1e-6, delta=1e-9, ledger=ledger)
    assert ledger.history() == []


def test_the_mechanism_file_is_there_and_checks_out():
    answer = ask(FRAME, Sum("salary", **BOUNDS), epsilon=1, delta=1e-6)
    assert len(answer.mechanisms) == 2  # of the sum, and of the rows that are left out
    for path in answer.mechanisms:
        done = subprocess.run(
            [sys.executable, "-m", "leastnoise.certify", str(path)],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout
    page = answer._repr_html_()
    assert "<table>" in page and "spent epsilon=1" in str(answer)
    assert "Spent ε = 1" in page and "no ledger" in page and str(path) in page
    json.dumps(answer.as_dict(), allow_nan=False)


def test_a_wrong_file_in_the_cache_is_not_used(tmp_path, monkeypatch):
    monkeypatch.setenv("LEASTNOISE_CACHE", str(tmp_path))
    asked = (Fraction(1), Fraction(0), Fraction(1), True, 1, "l1")
    noise_module.designed.cache_clear()
    _, path = noise_module.designed(*asked)
    loud = noise_module.designed(Fraction(5), *asked[1:])[1].read_text()
    path.write_text(loud)  # five times too little noise
    noise_module.designed.cache_clear()
    found, _ = noise_module.designed(*asked)
    assert found.epsilon == 1
    path.write_text("{}")
    noise_module.designed.cache_clear()
    assert noise_module.designed(*asked)[0].epsilon == 1
    noise_module.designed.cache_clear()


def _unproven(raw):
    """A loss that no checker knows: its bracket is whatever the file says."""
    return {k: v for k, v in raw.items() if k != "certificate"} | {
        "loss": {"name": "custom"},
        "lower": "0.5",
        "upper": "0.5",
    }


FORGED = {
    "an unproven bracket": _unproven,
    "another loss": lambda raw: _made(loss="l2"),
    "fewer noises": lambda raw: _made(constraints=[MaxError(3)]),
    "another kind": lambda raw: _made(bounds=(0, 9)),
    "real numbers": lambda raw: _made(integer=False),
    "more sensitive": lambda raw: _made(sensitivity=2),
}


def _made(**options):
    given = {"epsilon": 1, "delta": "0.05", "sensitivity": 1, "integer": True, "gap": "0.05"}
    return design(**(given | options), time_limit=5).document.to_json()


@pytest.mark.parametrize("forge", FORGED.values(), ids=FORGED)
def test_a_forged_file_in_the_cache_is_not_believed(tmp_path, monkeypatch, forge):
    """Private noise, and still not what was asked: its bracket would be told to the user."""
    monkeypatch.setenv("LEASTNOISE_CACHE", str(tmp_path))
    asked = (Fraction(1), Fraction("0.05"), Fraction(1), True, 1, "l1")
    noise_module.designed.cache_clear()
    good, path = noise_module.designed(*asked)
    path.write_text(json.dumps(forge(good.document.to_json())))
    noise_module.designed.cache_clear()
    found, _ = noise_module.designed(*asked)
    noise_module.designed.cache_clear()
    assert found.document == good.document and found.certified


def test_the_engine_prints_nothing(tmp_path):
    """A progress bar on standard output would spoil --json."""
    from leastnoise.tables.sources import open_table

    path = tmp_path / "d.csv"
    FRAME.to_csv(path, index=False)
    for source in (FRAME, path):
        table = open_table(source)
        con = table.engine.connection
        assert con.execute("select current_setting('enable_progress_bar')").fetchone() == (False,)


def test_html_is_escaped():
    answer = ask(FRAME, Count(by="region", keys=["<script>alert(1)</script>"]), epsilon=1)
    assert "<script>" not in answer._repr_html_()


# -- private keys ---------------------------------------------------------------------------------


def test_rare_keys_are_not_shown_and_common_ones_are():
    frame = pd.DataFrame({"p": [0] * 500 + list(range(500)), "g": ["solo"] * 500 + ["all"] * 500})
    answer = ask(
        frame,
        Count(by="g", keys="private"),
        epsilon=1,
        delta=1e-6,
        unit=PrivacyUnit("p", max_rows_per_group=2, max_groups=1),
    )
    assert set(answer.value) == {"all"}  # 500 rows of one person are one person


def test_private_keys_need_a_bound_on_groups_and_a_delta():
    query = Count(by="region", keys="private")
    with pytest.raises(ArgumentError, match="max_groups"):
        ask(
            FRAME, query, epsilon=1, delta=1e-6, unit=PrivacyUnit("person_id", max_rows_per_group=2)
        )
    with pytest.raises(ArgumentError, match="delta"):
        ask(FRAME, query, epsilon=1)


# -- crashes --------------------------------------------------------------------------------------

_NURSERY = """
import os, random, signal, sys, time
import duckdb, pyarrow
from leastnoise import Ledger, Mean, Count, ask
path, table, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
random.seed(rounds)
for round_ in range(rounds):
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        while True:
            for query in (Count(), Mean("x", low=0, high=50)):
                answer = ask(table, query, epsilon="0.1", ledger=path)
                os.write(write, f"{answer.charge}\\n".encode())
    os.close(write)
    with os.fdopen(read) as lines:
        if round_ % 2:  # on its way to the first answer
            time.sleep(random.uniform(0, 0.3))
        else:
            print(lines.readline(), end="")
            time.sleep(random.uniform(0, 0.1))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        print(lines.read(), end="", flush=True)
"""


@pytest.mark.parametrize("rounds", [3, pytest.param(200, marks=pytest.mark.slow)])
def test_no_answer_without_a_durable_charge_when_killed(tmp_path, rounds):
    path = tmp_path / "b.db"
    ledger = Ledger.create(path, epsilon=1000)
    (table := tmp_path / "t.csv").write_text("x\n" + "7\n" * 50)
    ask(table, Mean("x", low=0, high=50), epsilon="0.1", ledger=path)
    done = subprocess.run(
        [sys.executable, "-c", _NURSERY, path, table, str(rounds)],
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
    )
    assert done.returncode == 0, done.stderr
    answered = {int(word) for word in done.stdout.split()}
    held = {charge.id for charge in ledger.history()}
    assert answered <= held and len(answered) >= rounds / 5
    assert len(held) - 1 - len(answered) <= rounds  # at most one charge is wasted by a kill
    assert ledger.balance.spent_epsilon == Fraction(len(held), 10)
