"""From a published number to the files that prove its noise: every step, and a check of it.

A statement says what one unit can change, how that became the units of the mechanism files, and
how their budgets add up to the one that is claimed. `check_statement` checks the arithmetic;
what it rests on besides, and why it is right: `statement.proof.md`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

from ..ask.privacy import Releases
from ..certify.joint_document import JointDocument
from ..errors import FormatError
from ..exact import exp_lower, exp_upper, nearest_float, rational, text_of
from ..kept import sha256_of
from ..work import bits, charge
from .keyed import KeyedNoise
from .keyed_values import KeyedValues
from .together import DrawnNoise

#: How budgets of files make that of an answer.
STEPS, TOGETHER, ONCE, ARGUED, DRAWN = WAYS = "steps", "together", "once", "argued", "drawn"
#: The part of an answer that is several numbers, with noise for their length.
VECTOR = "vector"
#: Microseconds of the delta of many steps.
_EXPONENTIALS = 1_000


@dataclass(frozen=True)
class Release:
    """One kind of number that is released for each group.

    moved: what one unit can change it by. scale: it is divided by this before the noise.
    text: the mechanism file, as it is written.
    """

    part: str
    moved: Fraction
    scale: Fraction
    sha256: str
    text: str


@dataclass(frozen=True)
class Statement:
    """What an answer rests on. All of it is public.

    groups: how many groups one unit can move. steps: in each, by so many steps at most, of which
    `most` are of one number.
    how: "steps" (so many steps, each at the budget of its file), "together" (files that are proven
    for so many releases), "once" (the file's budget is the whole), "drawn" (numbers of one draw,
    of which a unit moves so much in each of `blocks`), or "argued": there is no file for all of it,
    and the reason is a proof in prose.
    """

    question: str
    unit: str
    neighbours: str
    epsilon: Fraction
    delta: Fraction
    why: str
    how: str
    groups: int = 1
    steps: int = 1
    most: int = 1
    releases: tuple[Release, ...] = ()
    #: (first, numbers, most, width, one sign): so many numbers of the vector from `first` on, each
    #: of which a unit moves by at most `width`, all together by at most `most` times that.
    blocks: tuple[tuple[int, int, int, int, bool], ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Texts and whole numbers; exact numbers as fractions."""
        return {
            "question": self.question,
            "unit": self.unit,
            "neighbours": self.neighbours,
            "epsilon": text_of(self.epsilon),
            "delta": text_of(self.delta),
            "why": self.why,
            "how": self.how,
            "groups": self.groups,
            "steps": self.steps,
            "most": self.most,
            "releases": [
                {
                    "part": one.part,
                    "moved": text_of(one.moved),
                    "divided_by": text_of(one.scale),
                    "mechanism": one.sha256,
                }
                for one in self.releases
            ],
            **({"blocks": [list(one) for one in self.blocks]} if self.blocks else {}),
        }


def statements_of(
    question: str,
    setting: Any,
    why: str,
    groups: int,
    keys: tuple[Any, Fraction, Fraction] | None,
    values: tuple[Any, Fraction, Fraction],
) -> tuple[Statement, ...]:
    """The statements of an answer; their budgets add up to its own.

    keys: the design that finds private keys, where they are found apart, and its budget.
    values: the noise of the values and its budget. (Where the releases of several questions are
    proven together, the file says for which.)
    """
    head = {"unit": str(setting.unit), "neighbours": setting.neighbours, "groups": groups}
    found = []
    if keys is not None:
        design, epsilon, delta = keys
        one = _release("keys", Fraction(1), Fraction(1), design)
        found.append(
            Statement(f"keys of {question}", epsilon=epsilon, delta=delta, why=keys_why(groups),
                      how=ONCE, releases=(one,), **head)
        )  # fmt: skip
    if isinstance(values[0], KeyedValues):
        # Its delta is for other pairs of tables than that of the noise: they do not add up.
        none, told = Fraction(0), values[0].told
        found.append(
            Statement(f"keys of {question}", epsilon=none, delta=none, why=told, how=ARGUED, **head)
        )
    found.append(Statement(question, why=why, **head, **_of_values(*values)))
    return tuple(found)


def keys_why(groups: int) -> str:
    """Why the file of private keys is about so many of them."""
    return f"A unit has a part in at most {groups} keys."


