"""What an answer rests on: its question and the files of its noise. All else follows from them.

How far a unit moves which numbers, in how many groups and steps, and what shape a draw has, is
computed from the question by the code that asks it; the files say what that costs. `check_batch`
computes it once more and compares with what was charged: `basis.proof.md`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any

from ...certify.kinds.additive import AdditiveFile, is_additive
from ...certify.kinds.dependent import is_dependent
from ...certify.kinds.joint import JointFile, is_joint
from ...certify.kinds.vector import is_vector
from ...certify.kinds.workload import is_workload
from ...certify.report import BY_THEOREM, PROVEN, REFUTED
from ...errors import ArgumentError, Described
from ...exact import nearest_float, text_of
from ...problem.checks import check_epsilon
from ...problem.privacy import Releases
from ...problem.shape import weighed
from ...work import add_up
from ..axes.place import Place
from ..planning.budget import QueryBudget
from ..planning.joint_draw import shape_of, shortly
from ..planning.keys_by_values import coarser, sharing_of
from ..planning.noise import growth_of_delta
from ..planning.private_keys import counts_by_key
from ..planning.release import Release
from ..queries.arguments import arguments_of, query_from, unit_from
from ..queries.base import PRIVATE, Query, Setting
from ..queries.groups import grouped_query, groups_moved
from ..queries.mean_vector import VECTOR
from ..queries.numbers import Part, ReleaseForm
from ..unit import check_neighbors

NOT_COVERED = "not covered"
#: So many things of a kind are told in words.
_LISTED = 4
#: The largest exponent in the delta of many steps.
_FURTHEST = 900
_FREE = QueryBudget(Fraction(0), Fraction(0))


@dataclass(frozen=True)
class QueryBasis:
    """A question as it was asked, and the noise of its numbers. All of it is public.

    files: the mechanism files, as they are written, one for each number of a group, or one for all.
    form: which of the question's forms was released; of values that tell their keys, in how many
        steps. keys: the file that found private keys, where that was done apart.
    private_keys: those that were found. epsilon: of an exponential mechanism, which has no file.
    """

    query: Query
    setting: Setting
    files: tuple[str, ...]
    form: int = 0
    keys: str | None = None
    private_keys: tuple[str, ...] | None = None
    epsilon: Fraction | None = None

    def __post_init__(self) -> None:
        private, setting = self.query.keys == PRIVATE, self.setting
        if (self.private_keys is not None) != private or (self.keys is not None and not private):
            raise ArgumentError("keys", Described("found privately"), "a query with private keys")
        chosen, must = self.epsilon is not None, self.query.mechanism == "choice"
        if (chosen != must and not self.query.may_choose) or (chosen and self.files):
            raise ArgumentError("epsilon", self.epsilon, "given for quantiles, which have no files")
        if self.epsilon == 0:
            raise ArgumentError(
                "epsilon", 0, "positive for a quantile: the exponential mechanism is pure DP"
            )
        fixed = self.query.fixed(setting.unit, setting.neighbors)
        if setting.size is not None and not (fixed and setting.size >= 1):
            raise ArgumentError("size", setting.size, "left out where rows are not public")
        if self.release_form is None and not self.counts_keys:
            raise ArgumentError("form", self.form, "one of the query's forms")
        _ = self.groups

    @classmethod
    def of(
        cls, query: Query, setting: Setting, release: Release, keys: Sequence[str]
    ) -> QueryBasis:
        """What the answers of these keys rest on."""
        return cls(
            query,
            setting,
            files=release.files,
            form=release.form_number(query, setting),
            keys=release.keys_file,
            private_keys=tuple(keys) if query.keys == PRIVATE else None,
            epsilon=release.epsilon,
        )

    @property
    def reveals_keys(self) -> bool:
        """Whether keys are private, and come with their values."""
        return self.query.keys == PRIVATE and self.keys is None

    @property
    def release_form(self) -> ReleaseForm | None:
        """The form of the numbers; None for keys with their counts, or if there is no such form."""
        if not self.reveals_keys:
            forms = self.query.complete_forms(self.setting)
            return forms[self.form] if 0 <= self.form < len(forms) else None
        sharing = sharing_of(self.query, self.setting)
        form = None if sharing is None or self.form < 1 else coarser(sharing.form, self.form)
        return form if form is not None and form.most == self.form else None

    @property
    def counts_keys(self) -> bool:
        """Whether keys and their counts come from one draw."""
        return self.reveals_keys and self.form == 0 and counts_by_key(self.query, self.setting)

    @property
    def groups(self) -> int:
        """How many groups one unit can move."""
        return groups_moved(self.query, self.setting)

    @property
    def keys_answered(self) -> Sequence[str]:
        """The keys of its groups: those that were found, or public ones; "" where there is one."""
        public = self.query.public_keys
        return (
            self.private_keys
            if self.private_keys is not None
            else ("",)
            if public is None
            else public
        )

    @property
    def names(self) -> Iterator[str]:
        """What its answers are called, one by one."""
        return self.query.answer_names(self.keys_answered)

    @property
    def places(self) -> Iterator[Place]:
        """Where they stand in tables for readers."""
        return self.query.places(self.keys_answered)

    def to_json(self) -> dict[str, Any]:
        """Texts and whole numbers; files by their hashes."""
        return {
            "question": arguments_of(self.query),
            "unit": arguments_of(self.setting.unit),
            "neighbors": self.setting.neighbors,
            "size": self.setting.size,
            "form": self.form,
            "files": [file_name(file) for file in self.files],
            "keys": None if self.keys is None else file_name(self.keys),
            "found": None if self.private_keys is None else list(self.private_keys),
            "epsilon": None if self.epsilon is None else text_of(self.epsilon),
        }

    @classmethod
    def from_json(cls, raw: Mapping[str, Any], files: Mapping[str, str]) -> QueryBasis:
        """What was written, with its files; an error of Python or of an argument if it is none."""
        size, form, keys, keys_found, epsilon = (
            raw[name] for name in ("size", "form", "keys", "found", "epsilon")
        )
        if type(form) is not int or type(size) not in (int, type(None)):
            raise ArgumentError(
                "form", Described(type(form).__name__), "an integer, as the size is"
            )
        if keys_found is not None and not all(isinstance(key, str) for key in keys_found):
            raise ArgumentError("found", Described(type(keys_found).__name__), "a list of keys")
        neighbors = check_neighbors(raw["neighbors"])
        return cls(
            query_from(raw["question"]),
            Setting(unit_from(raw["unit"]), neighbors, size),
            files=tuple(files[name] for name in raw["files"]),
            form=form,
            keys=None if keys is None else files[keys],
            private_keys=None if keys_found is None else tuple(keys_found),
            epsilon=None if epsilon is None else check_epsilon(epsilon),
        )


@lru_cache(maxsize=256)
def file_name(text: str) -> str:
    """The hash by which a mechanism file is named; many answers can name the same one."""
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True)
class Step:
    """One step from a published number to its proof.

    verdict: "proven" from files and arguments, "by theorem", "refuted" or "not covered".
    about: the queries, and the charge, that a step is about; "" of one about the whole report.
    """

    words: str
    verdict: str
    about: str = ""

    def __str__(self) -> str:
        return f"{self.about}: {self.words}" if self.about else self.words


#: What some numbers rest on, and what they cost if that is proven.
_CostedStep = tuple[Step, QueryBudget]


def check_batch(
    batch: Sequence[QueryBasis], documents: Mapping[str, Any], budget: QueryBudget
) -> list[Step]:
    """Whether answers cost what was charged for all of them; `documents` are private ones.

    Guarantee: if every step is "proven" or "by theorem", these answers are private with this
    budget, for numbers that are read as their questions say, and drawn as the theorem says.
    """
    costed, shared = list[_CostedStep](), dict[str, list[QueryBasis]]()
    for basis in batch:
        files = [documents.get(file_name(file)) for file in basis.files]
        if basis.keys is not None:
            costed.append(_of_keys(basis, "keys", documents.get(file_name(basis.keys))))
        if _is_shared(basis, files):
            shared.setdefault(file_name(basis.files[0]), []).append(basis)
        else:
            costed += _of_values(basis, files, budget.delta)
    for name, sharers in shared.items():
        drawn = is_joint(documents[name])
        costed += (_of_draw if drawn else _of_law)(sharers, documents[name])
    if not _is_one_question(batch):
        costed.append(_step(batch, "one query is about other units or rows than another", REFUTED))
    epsilon = add_up(cost.epsilon for _, cost in costed)
    delta = add_up(cost.delta for _, cost in costed)
    every = _query_texts(batch)
    steps = [
        step if step.about == every else Step(str(step), step.verdict, every) for step, _ in costed
    ]
    words = (
        f"all of it spends epsilon = {_short(epsilon)}, "
        f"delta = {_rough(delta)}; the charge is epsilon = {_short(budget.epsilon)}, "
        f"delta = {_short(budget.delta)} for one {batch[0].setting.protects}"
    )
    whole = weakest(steps)
    verdict = whole if epsilon == budget.epsilon and delta <= budget.delta else REFUTED
    if verdict == REFUTED and len(batch) > 1 and 0 < budget.delta >= delta and not shared:
        words += ", composed by privacy loss distributions, which this check does not follow"
        verdict = NOT_COVERED
    return [*steps, Step(words, verdict, every)]


def weakest(steps: Sequence[Step]) -> str:
    """What holds of all steps together, where none is refuted."""
    verdicts = {step.verdict for step in steps}
    if verdicts <= {PROVEN}:
        return PROVEN
    return BY_THEOREM if verdicts <= {PROVEN, BY_THEOREM} else NOT_COVERED


def _query_texts(batch: Sequence[QueryBasis]) -> str:
    return "; ".join(str(basis.query) for basis in batch)


def _step(
    batch: Sequence[QueryBasis], words: str, verdict: str, cost: QueryBudget = _FREE
) -> _CostedStep:
    return Step(words, verdict, _query_texts(batch)), cost


def _is_one_question(batch: Sequence[QueryBasis]) -> bool:
    """Whether they can be of one `ask_all`: about one unit, and one number of rows if public."""
    units = {(basis.setting.unit, basis.setting.neighbors) for basis in batch}
    sizes = {
        basis.setting.size
        for basis in batch
        if basis.query.fixed(basis.setting.unit, basis.setting.neighbors)
    }
    return len(units) == 1 and len(sizes) <= 1


def _is_shared(basis: QueryBasis, files: Sequence[Any]) -> bool:
    """Whether other questions of the batch may have numbers of one draw, or one distribution."""
    if basis.reveals_keys or basis.query.mechanism != "numbers" or not files:
        return False
    together = is_additive(files[0]) and files[0].releases is not None
    return together or is_joint(files[0])


def _of_keys(basis: QueryBasis, part: str, document: Any) -> _CostedStep:
    """Keys, or keys with their counts: of a file that is about as many as a unit can move."""
    if document is None or document.kind != "keyed":
        return _step([basis], f"{part}: no file of the report is about keys", REFUTED)
    total = document.releases or Releases(1, document.epsilon, document.delta)
    words = f"{part}: a unit can move {basis.groups}, and the file is about {total.count}"
    if basis.groups != total.count:
        return _step([basis], words, REFUTED)
    return _step([basis], words, PROVEN, QueryBudget(total.epsilon, total.delta))


def _of_values(basis: QueryBasis, files: Sequence[Any], delta: Fraction) -> Iterator[_CostedStep]:
    """What the numbers of a question rest on, where no other one shares it."""
    if basis.epsilon is not None:
        words = "chosen by an exponential mechanism of this epsilon: a theorem, without a file"
        yield _step([basis], words, BY_THEOREM, QueryBudget(basis.epsilon, Fraction(0)))
    elif basis.counts_keys:
        yield _of_keys(
            basis, "private keys and their counts", files[0] if len(files) == 1 else None
        )
    elif basis.query.mechanism == "sums":
        yield _of_sums(basis, files)
    else:
        if basis.reveals_keys:
            words = "the values decide which keys are released; no file is about that"
            yield _step([basis], words, NOT_COVERED if delta > 0 else REFUTED)
        assert basis.release_form is not None
        yield _of_form(basis, basis.release_form, files)


def _of_form(basis: QueryBasis, form: ReleaseForm, files: Sequence[Any]) -> _CostedStep:
    """Numbers with noise of their own, each from a file for one step of it."""
    suitable = len(files) == len(form.every) and all(map(_suits, files, form.every))
    if not suitable or any(file.releases is not None for file in files):
        words = "; ".join(map(_moves, form.every))
        return _step([basis], f"no file of the report is for this: {words}", REFUTED)
    vector = form.parts[0].name == VECTOR
    if vector and files[0].problem.dimension != len(basis.query.columns_answered):
        return _step([basis], "no file of the report is for this many columns", REFUTED)
    size = basis.setting.size
    words = "" if size is None else f"one of {size} rows is replaced; "
    words += "; ".join(map(_moves, form.every))
    return _in_steps(basis, words, files, basis.groups * form.steps, form.most)


def _moves(part: Part) -> str:
    """How far a unit moves a number, in the query's own units."""
    steps = "" if part.measure == part.sensitivity else f", in steps of {_size(part, part.measure)}"
    return f"{part.name}: a unit moves it by at most {_size(part, part.sensitivity)}{steps}"


