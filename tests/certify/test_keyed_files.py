"""Files of kind "keyed": what the checker proves is true, and what is forged is refused."""

from __future__ import annotations

import copy
import json
import random
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from keyed_brute import best_shown, e_below, rows_of, worst

from leastnoise import load, partition_selection
from leastnoise.certify import check_any, check_file, parse_any
from leastnoise.certify.noise.keys.selection import least_excess
from leastnoise.errors import CertificateError, FormatError


def text_of(document: dict[str, Any]) -> str:
    return json.dumps(document)


def verdicts(document: dict[str, Any]) -> dict[str, str]:
    return {claim.name: claim.verdict for claim in check_any(parse_any(text_of(document))).claims}


@pytest.fixture(scope="module")
def genuine() -> dict[str, Any]:
    return partition_selection(epsilon=1, delta="0.001").document.to_json()


def test_random_budgets_are_private_exactly() -> None:
    rng = random.Random(28)
    for _ in range(20):
        epsilon = Fraction(rng.randint(5, 400), 100)
        delta = Fraction(rng.randint(1, 999), 10 ** rng.randint(3, 9))
        document = partition_selection(epsilon=epsilon, delta=delta).document
        largest = worst(document.to_json())
        assert largest <= delta
        assert largest > delta * (1 - Fraction(1, 10**20))
        # The checker's linear pass finds what the slow one finds.
        assert abs(document.noise.chain.worst_stick(epsilon)[1] - largest) < Fraction(1, 10**25)


def test_the_hockey_stick_is_the_slow_one_for_any_tables() -> None:
    """Tables that are a law and nothing more, at many budgets: equal to the last digit."""
    rng = random.Random(5)
    for _ in range(60):
        document = scribbled(rng)
        found = parse_any(text_of(document))
        epsilon = Fraction(document["epsilon"])
        n, fast = found.noise.chain.worst_stick(epsilon)
        slow = worst(document)
        assert abs(fast - slow) < Fraction(1, 10**25), (document, n)


def scribbled(rng: random.Random) -> dict[str, Any]:
    """Random tables that are a law."""
    unit, reach = 1 << 64, rng.randint(1, 5)
    beyond = sorted((rng.randint(1, unit // 2) for _ in range(reach)), reverse=True)
    tail = {j: beyond[j - 1] for j in range(1, reach + 1)}
    tail |= {1 - j: unit - beyond[j - 1] for j in range(1, reach + 1)}
    shown, last = [], 0
    for n in range(1, 2 * reach + rng.randint(1, 4)):
        least = max(last, tail.get(reach + 1 - n, unit if reach + 1 - n <= -reach else 0))
        last = rng.choice([least, rng.randint(least, unit)])
        shown.append(last)
    shown = [one for one in shown if one < unit] + [unit]
    return {
        "format": "leastnoise/1",
        "kind": "keyed",
        "epsilon": rng.choice(["0", "0.3", "1", "2.5"]),
        "delta": "0.5",
        "sensitivity": "1",
        "loss": {"name": "l1"},
        "chain": {
            "denominator": str(unit),
            "shown": list(map(str, shown)),
            "beyond": list(map(str, beyond)),
        },
        "excess": "1",
        "upper": "9",
        "lower": "0",
    }


def test_random_laws_are_judged_as_they_are() -> None:
    rng = random.Random(9)
    seen = set()
    for _ in range(80):
        document = scribbled(rng)
        exact = worst(document)
        for delta in (exact + Fraction(1, 10**9), exact - Fraction(1, 10**9)):
            if 0 <= delta < 1:
                document["delta"] = f"{delta.numerator}/{delta.denominator}"
                verdict = verdicts(document)["privacy"]
                assert verdict == ("proven" if delta > exact else "refuted")
                seen.add(verdict)
    assert seen == {"proven", "refuted"}


def test_the_law_sums_to_one_and_ends_like_additive_noise(genuine: dict[str, Any]) -> None:
    reach = len(genuine["chain"]["beyond"])
    rows = rows_of(genuine, 2 * reach + 4)
    assert rows[0] == {None: 1}
    assert all(sum(row.values()) == 1 for row in rows)
    a, b = rows[-2], rows[-1]
    assert {v + 1: p for v, p in a.items() if v is not None} == b


def test_nothing_shows_more() -> None:
    """The chain against exact rationals just above and below e^epsilon."""
    for epsilon, delta in (("1", "0.00001"), ("0.5", "0.000001"), ("3", "0.1")):
        document = partition_selection(epsilon=epsilon, delta=delta).document
        a = e_below(Fraction(epsilon))
        best = best_shown(a, Fraction(delta), document.noise.chain.always_released_from)
        for n, most in enumerate(best):
            show = Fraction(document.noise.chain.show(n), document.noise.chain.denominator)
            assert show <= most * (1 + Fraction(1, 10**50))
            assert most <= show * (1 + document.noise.excess)
        excess = least_excess(document.noise.chain, document.problem)
        assert excess is not None and excess < Fraction(1, 10**24)


def change(document: dict[str, Any], place: str, k: int, by: int) -> dict[str, Any]:
    made = copy.deepcopy(document)
    made["chain"][place][k] = str(int(made["chain"][place][k]) + by)
    return made


def test_forged_tables_are_refused(genuine: dict[str, Any]) -> None:
    unit = int(genuine["chain"]["denominator"])
    tiny = unit >> 80
    assert set(verdicts(genuine).values()) == {"proven"}
    refuted = 0
    for k in range(len(genuine["chain"]["shown"]) - 1):
        found = verdicts(change(genuine, "shown", k, tiny))
        assert "refuted" in (found.get("privacy"), found["distribution"]), k
        # Showing less is private, or breaks the other order; it is never called optimal.
        assert "refuted" in verdicts(change(genuine, "shown", k, -tiny)).values(), k
    for k in range(len(genuine["chain"]["beyond"])):
        for by in (tiny, -tiny):
            refuted += "refuted" in verdicts(change(genuine, "beyond", k, by)).values()
    assert refuted >= 2 * len(genuine["chain"]["beyond"]) - 2


@pytest.mark.parametrize(
    ("key", "value", "claim"),
    [
        ("epsilon", "0.999999999", "privacy"),
        ("delta", "0.000999999999", "privacy"),
        ("epsilon", "1.000000001", "shown"),
        ("delta", "0.001000000001", "shown"),
        ("excess", "0", "shown"),
        ("upper", "0.5", "upper"),
        ("lower", "0.9", "lower"),
    ],
)
def test_forged_claims_are_refuted(
    genuine: dict[str, Any], key: str, value: str, claim: str
) -> None:
    made = copy.deepcopy(genuine)
    made[key] = value
    if key == "upper":
        made["lower"] = "0.1"
    if key == "lower":
        made["upper"] = "0.95"
    assert verdicts(made)[claim] == "refuted"


def test_a_key_that_is_never_shown_is_never_optimal(genuine: dict[str, Any]) -> None:
    made = copy.deepcopy(genuine)
    made["excess"] = "9" * 300
    made["chain"]["shown"][0] = "0"
    assert "refuted" in verdicts(made).values()


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("sensitivity",), "2"),
        (("loss",), {"name": "pinball", "tau": "0.8"}),
        (("loss",), {"name": "custom"}),
        (("certificate",), {}),
        (("excess",), "-1"),
        (("epsilon",), "-1"),
        (("delta",), "1"),
        (("delta",), "2"),
        (("lower",), "7"),
        (("chain", "denominator"), "0"),
        (("chain", "denominator"), "3"),
        (("chain", "denominator"), str(2**63)),
        (("chain", "denominator"), str(2**128 + 1)),
        (("chain", "shown"), []),
        (("chain", "beyond"), []),
        (("chain", "beyond"), ["1"] * 10_001),
        (("chain", "shown"), ["-1"]),
        (("chain", "shown"), [1]),
        (("chain", "more"), "1"),
        (("curve",), {"mu": "0", "failure": "0.1"}),
        (("curve",), {"mu": "1", "failure": "1"}),
        (("releases",), {"count": 0, "epsilon": "1", "delta": "0.1"}),
        (("profile",), [["1", "1"]]),
        (("gdp",), {}),
    ],
)
def test_malformed_files_are_refused(
    genuine: dict[str, Any], path: tuple[str, ...], value: Any
) -> None:
    made = copy.deepcopy(genuine)
    place = made
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    with pytest.raises(FormatError):
        parse_any(text_of(made))


