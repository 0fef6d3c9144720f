"""A mechanism file as a Coq term: what Coq proves is about this term.

Nothing is computed of what a claim mentions: numbers are copied, a decimal as the fraction that it
means. Multipliers, which no claim mentions, are written with one common denominator, and with their
mirror images where the question is its own.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from ..errors import LeastnoiseError
from ..exact import ratio_below
from ..losses.names import loss_from_spec

_FILE = {"format", "kind", "epsilon", "delta", "profile", "sensitivity", "loss", "step", "grid"} | {
    "noise",
    "upper",
    "lower",
    "certificate",
    "constraints",
    "about",
}
_NOISE = {"denominator", "first", "weights", "atom", "tail", "edges"}
_CERTIFICATE = {"step", "reach", "shifts", "points", "constraints"}
_KEYED = {"format", "kind", "epsilon", "delta", "sensitivity", "loss", "chain", "excess"} | {
    "upper",
    "lower",
    "about",
}
_JOINT = {"format", "kind", "epsilon", "delta", "sensitivity", "loss", "largest", "integer"} | {
    "grid",
    "noise",
    "upper",
    "lower",
    "certificate",
    "about",
}
#: Coq looks at every set of so many numbers.
MAX_FORMAL_NUMBERS = 12
MAX_FORMAL_STEPS = 10_000
_KINDS = {"integer": "Integer", "additive": "Additive"}


class NotCovered(LeastnoiseError):
    """The file may be right, but it holds something that the theorem is not about."""


def translated(data: dict[str, Any]) -> str:
    """The Coq text that checks a file and states its claims; `NotCovered` if it cannot.

    `data` is the JSON of a file that the reader of `leastnoise.certify` accepts.
    """
    if data["kind"] == "keyed":
        return _keyed(data)
    if data["kind"] == "joint":
        return _joint(data)
    if data["kind"] not in _KINDS:
        raise NotCovered(f'files of kind "{data["kind"]}" are not covered')
    _only(data, _FILE, "the file")
    loss = _sum(data["loss"])
    scale, points, shifts = _multipliers(data)
    noise = data["noise"]
    _only(noise, _NOISE, "noise")
    fields = {
        "the_kind": _KINDS[data["kind"]],
        "epsilon": _pair(data["epsilon"]),
        "delta": _pair(data["delta"]),
        "profile": _list(f"({_pair(e)}, {_pair(d)})" for e, d in data.get("profile", [])),
        "sensitivity": _pair(data["sensitivity"]),
        "the_loss": loss,
        "step": _pair(data["step"]),
        "grid": _whole(data.get("grid", 1)),
        "constraints": _list(_demand(one, noise) for one in data.get("constraints", [])),
        "denominator": _whole(noise["denominator"]),
        "atom": _whole(noise.get("atom", "0")),
        "noise": _cells(noise),
        "upper": _pair(data["upper"]),
        "lower": _pair(data["lower"]),
    }
    hints = f"{_pair(data['certificate']['step'])} {scale} {_whole(data['certificate']['reach'])}"
    text = _TEXT.format(fields=_record(fields), hints=hints, points=points, shifts=shifts)
    check, sound = "check the_file hints", "check_sound the_file hints"
    return PREAMBLE + text + _END.format(check=check, claims="claims", sound=sound)


#: How the text begins.
PREAMBLE = """Require Import ZArith List.
Require Import Formal.Statements Formal.Lower Formal.Check Formal.Keyed Formal.KeyedProof.
Require Import Formal.Joint Formal.JointNoise Formal.JointProof.
Import ListNotations.
Open Scope Z_scope.
"""

_TEXT = """Definition the_file : file := {{|
  {fields} |}}.
Definition hints : multipliers := Multipliers {hints}
  {points}
  {shifts}.
