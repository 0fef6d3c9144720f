"""A shelf of files: brackets at once, proven at the budget asked for, whatever the files say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from leastnoise import design
from leastnoise.errors import ArgumentError
from leastnoise.shelf import Shelf


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    where = tmp_path_factory.mktemp("shelf")
    shelf = Shelf(where)
    for epsilon in ("0.5", "1", "2"):
        for delta in ("1e-6", "1e-4"):
            shelf.design(epsilon=epsilon, delta=delta, sensitivity=1)
    assert len(shelf) == 6
    return where


@pytest.mark.parametrize(
    ("epsilon", "delta", "sensitivity"),
    [("1", "1e-6", 1), ("1", "1e-5", 200), ("1.5", "1e-5", "0.5"), ("0.6", "1e-4", 1)],
)
def test_brackets_what_the_engine_finds(folder: Path, epsilon, delta, sensitivity) -> None:
    asked = {"epsilon": epsilon, "delta": delta, "sensitivity": sensitivity}
    known = Shelf(folder).known(**asked)
    assert known is not None and known.certified and known.verify().proven
    best = design(**asked, gap=3e-4)
    assert known.lower <= best.upper and best.lower <= known.upper
    assert known.document.epsilon == best.document.epsilon
    assert known.document.delta == best.document.delta
    assert known.document.sensitivity == best.document.sensitivity


def test_a_budget_on_the_shelf_needs_no_search(folder: Path) -> None:
    found = Shelf(folder).known(epsilon=1, delta="3e-6", sensitivity=1)
    assert found is not None and found.converged and found.gap < 1e-3
    again = Shelf(folder).design(epsilon=1, delta="3e-6", sensitivity=1)
    assert again.stats["rounds"] == 0 and again.gap <= found.gap * (1 + 1e-9)
    (kept,) = folder.glob("*3e-06*.json")
    kept.unlink()


def test_beyond_its_ends_it_knows_nothing(folder: Path) -> None:
    shelf = Shelf(folder)
    assert shelf.known(epsilon="0.4", delta="1e-6", sensitivity=1) is None  # no noise
    assert shelf.known(epsilon=3, delta="1e-6", sensitivity=1) is None  # no bound
    assert shelf.known(epsilon=1, delta="1e-5", sensitivity=1, loss="l2") is None
    assert shelf.known(epsilon=1, delta="1e-5", sensitivity=1, integer=True) is None
    with pytest.raises(ArgumentError, match="folder"):
        Shelf(folder / "missing")


def _forge(folder: Path, to: Path, change) -> Shelf:
    for path in folder.glob("*.json"):
        data = json.loads(path.read_text(encoding="utf-8"))
        change(data)
        (to / path.name).write_text(json.dumps(data), encoding="utf-8")
    return Shelf(to)


def _claim_more(data) -> None:
    data["lower"], data["upper"] = "1000", "1000"


def _claim_a_smaller_budget(data) -> None:
    data["epsilon"], data["delta"] = "0.01", "0"


def _larger_multipliers(data) -> None:
    for entry in data["certificate"]["shifts"]:
        entry["budget"] = "1000"
        entry["cells"] = [[i, "999"] for i, _ in entry["cells"]]


def _all_at_zero(data) -> None:
    data["noise"]["weights"] = ["0"] * len(data["noise"]["weights"])
    data["noise"]["atom"] = data["noise"]["denominator"]


@pytest.mark.parametrize(
    "change", [_claim_more, _claim_a_smaller_budget, _larger_multipliers, _all_at_zero]
)
def test_forged_files_prove_nothing_wrong(folder: Path, tmp_path: Path, change) -> None:
    best = design(epsilon=1, delta="1e-5", sensitivity=1)
    for asked in ("0.02", "1"):
        known = _forge(folder, tmp_path, change).known(epsilon=asked, delta="1e-5", sensitivity=1)
        if known is not None:
            assert known.verify().proven
        if known is not None and asked == "1":
            assert known.lower <= best.upper and best.lower <= known.upper


def test_files_that_are_none_are_passed_over(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("{", encoding="utf-8")
    (tmp_path / "b.json").write_text('{"kind": "additive"}', encoding="utf-8")
    (tmp_path / "c.json").write_text("[" * 100_000, encoding="utf-8")
    data = json.loads(next(folder.glob("*.json")).read_text(encoding="utf-8"))
    for name, change in {
        "d": {"sensitivity": "0"},
        "e": {"sensitivity": "-1"},
        "f": {"upper": "1e5000"},
        "g": {"lower": "1/0"},
        "h": {"epsilon": 1},
    }.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(data | change), encoding="utf-8")
    assert len(Shelf(tmp_path)) == 0
    assert Shelf(tmp_path).known(epsilon=1, delta=0, sensitivity=1) is None


def test_a_file_whose_weights_are_no_distribution_is_passed_over(
    folder: Path, tmp_path: Path
) -> None:
    def _no_weight(data) -> None:
        noise = data["noise"]
        noise["weights"], noise["atom"] = ["0"] * len(noise["weights"]), "0"
        data["lower"], data["upper"] = "0", "0"

    shelf = _forge(folder, tmp_path, _no_weight)
    assert shelf.known(epsilon=1, delta="1e-6", sensitivity=1) is None
    for path in folder.glob("*.json"):
        (tmp_path / f"good-{path.name}").write_text(path.read_text(encoding="utf-8"))
    found = Shelf(tmp_path).known(epsilon=1, delta="1e-6", sensitivity=1)
    assert found is None or found.verify().proven  # the four best names may all be forged
    assert Shelf(tmp_path).design(epsilon=1, delta="1e-6", sensitivity=1).verify().proven


@pytest.mark.parametrize("loss", ["l1", "l2"])
def test_coarse_multipliers_of_whole_numbers_prove_as_much_again(loss: str, tmp_path: Path) -> None:
    asked = {"epsilon": 1, "sensitivity": 2025, "integer": True, "loss": loss}
    best = design(**asked, delta="0.01", gap=0.05)
    assert best.document.certificate.step > 1
    best.save(tmp_path / "runs.json")
    same = Shelf(tmp_path).known(**asked, delta="0.01")
    assert same is not None and same.lower == pytest.approx(best.lower, rel=1e-12)
    near = Shelf(tmp_path).known(**asked, delta="0.0101")
    assert near is not None and 0.99 * best.lower < near.lower <= best.lower


@pytest.mark.parametrize("change", [{"integer": True}, {"loss": "l2"}])
def test_a_file_that_became_another_answers_nothing(change, tmp_path: Path) -> None:
    asked = {"epsilon": 1, "delta": "0.1", "sensitivity": 1}
    path = tmp_path / "one.json"
    design(**asked, gap=0.05).save(path)
    shelf = Shelf(tmp_path)
    design(**asked | change, gap=0.05).save(path)
    assert shelf.known(**asked) is None
    assert Shelf(tmp_path).known(**asked | change) is not None