def _size(part: Part, number: Fraction) -> str:
    return _short(number * part.unit)


def scales_of(bases: Iterable[QueryBasis], documents: Mapping[str, Any]) -> dict[str, str]:
    """What 1 is of mechanism files, by name, in the units of the queries; nothing where it is 1."""
    scales: dict[str, dict[str, None]] = {}
    for basis in bases:
        form, files = basis.release_form, basis.files
        if form is None or len(files) != len(form.every):
            continue
        for file, part in zip(files, form.every, strict=True):
            document = documents.get(file_name(file))
            if not is_additive(document) and not is_dependent(document):
                continue
            whole = document.releases is not None or is_dependent(document)
            one = (part.sensitivity if whole else part.measure) / document.sensitivity
            if one * part.unit != 1:
                what = f"{basis.query}{f' ({part.name})' if part in form.beside else ''}"
                words = f"{_size(part, one)} in {what}"
                scales.setdefault(file_name(file), {})[words] = None
    return {name: f"1 stands for {_listed(list(words))}." for name, words in scales.items()}


def _listed(words: Sequence[str], between: str = " and for ") -> str:
    more = len(words) - _LISTED
    others = f"{more} other{'s' * (more > 1)}"
    return between.join([*words[:_LISTED], *([others] if more > 0 else [])])


