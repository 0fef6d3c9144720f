"""The checker of the page, written from the document alone, agrees with ours. Skipped without node.

`python benchmarks/agreement.py javascript --count 10000` compares many more.
"""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from leastnoise import Ball, Count, Cube, Sparse, Workload, ask, design, partition_selection, report
from leastnoise.certify import check, parse_any
from leastnoise.certify.published import check_published, hash_of, hash_of_text
from leastnoise.errors import FormatError

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))
import agreement  # noqa: E402

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")

EXAMPLE = json.loads((ROOT / "docs" / "example.json").read_text(encoding="utf-8"))
MESH = {
    **EXAMPLE,
    "delta": "0.6",
    "sensitivity": "1",
    "loss": {
        "name": "sum",
        "terms": [["2", {"name": "huber", "width": "0.3"}], ["1/3", {"name": "l1"}]],
    },
    "step": "1",
    "grid": 3,
    "noise": {
        "denominator": "10",
        "edges": ["-3/2", "-1/2", "5/6", "3/2"],
        "weights": ["2", "4", "3"],
        "atom": "1",
    },
    "upper": "2",
    "lower": "0",
}
TAIL = {
    **EXAMPLE,
    "kind": "integer",
    "epsilon": "0.7",
    "delta": "0",
    "sensitivity": "1",
    "loss": {"name": "power", "p": "3"},
    "step": "1",
    "noise": {
        "denominator": "6",
        "first": -1,
        "weights": ["1", "2", "1"],
        "tail": {"period": 1, "ratio": "1/2"},
    },
    "upper": "30",
    "lower": "0",
    "profile": [["0.8", "0"]],
    "certificate": {"step": "1", "reach": 0, "shifts": []},
}
del TAIL["grid"]
_OTHER = json.dumps(EXAMPLE | {"format": "leastnoise/2"})
SOURCES = [EXAMPLE, MESH, TAIL]
_AROUND = (1 - Fraction(1, 10**6), 1 + Fraction(1, 10**6))


def test_both_checkers_say_the_same_of_altered_files() -> None:
    draw = random.Random(5)
    files = SOURCES + [agreement.altered(draw.choice(SOURCES), draw) for _ in range(150)]
    found = list(agreement.compared("javascript", files))
    assert [(ours, other) for ours, other, _ in found[:3]] == [(0, 0)] * 3
    assert {ours for ours, _, _ in found} == {0, 1, 2}
    for ours, other, text in found:
        assert ours == other, text


def test_both_checkers_say_the_same_of_keys_below_several_budgets() -> None:
    draw = random.Random(7)
    made = partition_selection(
        profile=[("1", "0.01"), ("0.5", "0.05"), ("0.2", "0.1")]
    ).document.to_json()
    files = [made, *(agreement.altered(made, draw) for _ in range(60))]
    files += [made | {"profile": made["profile"][:1]}, made | {"delta": "0.0999999"}]
    files += [made | {"profile": [*made["profile"], ["0", "0.15"]]}, made | {"sensitivity": "1.0"}]
    found = list(agreement.compared("javascript", files))
    assert found[0][:2] == (0, 0) and {ours for ours, _, _ in found} == {0, 1, 2}
    for ours, other, text in found:
        assert ours == other, text


def test_both_checkers_follow_a_huber_width_far_below_the_sensitivity() -> None:
    found = design(epsilon="1.63", delta="3.6e-8", sensitivity=161, loss="huber:1")
    assert found.converged and found.lower > 88
    file = json.loads(found.document.dumps())
    false = {**file, "lower": str(Fraction(file["upper"]) * Fraction(9999, 10_000))}
    both = list(agreement.compared("javascript", [file, false]))
    assert [(ours, other) for ours, other, _ in both] == [(0, 0), (1, 1)]


@pytest.mark.parametrize("loss", ["l1", "l2", "pinball:0.8"])
def test_both_checkers_know_steps_between_whole_numbers_and_long_runs(loss: str) -> None:
    found = design(epsilon=1, delta=0, sensitivity=5003, integer=True, loss=loss)
    assert found.converged and found.document.noise.gridded
    file = json.loads(found.document.dumps())
    assert Fraction(file["certificate"]["step"]).denominator != 1
    files = [file]
    for name in ("lower", "upper"):  # a little more than is proven
        files += [{**file, name: str(Fraction(file[name]) * f)} for f in _AROUND]
    both = [(ours, other) for ours, other, _ in agreement.compared("javascript", files)]
    assert both[0] == (0, 0) and all(ours == other for ours, other in both)
    assert {ours for ours, _ in both} == {0, 1}


