"""Forgeries of genuine files: numbers nudged, keys moved, parts of one file put into another."""

from __future__ import annotations

import copy
import random
from fractions import Fraction
from typing import Any

from forged_loss import NUMBER
from forged_scratch import constraints, loss

Path = tuple[Any, ...]


def leaves(found: Any, path: Path = ()) -> list[Path]:
    """The paths of all values that are not lists or objects."""
    if isinstance(found, dict):
        return [p for key, value in found.items() for p in leaves(value, (*path, key))]
    if isinstance(found, list):
        return [p for j, value in enumerate(found) for p in leaves(value, (*path, j))]
    return [path]


def branches(found: Any, path: Path = ()) -> list[Path]:
    """The paths of all lists and objects inside."""
    below: list[tuple[Any, Any]] = []
    if isinstance(found, dict):
        below = list(found.items())
    elif isinstance(found, list):
        below = list(enumerate(found[:40]))
    return [(*path, key) for key, value in below if isinstance(value, dict | list)] + [
        p for key, value in below for p in branches(value, (*path, key))
    ]


def at(found: Any, path: Path) -> Any:
    """What is at a path."""
    for key in path:
        found = found[key]
    return found


def leaf(rng: random.Random, found: dict[str, Any], everything: bool) -> Path:
    """A random leaf, weights and multipliers no likelier than all else together."""
    paths = leaves(found)
    short = [p for p in paths if not any(isinstance(key, int) and key > 2 for key in p)]
    return rng.choice(paths if everything and rng.random() < 0.4 else short)