@pytest.mark.parametrize("key", ["chain", "excess", "loss", "delta", "upper", "sensitivity"])
def test_missing_keys_are_refused(genuine: dict[str, Any], key: str) -> None:
    made = copy.deepcopy(genuine)
    del made[key]
    with pytest.raises(FormatError, match=key):
        parse_any(text_of(made))


def test_tables_that_are_no_law_are_refuted_and_nothing_else_is_said(
    genuine: dict[str, Any],
) -> None:
    unit = genuine["chain"]["denominator"]
    for place, value in (
        ("shown", [unit, "0"]),
        ("shown", genuine["chain"]["shown"][:-1]),
        ("shown", [*genuine["chain"]["shown"], str(int(unit) * 2)]),
        ("shown", ["5", "4", unit]),
        ("beyond", ["0"]),
        ("beyond", [str(int(unit) // 2 + 1)]),
        ("beyond", ["1", "2"]),
    ):
        made = copy.deepcopy(genuine)
        made["chain"][place] = value
        assert verdicts(made) == {"distribution": "refuted"}, place


def test_a_refuted_file_is_not_loaded(genuine: dict[str, Any], tmp_path: Path) -> None:
    made = copy.deepcopy(genuine)
    made["delta"] = "0.0009"
    path = tmp_path / "forged.json"
    path.write_text(text_of(made))
    assert check_file(path).exit_code == 1
    with pytest.raises(CertificateError, match="privacy"):
        load(path)


def test_the_checker_needs_nothing_but_python(genuine: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "keys.json"
    path.write_text(text_of(genuine))
    code = (
        "import sys; from leastnoise.certify.__main__ import main; "
        f"code = main([{str(path)!r}, '--json']); "
        "assert not {'numpy', 'scipy'} & set(sys.modules); sys.exit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    names = [claim["name"] for claim in json.loads(done.stdout)["claims"]]
    assert names == ["distribution", "privacy", "shown", "upper", "lower"]


def test_certainty_is_stated_once(genuine: dict[str, Any]) -> None:
    made = copy.deepcopy(genuine)
    made["chain"]["shown"].append(made["chain"]["denominator"])
    assert verdicts(made) == {"distribution": "refuted"}
