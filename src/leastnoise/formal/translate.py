"""A mechanism file as a Coq term: what Coq proves is about this term.

Nothing is computed here. Numbers are copied, a decimal as the fraction it means; multipliers, which
no claim mentions, are written with one common denominator. Standard library only.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from ..errors import LeastnoiseError

_FILE = {"format", "kind", "epsilon", "delta", "profile", "sensitivity", "loss", "step", "grid"} | {
    "noise",
    "upper",
    "lower",
    "certificate",
    "about",
}
_NOISE = {"denominator", "first", "weights", "atom", "tail", "edges"}
_CERTIFICATE = {"step", "reach", "shifts"}
_KINDS = {"integer": "Integer", "additive": "Additive"}


class NotCovered(LeastnoiseError):
    """The file may be right, but it holds something that the theorem is not about."""


def translated(data: dict[str, Any]) -> str:
    """The Coq text that checks a file and states its claims; `NotCovered` if it cannot.

    `data` is the JSON of a file that the reader of `leastnoise.certify` accepts.
    """
    if data["kind"] not in _KINDS:
        raise NotCovered(f'files of kind "{data["kind"]}" are not covered')
    _only(data, _FILE, "the file")
    scale, shifts = _multipliers(data["certificate"])
    noise = data["noise"]
    _only(noise, _NOISE, "noise")
    fields = {
        "the_kind": _KINDS[data["kind"]],
        "epsilon": _pair(data["epsilon"]),
        "delta": _pair(data["delta"]),
        "profile": _list(f"({_pair(e)}, {_pair(d)})" for e, d in data.get("profile", [])),
        "sensitivity": _pair(data["sensitivity"]),
        "the_loss": _loss(data["loss"]),
        "step": _pair(data["step"]),
        "grid": _whole(data.get("grid", 1)),
        "denominator": _whole(noise["denominator"]),
        "atom": _whole(noise.get("atom", "0")),
        "noise": _cells(noise),
        "upper": _pair(data["upper"]),
        "lower": _pair(data["lower"]),
    }
    hints = f"{_pair(data['certificate']['step'])} {scale} {_whole(data['certificate']['reach'])}"
    return _TEXT.format(
        fields=";\n  ".join(f"{name} := {value}" for name, value in fields.items()),
        hints=hints,
        shifts=shifts,
    )


_TEXT = """Require Import ZArith List.
Require Import Formal.Statements Formal.Lower Formal.Check.
Import ListNotations.
Open Scope Z_scope.
Definition the_file : file := {{|
  {fields} |}}.
Definition hints : multipliers := Multipliers {hints}
  {shifts}.
Lemma accepted : check the_file hints = true.
Proof. vm_cast_no_check (eq_refl true). Qed.
Theorem proven : claims the_file.
Proof. exact (check_sound the_file hints accepted). Qed.
Print Assumptions proven.
"""


def _only(data: dict[str, Any], known: set[str], where: str) -> None:
    unknown = sorted(set(data) - known)
    if unknown:
        raise NotCovered(f'"{unknown[0]}" in {where} is not covered')


def _pair(text: str) -> str:
    number = Fraction(text)
    return f"({number.numerator}, {number.denominator})"


def _whole(value: str | int) -> str:
    return f"({int(value)})"


def _list(items: Any) -> str:
    return "[" + "; ".join(items) + "]"


def _loss(loss: dict[str, Any]) -> str:
    if loss["name"] == "pinball":
        tau = Fraction(loss["tau"])
        return f"Pinball {tau.numerator} {tau.denominator}"
    if loss["name"] not in {"l1", "l2"}:
        raise NotCovered(f'the loss "{loss["name"]}" is not covered')
    return str(loss["name"]).upper()


def _cells(noise: dict[str, Any]) -> str:
    weights = _list(_whole(w) for w in noise["weights"])
    if "edges" in noise:
        return f"Mesh {_list(_pair(edge) for edge in noise['edges'])} {weights}"
    first = _whole(noise["first"])
    if "tail" in noise:
        period, ratio = _whole(noise["tail"]["period"]), _pair(noise["tail"]["ratio"])
        return f"Tailed {first} {weights} {period} {ratio}"
    return f"Lattice {first} {weights}"


def _multipliers(certificate: dict[str, Any]) -> tuple[int, str]:
    """A common denominator of the multipliers, and their list in units of it."""
    _only(certificate, _CERTIFICATE, "certificate")
    entries = [
        (e["mirror"], e["shift"], Fraction(e["budget"]), [(i, Fraction(z)) for i, z in e["cells"]])
        for e in certificate["shifts"]
    ]
    scale = math.lcm(
        *(
            n.denominator
            for _, _, budget, cells in entries
            for n in (budget, *(z for _, z in cells))
        )
    )
    rows = [
        f"({'true' if mirror else 'false'}, Entry {_whole(shift)} {int(budget * scale)} "
        + _list(f"({int(i)}, {int(z * scale)})" for i, z in sorted(cells))
        + ")"
        for mirror, shift, budget, cells in entries
    ]
    return scale, "[" + ";\n   ".join(rows) + "]"