def _suits(document: Any, part: Part) -> bool:
    """Whether a file is for one step of such a number, as `noise.py` and `ranged.py` ask for it.

    Noise on the whole numbers is for whole ones alone: it would show the fraction of others.
    """
    if part.name == VECTOR:
        return is_vector(document) and document.sensitivity == 1
    if is_dependent(document) and part.range is not None:
        bounds, (low, high) = document.problem.range, part.range
        width = (high - low) / part.sensitivity
        ranged = bounds is not None and bounds.low == 0 and bounds.high == width
        whole = not document.integer or (part.whole and part.sensitivity == 1)
        return ranged and whole and document.sensitivity == 1
    if not is_additive(document):
        return False
    if document.integer:
        return part.whole and document.sensitivity == part.measure
    return document.sensitivity == 1


def _of_sums(basis: QueryBasis, files: Sequence[Any]) -> _CostedStep:
    """Sums of counts: one release, whatever groups and cells a unit moves."""
    workload, steps = basis.query.workload(), basis.query.moves(basis.setting)
    problem = files[0].problem if len(files) == 1 and is_workload(files[0]) else None
    if problem is None or problem.workload != workload or problem.replaced:
        return _step(
            [basis], f"no file of the report is for these {workload.queries} sums", REFUTED
        )
    words = f"{workload.queries} sums of counts, of which a unit moves at most {steps} by 1"
    return _in_steps(basis, words, files, steps, steps)


