"""A mechanism file as a Coq term: what Coq proves is about this term.

Nothing is computed of what a claim mentions: numbers are copied, a decimal as the fraction that it
means. Multipliers, which no claim mentions, are written with one common denominator, and with their
mirror images where the question is its own.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
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
#: What each loss and each constraint has beside its name.
_LOSSES: dict[str, set[str]] = {
    "l1": set(),
    "l2": set(),
    "pinball": {"tau"},
    "huber": {"width"},
    "piecewise": {"points", "slopes"},
    "sum": {"terms"},
}
_DEMANDS: dict[str, set[str]] = {
    "support": {"low", "high"},
    "max-error": {"t"},
    "symmetric": set(),
    "unimodal": {"at"},
    "monotone": set(),
    "unbiased": set(),
    "loss-at-most": {"loss", "bound"},
}


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
    noise = data["noise"]
    _only(noise, _NOISE, "noise")
    demands = _list(_demand(constraint, noise) for constraint in data.get("constraints", []))
    scale, points, shifts, duals = _multipliers(data)
    fields = {
        "the_kind": _KINDS[data["kind"]],
        "epsilon": _pair(data["epsilon"]),
        "delta": _pair(data["delta"]),
        "profile": _list(f"({_pair(e)}, {_pair(d)})" for e, d in data.get("profile", [])),
        "sensitivity": _pair(data["sensitivity"]),
        "the_loss": loss,
        "step": _pair(data["step"]),
        "grid": _whole(data.get("grid", 1)),
        "constraints": demands,
        "denominator": _whole(noise["denominator"]),
        "atom": _whole(noise.get("atom", "0")),
        "noise": _cells(noise),
        "upper": _pair(data["upper"]),
        "lower": _pair(data["lower"]),
    }
    hints = f"{_pair(data['certificate']['step'])} {scale} {_whole(data['certificate']['reach'])}"
    hints = "\n  ".join((hints, points, shifts, duals))
    text = _TEXT.format(fields=_record(fields), hints=hints)
    check, sound = "check the_file hints", "check_sound the_file hints"
    return PREAMBLE + text + _END.format(check=check, claims="claims", sound=sound)


#: How the text begins.
PREAMBLE = """Require Import ZArith List.
Require Import Formal.Theory.
Import Statements Lower Demands Check Keyed KeyedProof Joint JointNoise JointProof.
Import ListNotations.
Open Scope Z_scope.
"""

_TEXT = """Definition the_file : file := {{|
  {fields} |}}.