def other_number(rng: random.Random, text: str) -> str:
    """A number near another, or far from it."""
    if not NUMBER.fullmatch(text):
        return rng.choice(["0", "1", "-1", "l2", "additive", ""])
    value = Fraction(text)
    far = [
        Fraction(0),
        Fraction(1),
        -value,
        value * 2,
        value / 2,
        value + 1,
        value - 1,
        Fraction(10) ** 50,
        Fraction(1, 10**50),
        Fraction(10) ** 389,
        Fraction(10**95),
        Fraction(1, 3),
        value * 1000,
    ]
    near = [value * (1 + s * Fraction(1, 10**k)) for k in (1, 2, 3, 6, 15) for s in (1, -1)]
    made = rng.choice(far if rng.random() < 0.4 else near)
    if made.denominator == 1:
        return str(made.numerator)
    return str(made) if len(str(made)) <= 400 else str(made.numerator // made.denominator)


def nudged(rng: random.Random, document: dict[str, Any]) -> dict[str, Any]:
    """One value is changed."""
    made = copy.deepcopy(document)
    path = leaf(rng, made, True)
    value, home = at(made, path), at(made, path[:-1])
    if isinstance(value, bool):
        home[path[-1]] = not value
    elif isinstance(value, int):
        home[path[-1]] = rng.choice(
            [value + 1, value - 1, 0, -value, 2 * value, 1, 60_000, 10**9, -1, value + 2]
        )
    elif isinstance(value, str):
        home[path[-1]] = other_number(rng, value)
    else:
        home[path[-1]] = rng.choice([None, "1", 1, [], {}])
    return made


def structure(rng: random.Random, document: dict[str, Any]) -> dict[str, Any]:
    """A list or object loses, doubles or swaps something."""
    made = copy.deepcopy(document)
    paths = branches(made)
    home = at(made, rng.choice(paths)) if rng.random() < 0.8 else made
    if isinstance(home, dict) and home:
        key = rng.choice(list(home))
        if rng.random() < 0.7:
            home.pop(key)
        else:
            home[rng.choice(["first", "tail", "atom", "edges", "extra", "points", "grid"])] = (
                copy.deepcopy(home[key])
            )
    elif isinstance(home, list) and home:
        j = rng.randrange(len(home))
        way = rng.random()
        if way < 0.3:
            home.pop(j)
        elif way < 0.5:
            home.insert(j, copy.deepcopy(home[j]))
        elif way < 0.8:
            k = rng.randrange(len(home))
            home[j], home[k] = home[k], home[j]
        else:
            home.reverse()
    return made


def moved_mass(rng: random.Random, document: dict[str, Any]) -> dict[str, Any]:
    """Probability is moved from one place to another; the sum stays."""
    made = copy.deepcopy(document)
    noise = made.get("noise") or made.get("additive", {}).get("noise")
    rows = [noise["weights"]] if noise else made["channel"]["rows"]
    if not rows or not rows[0]:
        return made
    row = rng.choice(rows)
    for _ in range(rng.choice([1, 1, 3])):
        j, k = rng.randrange(len(row)), rng.randrange(len(row))
        amount = int(row[j])
        amount = rng.choice([amount, amount // 2, 1, amount // 1000]) if amount else 0
        row[j] = str(int(row[j]) - amount)
        row[k] = str(int(row[k]) + amount)
    return made


def problem(
    rng: random.Random, document: dict[str, Any], others: list[dict[str, Any]]
) -> dict[str, Any]:
    """The proof of one question under another: loss, budget, constraints or bounds change."""
    made = copy.deepcopy(document)
    way = rng.choice(
        [
            "loss",
            "epsilon",
            "delta",
            "certificate",
            "scale",
            "constraint",
            "shift",
            "budget",
            "option",
            "bracket",
        ]
    )
    if way == "loss":
        made["loss"] = loss(rng)
    elif way == "epsilon":
        made["epsilon"] = rng.choice(["0", "0.1", "1", "3", "20", "100"])
    elif way == "delta":
        made["delta"] = rng.choice(["0", "0.01", "0.5", "0.999999", "1/3"])
    elif way == "certificate":
        same = [o for o in others if o["kind"] == made["kind"]]
        made["certificate"] = copy.deepcopy(rng.choice(same)["certificate"])
    elif way == "scale":
        _scale(made, Fraction(rng.choice(["2", "1/2", "3", "1/7"])), rng)
    elif way == "constraint" and made["kind"] != "dependent":
        _constrain(rng, made)
    elif way == "shift":
        noise = made.get("noise") or made["channel"]
        if "first" in noise:
            noise["first"] += rng.choice([1, -1, 2])
    elif way == "budget":
        made["profile"] = [[rng.choice(["0", "1", "2"]), rng.choice(["0.1", "0.5", "0.9"])]]
    elif way == "option" and made["kind"] == "dependent":
        _option(rng, made)
    else:
        made["lower"] = other_number(rng, made["lower"])
        made["upper"] = other_number(rng, made["upper"])
    return made


def _scale(made: dict[str, Any], factor: Fraction, rng: random.Random) -> None:
    """Some of the lengths of the file are scaled, some may be forgotten."""
    for path in [("sensitivity",), ("step",), ("certificate", "step")]:
        if rng.random() < 0.8:
            home = at(made, path[:-1])
            home[path[-1]] = str(Fraction(home[path[-1]]) * factor)


def _constrain(rng: random.Random, made: dict[str, Any]) -> None:
    """One more constraint, with multipliers that may be empty."""
    empty = {
        "loss-at-most": {"weight": "0.1"},
        "unbiased": {"slope": "0.1"},
        "unimodal": {"cells": [[2, "0.1"]]},
        "monotone": {"cells": [[1, "0.1"], [-1, "0.1"]]},
    }
    for found in constraints(rng, made["kind"] == "integer"):
        made.setdefault("constraints", []).append(found)
        certificate = made.get("certificate", {})
        certificate.setdefault("constraints", [])
        while len(certificate["constraints"]) < len(made["constraints"]) - 1:
            certificate["constraints"].append({})
        certificate["constraints"].append(copy.deepcopy(empty.get(found["name"], {})))


def _option(rng: random.Random, made: dict[str, Any]) -> None:
    """One more option of data dependent noise."""
    low, high = (Fraction(x) for x in made["bounds"])
    key = rng.choice(["instance_bound", "max_error", "monotone", "crossing", "beyond", "prior"])
    value: Any = {
        "instance_bound": rng.choice(["0.5", "1", "2"]),
        "monotone": True,
        "max_error": rng.choice(["0.5", "1", "2", "3"]),
        "crossing": {"at": str((low + high) / 2), "slope": "2"},
        "beyond": [str(low - 2), str(high + 2)],
        "prior": {"edges": [str(low), str((low + high) / 3), str(high)], "masses": ["0.9", "0.1"]},
    }[key]
    made[key] = value
    if key == "beyond" and made["channel"]["rows"]:
        made["channel"]["noise"] = {
            "first": rng.choice([0, -1]),
            "weights": [made["channel"]["denominator"]],
        }


def forged(
    rng: random.Random, document: dict[str, Any], others: list[dict[str, Any]]
) -> tuple[dict[str, Any], str]:
    """A forgery of the document, and the way it was made."""
    made, ways = document, []
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        way = rng.choice(["nudged", "nudged", "structure", "mass", "question", "question"])
        ways.append(way)
        try:
            if way == "nudged":
                made = nudged(rng, made)
            elif way == "structure":
                made = structure(rng, made)
            elif way == "mass":
                made = moved_mass(rng, made)
            else:
                made = problem(rng, made, others)
        except (KeyError, ValueError, IndexError, TypeError, AttributeError, ZeroDivisionError):
            break  # an earlier forgery took away what this one needs
    return made, "+".join(ways)