def _in_steps(
    basis: QueryBasis, words: str, files: Sequence[Any], number: int, most: int
) -> _CostedStep:
    """So many steps of a unit, at most `most` of one number, at the budgets of the files."""
    epsilon = number * max(file.epsilon for file in files)
    lossy = [file for file in files if file.delta > 0]
    words += f"; {number} steps" if number > 1 else "; one step"
    if most > 1 and any(most * file.epsilon > _FURTHEST for file in lossy):
        words += " are too many for this check"
        return _step([basis], words, NOT_COVERED, QueryBudget(epsilon, Fraction(0)))
    grown = (file.delta * growth_of_delta(file.epsilon, most) for file in lossy)
    delta = max(grown, default=Fraction(0)) * number / most
    words += (
        f" make{'s' if number == 1 else ''} epsilon = {_short(epsilon)}, delta = {_rough(delta)}"
    )
    return _step([basis], words, PROVEN, QueryBudget(epsilon, delta))


def _of_draw(batch: Sequence[QueryBasis], document: JointFile) -> Iterator[_CostedStep]:
    """Numbers of one draw: the file is for the very shape of all that a unit can move."""
    asked, problem = (
        [grouped_query(basis.query, basis.setting) for basis in batch],
        document.problem,
    )
    fits = problem.integer and all(query.tracks for query in asked)
    fits = fits and all(len(basis.files) == 1 and basis.form == 0 for basis in batch)
    if fits:
        try:
            fits = problem.shape == weighed(*shape_of(asked, problem.power))[0]
        except ArgumentError:
            fits = False  # more numbers than any draw has
    words = f"one draw of {problem.dimension} numbers"
    if not fits:
        yield _step(batch, f"{words}: the file is for another shape", REFUTED)
        return
    cost = QueryBudget(document.epsilon, document.noise.spent_delta(problem))
    moved = [
        f"{query.query}: {track.name} by at most {_short(track.width * track.unit)}"
        for query in asked
        for track in query.tracks
    ]
    words += (
        f"; a unit changes {_listed(moved, ', ')}; the file is of this shape, in steps: "
        f"{shortly(problem.shape)}"
    )
    yield _step(batch, words, PROVEN, cost)