def _of_values(noise: Any, epsilon: Fraction, delta: Fraction) -> dict[str, Any]:
    """How the budgets of the files of a noise make that of its values: fields of a statement."""
    parts = getattr(noise, "parts", ())
    if noise is None:
        return {"epsilon": epsilon, "delta": delta, "how": ARGUED}
    if isinstance(noise, DrawnNoise):
        design = noise.draw.design
        releases = [
            _release(part.name, part.sensitivity, step, design)
            for part, step in zip(parts, noise.part_steps, strict=True)
        ]
        kept = {"epsilon": design.document.epsilon, "delta": noise.draw.delta, "how": DRAWN}
        return {**kept, "blocks": noise.blocks, "releases": tuple(releases)}
    if isinstance(noise, KeyedNoise):
        one = _release("rows", Fraction(1), Fraction(1), noise.design)
        return {"epsilon": epsilon, "delta": delta, "how": ONCE, "releases": (one,)}
    laws = noise.laws
    total = laws[0].design.document.releases
    moved = [part.sensitivity for part in parts] or [
        law.scale * law.design.document.sensitivity for law in laws
    ]
    names = [part.name for part in parts] or [VECTOR, "rows"][: len(laws)]
    releases = [
        _release(name, far, law.scale, law.design)
        for name, far, law in zip(names, moved, laws, strict=True)
    ]
    return {
        "epsilon": epsilon if total is None else total.epsilon,
        "delta": delta if total is None else total.delta,
        "how": STEPS if total is None else TOGETHER,
        "steps": noise.form.steps,
        "most": noise.form.most,
        "releases": tuple(releases),
    }


def _release(part: str, moved: Fraction, scale: Fraction, design: Any) -> Release:
    return Release(part, moved, scale, sha256_of(design), design.document.dumps())


@dataclass(frozen=True)
class Step:
    """One step from a published number to its proof: "proven", "refuted" or "not covered"."""

    words: str
    verdict: str


def check_statement(raw: Mapping[str, Any], files: Mapping[str, Any]) -> list[Step]:
    """Walk from a statement to its mechanism files; `files` are documents that were proven private.

    Guarantee: if every step is "proven", the noise that the files describe is (epsilon, delta)-
    private for numbers that one unit moves as the statement says.
    """
    try:
        epsilon, delta = rational(raw["epsilon"], "epsilon"), rational(raw["delta"], "delta")
        groups, steps, most = (_count(raw[name]) for name in ("groups", "steps", "most"))
        releases = [
            (
                str(one["part"]),
                rational(one["moved"], "moved"),
                rational(one["divided_by"], "divided_by"),
                str(one["mechanism"]),
            )
            for one in raw["releases"]
        ]
        how = raw["how"]
        if min(epsilon, delta) < 0:
            raise ValueError
    except (KeyError, TypeError, ValueError, AttributeError):
        raise FormatError("a statement lacks a field, or has one of another kind") from None
    if how not in (STEPS, TOGETHER, ONCE, DRAWN) or not releases:
        return [Step("no mechanism file covers all of this answer: see its reason", "not covered")]
    if how == DRAWN:
        if steps > 1 or most > 1:
            return [Step("one draw is one step", "refuted")]
        return _drawn_steps(raw, releases, files, (epsilon, delta), groups)
    found, number = [], groups * steps
    if how != STEPS and len({name for *_, name in releases}) > 1:
        found.append(Step("one file is proven for all releases, and there are several", "refuted"))
    if how == ONCE and (len(releases) > 1 or steps > 1):
        found.append(Step("one release of each group, and there are several", "refuted"))
    if len({part for part, *_ in releases}) < len(releases):
        found.append(
            Step("a number of a group is released once, and one is named twice", "refuted")
        )
    for part, moved, scale, name in releases:
        document = files.get(name)
        alone = groups == 1 == len(releases) and steps <= most
        if document is None or not _suits(document, how, part, alone):
            found.append(Step(f"{part}: no file of the report is about such a number", "refuted"))
            continue
        reach = min(most, steps) if how == STEPS else 1
        fits = 0 <= moved <= reach * scale * document.sensitivity and scale > 0
        if document.integer or document.kind == "workload":  # about whole numbers, as they are
            fits = fits and scale == 1 == moved.denominator
        words = (
            f"{part}: a unit moves it by at most {_short(moved)}; divided by {_short(scale)} that "
            f"is at most {reach} times the file's sensitivity {_short(document.sensitivity)}"
        )
        found.append(Step(words, _verdict(fits)))
        if how == ONCE:
            total = document.releases or Releases(1, document.epsilon, document.delta)
            held = groups <= total.count and total.epsilon <= epsilon and total.delta <= delta
            words = f"{part}: the file keeps the whole budget for {groups} of them"
            found.append(Step(words, _verdict(held)))
            continue
        found.append(_budget(part, document, how, number, most, epsilon, delta))
    return found


def _suits(document: Any, how: str, part: str, alone: bool) -> bool:
    """Whether a file is of the kind that there is for such numbers.

    Keys and their counts are what "once" is for. A vector moves by a length, as one. Sums of a
    workload are one release: all that a unit moves is steps of it, in whatever groups and cells.
    """
    if document.kind == "workload" and not alone:
        return False
    keys, vector = document.kind == "keyed", document.kind == "vector"
    own = keys == (how == ONCE) and vector == (part == VECTOR)
    return own and not isinstance(document, JointDocument)