Definition hints : multipliers := Multipliers {hints}.
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
    if Fraction(data["sensitivity"]) != 1:
        raise NotCovered("a sensitivity other than 1 of keys is not covered")
    chain = data["chain"]
    _only(chain, {"denominator", "shown", "beyond"}, "chain")
    fields = {
        "k_epsilon": _pair(data["epsilon"]),
        "k_delta": _pair(data["delta"]),
        "k_loss": _sum(data["loss"]),
        "k_denominator": _whole(chain["denominator"]),
        "shown": _list(_whole(number) for number in chain["shown"]),
        "tails": _list(_whole(number) for number in chain["beyond"]),
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
    _only(data["sensitivity"], {"blocks", "one_sided"}, "sensitivity")
    block, *others = data["sensitivity"]["blocks"]
    _only(block, {"numbers", "most", "width"}, "blocks")
    for good, words in (
        (data["integer"] and Fraction(data["grid"]) == 1, "noise for several real numbers"),
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
    if "shifts" in certificate:
        return "its certificate is about sums of the numbers"
    if "curves" in certificate:
        return "its certificate is about projections of the numbers"
    keys = {"cells"} if data["largest"] else {"numbers", "ranked", "unit", "rates"}
    if certificate and set(certificate) != keys:
        return "its certificate is of another kind"
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
    if loss["name"] != "sum":
        return _list([f"({_pair('1')}, {_loss(loss)})"])
    _only(loss, {"name", *_LOSSES["sum"]}, "loss")
    terms = loss["terms"]
    return _list(f"({_pair(weight)}, {_loss(loss)})" for weight, loss in terms)


def _loss(loss: dict[str, Any]) -> str:
    name = loss["name"]
    _only(loss, {"name", *_LOSSES.get(name, loss)}, "loss")
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


def _demand(constraint: dict[str, Any], noise: dict[str, Any]) -> str:
    name = constraint["name"]
    _only(constraint, {"name", *_DEMANDS.get(name, constraint)}, "constraints")
    if name == "support":
        ends = (
            f"(Some {_pair(constraint[end])})" if end in constraint else "None"
            for end in ("low", "high")
        )
        return f"Support {' '.join(ends)}"
    if name == "unbiased" and "tail" in noise and _leans(noise):
        raise NotCovered(f'the constraint "{name}" of noise with such a tail is not covered')
    if name == "loss-at-most":
        return f"LossAtMost {_sum(constraint['loss'])} {_pair(constraint['bound'])}"
    plain = {"symmetric": "Symmetric", "unbiased": "Unbiased", "monotone": "Unimodal (0, 1)"}
    keyed = {"max-error": ("MaxError", "t"), "unimodal": ("Unimodal", "at")}
    if name in keyed:
        word, key = keyed[name]
        return f"{word} {_pair(constraint[key])}"
    if name not in plain:
        raise NotCovered(f'the constraint "{name}" is not covered')
    return plain[name]


def _leans(noise: dict[str, Any]) -> bool:
    """Whether a lattice is not its own mirror image."""
    weights = [int(w) for w in noise["weights"]]
    return weights != weights[::-1] or 2 * int(noise["first"]) + len(weights) != 1


def _even(data: dict[str, Any]) -> bool:
    """Whether neither the loss nor a constraint tells noise from its mirror image."""
    for constraint in data.get("constraints", []):
        if constraint["name"] == "support" and (
            not {"low", "high"} <= set(constraint)
            or Fraction(constraint["low"]) != -Fraction(constraint["high"])
        ):
            return False
        if constraint["name"] == "unimodal" and Fraction(constraint["at"]) != 0:
            return False
        if (
            constraint["name"] == "loss-at-most"
            and not loss_from_spec(constraint["loss"]).symmetric
        ):
            return False
    return loss_from_spec(data["loss"]).symmetric


def _cells(noise: dict[str, Any]) -> str:
    weights = _list(_whole(w) for w in noise["weights"])
    if "edges" in noise:
        _only(noise, _NOISE - {"first", "tail"}, "noise with edges")
        return f"Mesh {_list(_pair(edge) for edge in noise['edges'])} {weights}"
    first = _whole(noise["first"])
    if "tail" in noise:
        _only(noise["tail"], {"period", "ratio"}, "tail")
        period, ratio = _whole(noise["tail"]["period"]), _pair(noise["tail"]["ratio"])
        return f"Tailed {first} {weights} {period} {ratio}"
    return f"Lattice {first} {weights}"


def _multipliers(data: dict[str, Any]) -> tuple[int, str, str, str]:
    """A common denominator, the budgets, and the multipliers of shifts and of constraints."""
    certificate = data["certificate"]
    _only(certificate, _CERTIFICATE, "certificate")
    points = certificate.get("points") or [[data["epsilon"], data["delta"]]]
    if data["kind"] == "integer" and Fraction(certificate["step"]).denominator != 1:
        raise NotCovered("steps of a certificate between integers are not covered")
    entries = certificate["shifts"]
    used = sorted({e.get("point", 0) for e in entries})
    # Where noise may be mirrored, half of a multiplier may stand on the other side.
    prices = certificate.get("constraints", [])
    even = bool(prices or not all(e["mirror"] for e in entries)) and _even(data)
    rows = []
    for e in entries:
        share = 2 if even and not e["mirror"] else 1
        most, cells = Fraction(e["budget"]) / share, sorted(e["cells"])
        values = [Fraction(z) / share for _, z in cells]
        places = [int(i) for i, _ in cells]
        rows.append((e, share == 2 or e["mirror"], most, list(zip(places, values, strict=True))))
    duals = [
        _Dual.read(constraint, dual, even and data["kind"] == "additive", even)
        for constraint, dual in zip(data.get("constraints", []), prices, strict=True)
    ]
    numbers = [n for *_, m, cells in rows for n in (m, *(z for _, z in cells))]
    numbers += [n for dual in duals for n in dual.numbers()]
    scale = math.lcm(*(n.denominator for n in numbers))
    shifts = (
        f"({used.index(e.get('point', 0))}, {'true' if mirror else 'false'}, "
        f"Entry {_whole(e['shift'])} {int(most * scale)} "
        + _list(f"({i}, {int(z * scale)})" for i, z in cells)
        + ")"
        for e, mirror, most, cells in rows
    )
    named = _list(f"({_pair(points[j][0])}, {_pair(points[j][1])})" for j in used)
    return (
        scale,
        named,
        "[" + ";\n   ".join(shifts) + "]",
        _list(dual.text(scale) for dual in duals),
    )


@dataclass(frozen=True)
class _Dual:
    """The multipliers of one constraint: values, and cells [(cell, multiplier)]."""

    name: str
    values: tuple[Fraction, ...] = ()
    cells: tuple[tuple[int, Fraction], ...] = ()
    #: of cells 1 and -1 with 0 between them, next to a mode at 0
    centre: Fraction = Fraction(0)

    @classmethod
    def read(
        cls, constraint: dict[str, Any], dual: dict[str, Any], beside: bool, even: bool
    ) -> _Dual:
        """With `even`, half of everything on each side; `beside`: a mode at 0 has a centre."""
        name = constraint["name"]
        if name in {"unimodal", "monotone"}:
            cells = [(int(j), Fraction(u)) for j, u in dual["cells"]]
            if not even:
                return cls("Compared", cells=tuple(cells))
            near = sum((u for j, u in cells if beside and abs(j) == 1), Fraction(0))
            far = [(j, u / 2) for j, u in cells if not (beside and abs(j) == 1)]
            return cls("Compared", (), (*far, *((-j, u) for j, u in far)), near / 2)
        if name == "unbiased":
            return cls("Slope", (Fraction(0) if even else Fraction(dual["slope"]),))
        if name == "loss-at-most":
            return cls("Weight", (Fraction(dual["weight"]),))
        return cls("NoDual")

    def numbers(self) -> tuple[Fraction, ...]:
        """Those that must be whole in units of 1 / scale."""
        return (self.centre, *(u for _, u in self.cells))

    def text(self, scale: int) -> str:
        """In Coq."""
        if self.name == "Compared":
            cells = _list(f"({j}, {int(u * scale)})" for j, u in self.cells)
            return f"Compared {cells} {int(self.centre * scale)}"
        return " ".join([self.name, *(f"({v.numerator}, {v.denominator})" for v in self.values)])