@pytest.mark.parametrize(
    "text",
    [
        '{"format": "leastnoise/1", "format": "leastnoise/1"}',
        "[" * 5000,
        "NaN",
        '{"a": 1,}',
        "\ufeff{}",
        '"\x01"',
        "",
        '{"format": "leastnoise/1", "kind": "other"}',
        "," * 8_000_001,
    ],
    ids=lambda text: text[:20],
)
def test_what_is_no_file_is_malformed_for_both(text) -> None:
    assert agreement.javascript_says([text]) == [2] == [agreement.python_says(text)]


def test_what_it_does_not_know_it_does_not_judge() -> None:
    others = [
        design(epsilon=1, delta=0, sensitivity=Ball(2, 1)),
        design(epsilon=1, delta="1e-3", sensitivity=Cube(30)),
        design(epsilon=1, delta="1e-6", sensitivity=Cube(16), integer=True, loss="l2"),
        design(workload=Workload.prefix(4), gdp=1),
        partition_selection(gdp="0.5", failure="1e-6"),
    ]
    files = [json.dumps({**EXAMPLE, "gdp": {}}), *(one.document.dumps() for one in others)]
    assert agreement.javascript_says(files) == [None] * 6


def test_both_checkers_say_the_same_of_several_numbers_at_a_positive_delta() -> None:
    draw = random.Random(11)
    asked = [
        (Cube(2), "l1"),
        (Cube(3), "l2"),
        (Cube(5, one_sided=True), "l2"),
        (Cube(2, "1/2"), "l2"),
    ]
    files = []
    for shape, loss in asked:
        integer = shape.widths[0] == 1
        found = design(epsilon=1, delta="1e-6", sensitivity=shape, integer=integer, loss=loss)
        made = json.loads(found.document.dumps())
        above = {**made, "lower": str(Fraction(made["lower"]) * Fraction(1001, 1000))}
        above["upper"] = str(max(Fraction(above["lower"]), Fraction(made["upper"])))
        files += [made, above, *(agreement.altered(made, draw) for _ in range(25))]
    both = list(agreement.compared("javascript", files))
    assert [one[:2] for one in both[::27]] == [(0, 0)] * 4
    assert [one[:2] for one in both[1::27]] == [(1, 1)] * 4
    for ours, other, text in both:
        assert other in (ours, None), text


def test_a_flow_of_many_numbers_is_judged_in_the_page() -> None:
    asked = {"epsilon": 1, "delta": 0, "sensitivity": Cube(2), "integer": True, "loss": "l1"}
    file = json.loads(design(**asked).document.dumps()) | {"upper": "9999", "lower": "0"}
    file["delta"] = "0.000000001"
    file["sensitivity"]["blocks"] = [{"numbers": 60, "most": 60, "width": "1"}]
    unit = f"1/{'9' * 97}"  # as long as it may be
    file["certificate"] = {"numbers": 60, "ranked": False, "unit": unit, "rates": [], "cut": 1000}
    assert [one[:2] for one in agreement.compared("javascript", [file])] == [(0, 0)]


_CLAIMS = """
require(process.argv[1]);
const lines = require("fs").readFileSync(0, "utf8").split("\\n").filter((line) => line);
for (const line of lines) console.log(JSON.stringify(leastnoiseCheck(JSON.parse(line))));
"""