"""

_END = """Definition verdict := {check}.
Lemma accepted : {check} = true.
Proof. vm_cast_no_check (eq_refl true). Qed.
Theorem proven : {claims} the_file.
Proof. exact ({sound} accepted). Qed.
Print Assumptions proven.
"""


def _keyed(data: dict[str, Any]) -> str:
    """The same for unknown keys, which have no multipliers."""
    _only(data, _KEYED, "the file")
    chain = data["chain"]
    _only(chain, {"denominator", "shown", "beyond"}, "chain")
    fields = {
        "k_epsilon": _pair(data["epsilon"]),
        "k_delta": _pair(data["delta"]),
        "k_loss": _sum(data["loss"]),
        "k_denominator": _whole(chain["denominator"]),
        "shown": _list(_whole(one) for one in chain["shown"]),
        "tails": _list(_whole(one) for one in chain["beyond"]),
        "excess": _pair(data["excess"]),
        "k_upper": _pair(data["upper"]),
        "k_lower": _pair(data["lower"]),
    }
    text = f"Definition the_file : keyed := {{|\n  {_record(fields)} |}}.\n"
    check, sound = "keyed_check the_file", "keyed_sound the_file"
    return PREAMBLE + text + _END.format(check=check, claims="keyed_claims", sound=sound)


def _joint(data: dict[str, Any]) -> str:
    """The same for a cube of whole numbers. Where `lower` is left out, no claim mentions it."""
    _only(data, _JOINT, "the file")
    _only(data["noise"], {"ratio", "offsets"}, "noise")
    block, *others = data["sensitivity"]["blocks"]
    for good, words in (
        (data["integer"], "noise for several real numbers"),
        (Fraction(data["delta"]) == 0, "noise for several numbers with a delta above 0"),
        (not data["sensitivity"]["one_sided"], '"one_sided"'),
        (not others and block["most"] == block["numbers"], "a shape that is not a cube"),
        (_steps(data, block) <= MAX_FORMAL_STEPS, "the largest error of cubes that are so wide"),
    ):
        if not good:
            raise NotCovered(f"{words} is not covered")
    means = {"l1": "MeanAbsolute", "l2": "MeanSquare"}
    fields = {
        "j_epsilon": _pair(data["epsilon"]),
        "numbers": f"{int(block['numbers'])}%nat",
        "width": _whole(block["width"]),
        "j_error": "Largest" if data["largest"] else means[data["loss"]["name"]],
        "j_ratio": _pair(data["noise"]["ratio"]),
        "offset": _whole(data["noise"]["offsets"][0]),
        "j_upper": _pair(data["upper"]),
        "j_lower": _pair(data["lower"]),
    }
    text = f"Definition the_file : joint := {{|\n  {_record(fields)} |}}.\n"
    if left_out(data):
        check, sound = "joint_noise_check the_file", "joint_noise_sound the_file"
        return PREAMBLE + text + _END.format(check=check, claims="joint_noise_claims", sound=sound)
    text += f"Definition hints : flow := {{|\n  {_record(_flow(data, block['numbers']))} |}}.\n"
    check, sound = "joint_check the_file hints", "joint_sound the_file hints"
    return PREAMBLE + text + _END.format(check=check, claims="joint_claims", sound=sound)


def _steps(data: dict[str, Any], block: dict[str, Any]) -> int:
    """How many cubes Coq counts one by one."""
    return int(data["noise"]["offsets"][0]) + int(block["width"]) if data["largest"] else 0


def left_out(data: dict[str, Any]) -> str:
    """Why Coq proves all claims of a covered file but `lower`; empty where it proves that, too."""
    if data["kind"] != "joint" or Fraction(data["lower"]) == 0:
        return ""
    block, certificate = data["sensitivity"]["blocks"][0], data["certificate"]
    if Fraction(block["width"]) != 1:
        return "numbers move by more than 1"
    if data["largest"]:
        return ""
    if certificate.get("numbers", block["numbers"]) != block["numbers"]:
        return "its certificate is for fewer numbers"
    if block["numbers"] > MAX_FORMAL_NUMBERS:
        return f"it is about the mean of more than {MAX_FORMAL_NUMBERS} numbers"
    return ""


def _flow(data: dict[str, Any], numbers: int) -> dict[str, str]:
    """The rates of the certificate, and a ratio below e^-epsilon; none where it proves nothing."""
    certificate = data["certificate"] if Fraction(data["lower"]) else {}
    rates = _list(
        f"({', '.join(str(int(part)) for part in rate)})" for rate in certificate.get("rates", [])
    )
    ranked = "true" if certificate.get("ranked") else "false"
    used = certificate.get("cells") == 1 if data["largest"] else bool(certificate)
    return {
        "f_ratio": _pair(str(ratio_below(Fraction(data["epsilon"])))) if used else "(0, 1)",
        "f_unit": _pair(certificate.get("unit", "1")),
        "f_rate": f"rates_of {int(numbers)} {ranked} {rates}",
    }


def _record(fields: dict[str, str]) -> str:
    return ";\n  ".join(f"{name} := {value}" for name, value in fields.items())


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


def _sum(loss: dict[str, Any]) -> str:
    """The losses that a loss is the sum of, with their weights."""
    terms = loss["terms"] if loss["name"] == "sum" else [("1", loss)]
    return _list(f"({_pair(weight)}, {_loss(one)})" for weight, one in terms)


def _loss(loss: dict[str, Any]) -> str:
    name = loss["name"]
    if name in {"l1", "l2"}:
        return str(name).upper()
    if name == "pinball":
        return f"Pinball {_pair(loss['tau'])}"
    if name == "huber":
        return f"Huber {_pair(loss['width'])}"
    if name == "piecewise":
        points = _list(f"({_pair(x)}, {_pair(value)})" for x, value in loss["points"])
        return f"Piecewise {points} {_pair(loss['slopes'][0])} {_pair(loss['slopes'][1])}"
    raise NotCovered(f'the loss "{name}" is not covered')


def _demand(one: dict[str, Any], noise: dict[str, Any]) -> str:
    name = one["name"]
    if name == "symmetric":
        return "Symmetric"
    if name not in {"support", "max-error"}:
        raise NotCovered(f'the constraint "{name}" is not covered')
    if "tail" in noise:
        raise NotCovered(f'the constraint "{name}" of noise with a tail is not covered')
    if name == "max-error":
        return f"MaxError {_pair(one['t'])}"
    ends = (f"(Some {_pair(one[end])})" if end in one else "None" for end in ("low", "high"))
    return f"Support {' '.join(ends)}"


def _even(data: dict[str, Any]) -> bool:
    """Whether neither the loss nor the ends of a support tell noise from its mirror image."""
    ends = [one for one in data.get("constraints", []) if one["name"] == "support"]
    balanced = all(
        "low" in e and "high" in e and Fraction(e["low"]) == -Fraction(e["high"]) for e in ends
    )
    return balanced and loss_from_spec(data["loss"]).symmetric


def _cells(noise: dict[str, Any]) -> str:
    weights = _list(_whole(w) for w in noise["weights"])
    if "edges" in noise:
        return f"Mesh {_list(_pair(edge) for edge in noise['edges'])} {weights}"
    first = _whole(noise["first"])
    if "tail" in noise:
        period, ratio = _whole(noise["tail"]["period"]), _pair(noise["tail"]["ratio"])
        return f"Tailed {first} {weights} {period} {ratio}"
    return f"Lattice {first} {weights}"


def _multipliers(data: dict[str, Any]) -> tuple[int, str, str]:
    """A common denominator of the multipliers, their budgets, and their list in units of it."""
    certificate = data["certificate"]
    _only(certificate, _CERTIFICATE, "certificate")
    points = certificate.get("points") or [[data["epsilon"], data["delta"]]]
    entries = certificate["shifts"]
    used = sorted({e.get("point", 0) for e in entries})
    # Where noise may be mirrored, half of a multiplier may stand on the other side.
    even = not all(e["mirror"] for e in entries) and _even(data)
    rows = []
    for e in entries:
        share = 2 if even and not e["mirror"] else 1
        most, cells = Fraction(e["budget"]) / share, sorted(e["cells"])
        values = [Fraction(z) / share for _, z in cells]
        places = [int(i) for i, _ in cells]
        rows.append((e, share == 2 or e["mirror"], most, list(zip(places, values, strict=True))))
    scale = math.lcm(*(n.denominator for *_, m, cells in rows for n in (m, *(z for _, z in cells))))
    shifts = (
        f"({used.index(e.get('point', 0))}, {'true' if mirror else 'false'}, "
        f"Entry {_whole(e['shift'])} {int(most * scale)} "
        + _list(f"({i}, {int(z * scale)})" for i, z in cells)
        + ")"
        for e, mirror, most, cells in rows
    )
    named = _list(f"({_pair(points[j][0])}, {_pair(points[j][1])})" for j in used)
    return scale, named, "[" + ";\n   ".join(shifts) + "]"