def _drawn_steps(
    raw: Mapping[str, Any],
    releases: list[tuple[str, Fraction, Fraction, str]],
    files: Mapping[str, Any],
    budget: tuple[Fraction, Fraction],
    touched: int,
) -> list[Step]:
    """Whether all that a unit can do to these numbers of a draw lies in the shape of its file."""
    document = files.get(releases[0][3])
    blocks = blocks_of(raw)
    one_file = {name for *_, name in releases} == {releases[0][3]}
    if not isinstance(document, JointDocument) or not one_file or not document.integer:
        return [Step("the numbers of one draw have one file of several numbers", "refuted")]
    if raw.get("neighbours") != "add-remove" and any(one_sided for *_, one_sided in blocks):
        return [Step("moves of one sign are of units that are added or removed", "refuted")]
    words = f"all that a unit moves lies within the shape of the file, {len(blocks)} blocks"
    if not within(document, blocks) or any(most < touched for _, _, most, *_ in blocks):
        return [Step(words, "refuted")]
    found = [Step(words, "proven")]
    groups = sum(numbers for _, numbers, *_ in blocks) // len(releases)
    own = [block for block in blocks for _ in range(block[1] // max(1, groups))]
    if len(own) != len(releases):
        return [Step("every number of a group is in a block", "refuted")]
    for (part, moved, scale, _), block in zip(releases, own, strict=True):
        words = f"{part}: a unit moves it by at most {_short(moved)}, or {block[3]} steps"
        fits = scale > 0 and 0 <= moved <= scale * block[3]
        found.append(Step(f"{words} of {_short(scale)}", _verdict(fits)))
    kept = document.epsilon <= budget[0] and document.spent_delta <= budget[1]
    return [*found, Step("the file keeps the budget for all of it", _verdict(kept))]


def blocks_of(raw: Mapping[str, Any]) -> list[tuple[int, int, int, int, bool]]:
    """The blocks of a statement; `FormatError` if they are none."""
    try:
        found = []
        for first, numbers, most, width, one_sided in raw["blocks"]:
            if isinstance(first, bool) or not isinstance(first, int) or first < 0:
                raise ValueError
            if not isinstance(one_sided, bool):
                raise TypeError
            found.append((first, _count(numbers), _count(most), _count(width), one_sided))
    except (KeyError, TypeError, ValueError):
        raise FormatError("a statement of one draw lacks its blocks") from None
    if not found:
        raise FormatError("a statement of one draw lacks its blocks")
    return found


def within(document: Any, blocks: Sequence[tuple[int, int, int, int, bool]]) -> bool:
    """Whether all moves of such blocks, at once, are moves of the document's shape.

    No number is in two blocks, and what they can move of one block of the shape adds up.
    """
    ends = sorted((first, first + numbers) for first, numbers, *_ in blocks)
    apart = all(one[1] <= two[0] for one, two in pairwise(ends))
    signs = not document.shape.one_sided or all(block[4] for block in blocks)
    if not apart or not signs or ends[-1][1] > document.dimension:
        return False
    place = 0
    charge(len(document.shape.blocks) * len(blocks))
    for own in document.shape.blocks:
        moved = 0
        for first, numbers, most, width, _ in blocks:
            shared = min(first + numbers, place + own.numbers) - max(first, place)
            if shared > 0 and width > own.width:
                return False
            moved += max(0, min(most, shared)) * width
        if moved > own.most * own.width:
            return False
        place += own.numbers
    return True


def _budget(
    part: str, document: Any, how: str, number: int, most: int, epsilon: Fraction, delta: Fraction
) -> Step:
    """Whether so many uses of one file's noise keep the whole budget."""
    if how == TOGETHER:
        total = document.releases
        held = total is not None and number <= total.count
        held = held and total.epsilon <= epsilon and total.delta <= delta
        return Step(f"{part}: the file is proven for {number} releases together", _verdict(held))
    each, slack = document.epsilon, document.delta
    spent = number * each
    # Group privacy: most steps of one number cost slack (e^(most e) - 1)/(e^e - 1).
    grown = Fraction(most)
    if most > 1 and each > 0:
        if most * each > 900:
            return Step(f"{part}: so many steps are not followed here", "not covered")
        charge(_EXPONENTIALS + bits(each))
        grown = most * exp_upper((most - 1) * each)
        if (least := exp_lower(each)) > 1:
            grown = min(grown, (exp_upper(most * each) - 1) / (least - 1))
    lost = slack * grown * number / most
    words = (
        f"{part}: {number} step{'' if number == 1 else 's'} at the file's epsilon={_short(each)}, "
        f"delta={nearest_float(slack):.3g} make epsilon={_short(spent)}, "
        f"delta={nearest_float(lost):.3g}"
    )
    return Step(words, _verdict(spent <= epsilon and lost <= delta))


def _count(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= 10**12:
        raise ValueError("count")
    return value


def _verdict(held: bool) -> str:
    return "proven" if held else "refuted"


def _short(value: Fraction) -> str:
    text = text_of(value)
    return text if len(text) < 16 else f"{nearest_float(value):.6g}"