def _of_law(batch: Sequence[QueryBasis], document: AdditiveFile) -> Iterator[_CostedStep]:
    """Numbers with noise of one distribution, proven for so many of them together.

    They are those of all questions, or of each by itself, which then cost the total each.
    """
    assert document.releases is not None
    total = document.releases
    moved = [basis.groups * basis.query.forms(basis.setting)[0].steps for basis in batch]
    apart = all(number == total.count for number in moved)
    for some in [[basis] for basis in batch] if apart else [batch]:
        number = total.count if apart else sum(moved)
        words = (
            f"a unit moves at most {number} numbers, with noise of one distribution for "
            f"{total.count}"
        )
        if number != total.count or not all(_has_law(basis, document) for basis in some):
            yield _step(some, words, REFUTED)
        else:
            yield _step(some, words, PROVEN, QueryBudget(total.epsilon, total.delta))


def _has_law(basis: QueryBasis, document: AdditiveFile) -> bool:
    """Whether the file is for every number of a question, each in one step."""
    form = basis.query.complete_forms(basis.setting)[0]
    parts = [replace(part, step=None) for part in form.every]
    single = form.most == 1 and basis.form == 0 and len(basis.files) == len(parts)
    return single and len({*basis.files}) == 1 and all(_suits(document, part) for part in parts)


def _short(value: Fraction) -> str:
    text = text_of(value)
    return text if len(text) < 16 else f"{nearest_float(value):.6g}"


def _rough(value: Fraction) -> str:
    return f"{nearest_float(value):.3g}"