def claims_of(files: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """All that the script says of files."""
    lines = "\n".join(json.dumps(json.dumps(data)) for data in files)
    words = ["node", "-e", _CLAIMS, str(agreement.CHECKER)]
    done = subprocess.run(words, input=lines, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_claims_of_many_queries_are_judged_as_ours_are() -> None:
    """Privacy of counts, answers and rows, and the error of the first two; the rest is left out."""
    draw = random.Random(13)
    weighted = {
        "weights": ["2", "1/3", "1", "5"],
        "of": {"rows": [[1, 0], [-1, 2], [0, 0], [3, 1]], "denominator": "2"},
    }
    stacked = {"stack": [weighted, {"name": "ranges", "cells": 2}, {"weights": ["3"],
               "of": {"marginals": [2], "sets": [[0], []], "weights": ["1/2", "1"]}}]}  # fmt: skip
    tall = {"bits": 3, "rows": [[4, -4], [4, 0], [0, 4]]}
    square = {"matrix": [[1, 0], [0, 1]], "inverse": [[1, 0], [0, 1]]}
    sources = [
        many_queries(stacked, {"counts": True}),
        many_queries(stacked, {"counts": True}, largest=True),
        many_queries({"product": [weighted, {"name": "prefix", "cells": 3}]}, {"counts": True}),
        many_queries({"name": "ranges", "cells": 5}, {"answers": True}, neighbours="replace"),
        many_queries({"name": "prefix", "cells": 2}, tall, {"shifts": [[0, 3], [1, 2]], **square}),
    ]
    sources[2]["noise"] *= 2
    sources[2]["certificate"] *= 2
    law = json.loads(
        design(epsilon=1, delta="0.01", sensitivity=1, integer=True, loss="l2").document.dumps()
    )
    sources.append(sources[0] | {"law": law, "budget": {"epsilon": "1", "delta": "0.01"}})
    files = sources + [agreement.altered(draw.choice(sources), draw) for _ in range(150)]
    judged = 0
    for data, said in zip(files, claims_of(files), strict=True):
        try:
            ours = {
                claim.name: claim.verdict for claim in check(parse_any(json.dumps(data))).claims
            }
        except FormatError as error:
            assert said["exit_code"] in (None, 2) or '"matrix" is' in str(error), data
            continue
        for claim in said["claims"]:
            assert claim.get("open") or ours[claim["name"]] == claim["verdict"], data
            judged += not claim.get("open")
    assert judged > 100
    assert all(said["partial"] for said in claims_of(sources))
    unknown = sources[-1] | {"law": law | {"format": "leastnoise/2"}}
    assert [said["exit_code"] for said in claims_of([unknown])] == [2]
    with pytest.raises(FormatError, match='"format"'):
        parse_any(json.dumps(unknown))


def many_queries(part: dict, noise: dict, proof: dict | None = None, **more: Any) -> dict[str, Any]:
    """A file of kind "workload"."""
    return {
        "format": "leastnoise/1",
        "kind": "workload",
        "workload": part,
        "neighbours": "add-remove",
        "budget": {"epsilon": "1/2", "delta": "0"},
        "loss": {"name": "l2"},
        "largest": False,
        "noise": [noise],
        "upper": "1000000",
        "lower": "0",
        "certificate": [proof or {}],
        **more,
    }


def test_the_privacy_of_joint_noise_is_judged_where_its_error_is_not() -> None:
    file = json.loads(
        design(epsilon=1, delta=0, sensitivity=Sparse(3, 1), integer=True).document.dumps()
    )
    (low,) = claims_of([file | {"epsilon": "0.99"}])
    (good,) = claims_of([file])
    assert good["partial"] and "How close it is to optimal is not checked here" in good["words"]
    assert low["exit_code"] == 1 and low["words"].startswith('Refuted: "privacy"')


# -- what a file may cost -------------------------------------------------------------------------

_PATIENT = """
require(process.argv[1]);
const text = require("fs").readFileSync(0, "utf8");
console.log(JSON.stringify(leastnoiseCheck(text, Number(process.argv[2]))));
"""


def patiently(data: dict | str, milliseconds: int, at_most: float, megabytes: int = 500) -> dict:
    """What is said of a file within so many milliseconds; the process ends after some seconds."""
    memory = f"--max-old-space-size={megabytes}"
    words = ["node", memory, "-e", _PATIENT, str(agreement.CHECKER), str(milliseconds)]
    text = data if isinstance(data, str) else json.dumps(data)
    done = subprocess.run(
        words, input=text, capture_output=True, text=True, check=True, timeout=at_most
    )
    return json.loads(done.stdout)


def overlapping(numbers: int, overlap: int, ratio: str, **changes: object) -> dict:
    """Noise of levels for moves of one sign."""
    return {
        "format": "leastnoise/1",
        "kind": "joint",
        "epsilon": "1",
        "delta": "0",
        "sensitivity": {
            "blocks": [{"numbers": numbers, "most": numbers, "width": "1"}],
            "one_sided": True,
        },
        "loss": {"name": "l2"},
        "largest": False,
        "integer": True,
        "grid": "1",
        "noise": {"ratio": ratio, "offsets": [0], "overlap": overlap},
        "upper": "1" + "0" * 300,
        "lower": "0",
        "certificate": {},
        **changes,
    }


@pytest.mark.parametrize("ratio", ["0.4", "0." + "9" * 20, "0." + "371" * 6])
def test_a_large_overlap_is_summed_in_one_fraction(ratio: str) -> None:
    data = overlapping(2, 3000, ratio)
    assert agreement.python_says(json.dumps(data)) == 0
    assert patiently(data, 10_000, 20)["exit_code"] == 0


@pytest.mark.parametrize("overlap", [1300, 100_000, 10**6])
def test_both_checkers_limit_what_a_draw_chooses_from(overlap: int) -> None:
    """(numbers + overlap)^2 times the bits of the ratio."""
    data = overlapping(2, overlap, "0." + "7" * 139)
    with pytest.raises(FormatError, match="memory"):
        parse_any(json.dumps(data))
    assert patiently(data, 10_000, 20)["exit_code"] == 2


@pytest.mark.parametrize(
    "change",
    [
        {"loss": {"name": "l1"}, "largest": True, "noise": {"ratio": "0.9", "offsets": [10**6]}},
        {"noise": {"ratio": "0." + "9" * 100, "offsets": [10**6], "overlap": 1000}},
    ],
)
def test_a_file_that_takes_long_is_left_in_time(change: dict) -> None:
    """A look at the clock comes soon, however long the numbers are."""
    data = overlapping(250, 0, "0.5", **change)
    assert patiently(data, 300, 8)["exit_code"] is None


def test_long_numbers_are_not_kept() -> None:
    """A box of a million steps, and a mesh of edges without a common measure, in little memory."""
    box = {"loss": {"name": "l1"}, "largest": True, "noise": {"ratio": "0.9", "offsets": [10**6]}}
    assert patiently(overlapping(300, 0, "0.5", **box), 3000, 20, megabytes=60)["exit_code"] is None
    draw, grid = random.Random(2), 10**15 - 1
    marks = sorted({draw.randrange(-(10**18), 10**18) for _ in range(600)})
    whole = {"kind": "integer", "sensitivity": str(grid), "step": str(grid), "grid": grid}
    noise = {
        "denominator": str(len(marks) - 1),
        "edges": [f"{mark}/{2 * grid}" for mark in marks],
        "weights": ["1"] * (len(marks) - 1),
        "atom": "0",
    }
    certificate = {"step": str(grid), "reach": 0, "shifts": []}
    claims = {"delta": "0.9", "upper": "1" + "0" * 30, "lower": "0", "certificate": certificate}
    file = EXAMPLE | whole | claims | {"loss": {"name": "l1"}, "noise": noise}
    assert agreement.python_says(json.dumps(file)) == 0
    assert patiently(file, 30_000, 60, megabytes=200)["exit_code"] == 0


def test_reports_of_many_files_or_wrong_types_are_left_in_time() -> None:
    empty = {"format": "leastnoise-report/3", "sha256": "", "epsilon": "1", "delta": "0"}
    many = empty | {"mechanisms": {str(k): "" for k in range(100_000)}, "batches": []}
    assert patiently(many, 300, 20)["exit_code"] is None
    many["mechanisms"]["one more"] = ""
    assert patiently(many, 10_000, 20)["exit_code"] == 2
    letters = empty | {"mechanisms": {}, "batches": [], "headings": [], "x": "\u4e2d" * 3_000_000}
    text = json.dumps(letters, ensure_ascii=False)
    assert patiently(text, 30_000, 60, megabytes=60)["exit_code"] == 1
    wrong = empty | {"mechanisms": {}, "batches": ["x"]}
    assert patiently(wrong, 10_000, 20)["exit_code"] == 2


@pytest.mark.parametrize(
    "number",
    [
        *("1", "-0", "0", "-0.0", "1.0", "1.50000", "1e5", "1E+5", "1e15", "1e16", "123456789e12"),
        *("0.0001", "0.00001", "1.25e-7", "-3.0e-300", "1.7976931348623157e308", "5e-324", "1e-5"),
        *("0.1000000000000000055511151231257827", "2.5", "100000000000000000000.0", "12345.678e-9"),
    ],
)
def test_numbers_of_about_are_as_long_as_python_writes_them(number: str) -> None:
    long = len(json.dumps(json.loads(number)))
    for count, said in ((0, 0), (1, 2)):
        # {"a":[number],"b":"xxx"} of 20,000 characters, or one more
        words = "x" * (20_000 - len('{"a":[],"b":""}') - long + count)
        about = f'{{"a":[{number}],"b":"{words}"}}'
        text = json.dumps(EXAMPLE)[:-1] + f', "about": {about}}}'
        assert agreement.javascript_says([text]) == [said] == [agreement.python_says(text)]


def _of_report(content: bytes, tmp_path: Path) -> dict[str, Any]:
    """What the script says of a file."""
    (tmp_path / "held").write_bytes(content)
    code = (
        "const fs = require('fs'); require(process.argv[1]);"
        "console.log(JSON.stringify(leastnoiseCheck(fs.readFileSync(process.argv[2]))))"
    )
    command = ["node", "-e", code, str(agreement.CHECKER), str(tmp_path / "held")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def test_reports_are_checked_and_forged_ones_refuted(tmp_path: Path) -> None:
    pd = pytest.importorskip("pandas")
    table = pd.DataFrame({"age": [20 + k % 60 for k in range(300)]})
    answer = ask(table, Count(), epsilon=1)
    # A title that ends elements, and letters of every length in UTF-8.
    title = "</script><!-- \u00fc \u4e2d \U0001f600 \u2028 \x7f"
    report(answer, tmp_path / "r.html", title=title)
    held = (tmp_path / "r.json").read_bytes()
    for content in (held, (tmp_path / "r.html").read_bytes()):
        found = _of_report(content, tmp_path)
        assert found["exit_code"] == 3, found
        assert [one["verdict"] for one in found["claims"]] == [
            "proven", "proven", "proven", "not checked",
        ]  # fmt: skip
        assert "(1, 0)-DP for the privacy unit row and add-remove neighbors" in found["words"]
    raw = json.loads(held)
    (name,) = raw["mechanisms"]
    forged: list[tuple[dict[str, Any], str]] = [
        (raw | {"title": "x"}, "hash"),
        (_sealed(raw | {"epsilon": "2"}), "budget"),
        (_sealed(raw | {"mechanisms": {}}), "files"),
        (_sealed(_without_mechanism(raw)), "answers"),
        (
            _sealed(raw | {"mechanisms": {name: raw["mechanisms"][name].replace('"1"', '"9"')}}),
            f"mechanism {name[:12]}",
        ),
    ]
    for other, claim in forged:
        found = _of_report(json.dumps(other).encode(), tmp_path)
        assert found["exit_code"] == 1 and claim in found["words"], (claim, found)
    assert _of_report(b"<p>nothing</p>", tmp_path)["exit_code"] == 2


def _without_mechanism(raw: dict[str, Any]) -> dict[str, Any]:
    changed = json.loads(json.dumps(raw))
    changed["batches"][0]["answers"][0]["basis"]["files"] = []
    return changed


def test_both_hashes_are_of_the_content_however_it_is_written(tmp_path: Path) -> None:
    raw = {"format": "leastnoise-report/3", "epsilon": "0", "delta": "0", "mechanisms": {}}
    raw |= {"batches": [], "headings": [], "\U0001f600": [1e5, -0.0, 1e-7], "\uffee": 1}
    text = json.dumps(_sealed(raw)).replace("100000.0", "1.0E5").replace("1e-07", "0.0000001")
    assert check_published(text.encode()).verdict("hash") == "proven"
    assert _of_report(text.encode(), tmp_path)["claims"][0]["verdict"] == "proven"


def test_both_quote_the_same_of_headings_that_occur_twice(tmp_path: Path) -> None:
    raw = {"format": "leastnoise-report/3", "epsilon": "0", "delta": "0", "mechanisms": {}}
    headings = [{"heading": "Privacy unit", "words": words} for words in ("row", "person")]
    text = json.dumps(_sealed(raw | {"batches": [], "headings": headings})).encode()
    quoted = "for the privacy unit person and the stated neighbors"
    assert quoted in check_published(text).summary
    assert quoted in _of_report(text, tmp_path)["words"]


@pytest.mark.parametrize(
    "more",
    [
        {"batches": [{"epsilon": "-1", "delta": "0", "answers": []}], "epsilon": "-1"},
        {"mechanisms": {hash_of_text(_OTHER): _OTHER}},
        {"headings": [{"heading": "Privacy unit"}, {"heading": "Neighboring tables"}, 1]},
    ],
    ids=["a negative budget", "a file of another format", "a heading that is no object"],
)
def test_malformed_reports_are_malformed_for_both(more: dict[str, Any], tmp_path: Path) -> None:
    raw = {"format": "leastnoise-report/3", "epsilon": "0", "delta": "0", "mechanisms": {}}
    text = json.dumps(_sealed(raw | {"batches": [], "headings": []} | more)).encode()
    with pytest.raises(FormatError):
        check_published(text)
    assert _of_report(text, tmp_path)["exit_code"] == 2


def _sealed(raw: dict[str, Any]) -> dict[str, Any]:
    rest = {key: one for key, one in raw.items() if key != "sha256"}
    return rest | {"sha256": hash_of(rest)}
