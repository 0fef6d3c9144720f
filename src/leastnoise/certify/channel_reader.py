"""Reading a file of kind "dependent": strictly, and nothing that would take long to check.

Unknown, missing or repeated keys, wrong types and numbers out of range are refused with a
`FormatError`. Standard library only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from math import floor
from typing import Any

from ..ask.privacy import check_points
from ..ask.question import Crossing, Prior, Question, Range
from ..errors import FormatError
from ..work import add_up, charge
from .about import about_text
from .base import BUDGETS, check_file_keys, head_of, reading
from .channel_document import (
    ChannelCertificate,
    ChannelDocument,
    Copies,
    LatticeNoise,
    Moved,
    PairMultipliers,
    Prices,
)
from .channel_groups import MAX_GROUP, grouped
from .channel_intervals import Intervals
from .curve import CURVE, POINTS, PROFILE, RELEASES
from .document import Document, document_of
from .fields import (
    check_keys,
    demand,
    read_cells,
    read_count,
    read_delta,
    read_each,
    read_epsilon,
    read_exactly,
    read_flag,
    read_integer,
    read_list,
    read_loss,
    read_not_negative,
    read_number,
    read_object,
    read_positive,
    read_short_number,
    read_whole,
)
from .limits import MAX_CELLS
from .shifts import shifts_from_json

#: Limits of the checker: nodes with a row, weights in rows, nodes in all, nodes and multipliers
#: of a certificate, pieces of a prior.
MAX_ROWS = 2_001
MAX_ROW_WEIGHTS = 2_000_000
MAX_NODES = 10_000_000
MAX_CERTIFICATE_NODES = 1_100
MAX_PAIR_MULTIPLIERS = 300_000
MAX_PRIOR_PIECES = 10_000
MAX_STAIRS_OF_RANGE = 1_000
MAX_INTERVALS = 10_000

_DEMANDS = {"instance_bound", "crossing", "max_error", "monotone"}
_OPTIONAL = {"integer", "beyond", "additive", *_DEMANDS, *BUDGETS}
_NOT_WITH_RULES = {"beyond", "gdp", *_DEMANDS}  # what no answers by intervals, or revealed, go with


def parse_channel(data: object) -> ChannelDocument:
    """The document in a JSON object of kind "dependent"; `FormatError` if it is not one."""
    with reading():
        return _channel(head_of(data, ChannelDocument.KINDS))


def _channel(data: dict[str, Any]) -> ChannelDocument:
    check_file_keys(data, {"bounds", "prior", "step", "channel"}, _OPTIONAL)
    question = _question(data)
    step = read_positive(data["step"], "step")
    last = read_whole(question.width / step, "range/step", 1, MAX_NODES)
    if step > question.sensitivity:
        _long_step(step, data, question)
    else:
        demand(not question.integer or step == 1, '"step" must be "1" for whole numbers')
        read_whole(question.sensitivity / step, "sensitivity/step", 1, MAX_NODES)
    channel = read_object(data["channel"], "channel")
    mesh = "outputs" in channel
    check_keys(
        channel,
        "channel",
        {"denominator", "rows", "outputs" if mesh else "first"},
        {"noise", "moved", "revealed", "intervals"},
    )
    denominator = read_count(channel["denominator"], "denominator")
    demand(denominator > 0, '"denominator" must be positive')
    rows = _rows(channel["rows"], last)
    noise = _noise(channel["noise"]) if "noise" in channel else None
    ways = (bool(rows), "additive" in data, "moved" in channel, "intervals" in channel)
    demand(sum(ways) == 1, 'there must be either "rows" or "additive" or "moved" or "intervals"')
    if rows:
        demand((noise is None) == ("beyond" not in data), '"noise" and "beyond" go together')
    upper = read_not_negative(data["upper"], "upper")
    document = ChannelDocument(
        question=question,
        step=step,
        denominator=denominator,
        first=0 if mesh else read_integer(channel["first"], "first", -MAX_CELLS, MAX_CELLS),
        rows=rows,
        upper=upper,
        lower=read_number(data["lower"], "lower", lambda v: v <= upper, "at most upper"),
        certificate=_certificate(data["certificate"], question),
        noise=noise,
        about=about_text(data.get("about", {})),
    )
    if mesh:
        document = replace(document, outputs=_outputs(channel["outputs"], document))
    if "intervals" in channel:
        document = replace(document, intervals=_intervals(channel["intervals"], data, document))
    if "revealed" in channel:
        document = replace(document, revealed=_revealed(channel["revealed"], data, document))
    if "moved" in channel:
        document = replace(document, moved=_moved(channel["moved"], data, document))
    if "beyond" in data:
        low, high = _pair(data["beyond"], "beyond")
        demand(low <= question.low and question.high <= high, '"beyond" must hold the bounds')
        whole = not question.integer or low.denominator == high.denominator == 1
        demand(whole, '"beyond" must be whole for whole numbers')
        document = replace(document, beyond=(low, high))
    if "additive" in data:
        demand(question.crossing is None, '"additive" does not go with "crossing"')
        demand(noise is None, '"additive" does not go with "noise"')
        demand(question.max_error is None, '"additive" does not go with "max_error"')
        document = replace(document, additive=_additive(data, question.integer))
    return document


def _long_step(step: Fraction, data: Mapping[str, Any], question: Question) -> None:
    """Steps longer than a sensitivity."""
    whole = not question.integer or step.denominator == 1
    demand(whole, '"step" must be whole for whole numbers')
    channel = read_object(data["channel"], "channel")
    others = {"noise", "moved", "revealed", "intervals"} & set(channel)
    others |= {"additive", "beyond", "gdp"} & set(data)
    demand(not others, 'a "step" longer than the sensitivity goes with "rows" alone')


def _additive(data: Mapping[str, Any], integer: bool) -> Document:
    """The noise in the words of a file of its own, without a lower bound."""
    inner = read_object(data["additive"], "additive")
    grid = {"grid"}  # of whole numbers: where noise is on runs of them
    required, optional = ({"step", "noise"}, grid) if integer else ({"step", "noise"} | grid, set())
    check_keys(inner, "additive", required, optional)
    same = ("format", "epsilon", "delta", "sensitivity", "loss", "upper", "profile", "gdp")
    nothing = {"step": data["sensitivity"], "reach": 0, "shifts": []}
    return document_of(
        {
            **{key: data[key] for key in same if key in data},
            **inner,
            "lower": "0",
            "kind": "integer" if integer else "additive",
            "certificate": {**nothing, "step": "1"} if integer else nothing,
        }
    )


def _rows(raw: object, last: int) -> tuple[tuple[int, ...], ...]:
    found = read_list(raw, "rows", MAX_ROWS)
    if not found:
        return ()
    demand(len(found) == last + 1, f'"rows" must have {last + 1} entries, one for each node')
    longest = MAX_ROW_WEIGHTS // len(found)
    rows = tuple(read_each(row, "rows", longest, read_count) for row in found)
    demand(len(rows[0]) > 0, "a row is empty")
    demand(len({len(row) for row in rows}) == 1, "all rows must have the same length")
    return rows


def _revealed(raw: object, file: Mapping[str, Any], document: ChannelDocument) -> int:
    """How many parts of the denominator are the value itself."""
    question = document.question
    revealed = read_count(raw, "revealed")
    demand(0 < revealed <= document.denominator, '"revealed" must be from 1 to the denominator')
    own = bool(document.rows) or document.intervals is not None
    plain = own and not question.integer and not _NOT_WITH_RULES & set(file)
    demand(
        plain and question.loss.falls_nowhere,
        '"revealed" goes with rows, a loss that never falls away from 0, and no further demands',
    )
    return revealed


def _intervals(raw: object, file: Mapping[str, Any], document: ChannelDocument) -> Intervals:
    """Intervals of nodes, their answers and weights, and stairs that never rise."""
    data, question = read_object(raw, "intervals"), document.question
    check_keys(data, "intervals", {"sizes", "answers", "weights", "stairs"}, set())
    last = document.last
    sizes = _integers(data["sizes"], "sizes", MAX_INTERVALS, 1, last + 1)
    demand(sum(sizes) == last + 1, f'"sizes" must add up to {last + 1} nodes')
    answers = _integers(data["answers"], "answers", MAX_INTERVALS, 0, last)
    weights = read_each(data["weights"], "weights", MAX_INTERVALS, read_count)
    stairs = read_each(data["stairs"], "stairs", MAX_STAIRS_OF_RANGE, read_count)
    alike = len(sizes) == len(answers) == len(weights) and len(stairs) > 0
    demand(alike, '"sizes", "answers" and "weights" must be equally long, "stairs" not empty')
    demand(all(a >= b for a, b in pairwise(stairs)), '"stairs" must never rise')
    found = Intervals(sizes, answers, weights, stairs)
    inside = all(
        start <= y < end for (start, end), y in zip(pairwise(found.starts), answers, strict=True)
    )
    demand(inside, '"answers" must lie in their own intervals')
    plain = question.prior is None and not question.integer and not _NOT_WITH_RULES & set(file)
    demand(
        plain
        and document.outputs is None
        and document.noise is None
        and question.loss.exponent in (1, 2),
        '"intervals" go with l1 or l2, a uniform prior and no further demands',
    )
    return found


def _moved(raw: object, file: Mapping[str, Any], document: ChannelDocument) -> Moved:
    """Where the outermost places go; `noise` is then that of every node."""
    data, question, noise = read_object(raw, "moved"), document.question, document.noise
    check_keys(data, "moved", {"low", "high"}, set())
    low, high = (
        _integers(data[name], name, MAX_CELLS, -MAX_NODES, MAX_NODES) for name in ("low", "high")
    )
    if noise is None:
        raise FormatError('"moved" needs "noise"')
    demand(
        len(low) + len(high) <= document.last + len(noise.weights), '"moved" names a place twice'
    )
    plain = question.plain_range and not question.monotone and "beyond" not in file
    demand(
        plain and document.outputs is None,
        '"moved" goes with a uniform prior and with no further demands',
    )
    return Moved(low, high)


def _integers(raw: object, name: str, longest: int, low: int, high: int) -> tuple[int, ...]:
    return tuple(read_integer(one, name, low, high) for one in read_list(raw, name, longest))


def _noise(raw: object) -> LatticeNoise:
    data = read_object(raw, "noise")
    check_keys(data, "noise", {"first", "weights"}, set())
    weights = read_each(data["weights"], "weights", MAX_CELLS, read_count)
    demand(len(weights) > 0, '"weights" must not be empty')
    return LatticeNoise(read_integer(data["first"], "first", -MAX_CELLS, MAX_CELLS), weights)


def _outputs(raw: object, document: ChannelDocument) -> tuple[Fraction, ...]:
    outputs = read_each(raw, "outputs", MAX_ROW_WEIGHTS, read_short_number)
    count = len(document.rows[0]) if document.rows else 0
    demand(len(outputs) == count, f'"outputs" must have {count} entries, one for each weight')
    demand(all(a < b for a, b in pairwise(outputs)), '"outputs" must be strictly increasing')
    whole = not document.question.integer or all(y.denominator == 1 for y in outputs)
    demand(whole, '"outputs" must be whole for whole numbers')
    return outputs


def _pair(raw: object, name: str) -> tuple[Fraction, Fraction]:
    low, high = (read_short_number(end, name) for end in read_exactly(raw, name, 2))
    demand(low < high, f'"{name}" must be [low, high] with low < high')
    return low, high


def _question(data: Mapping[str, Any]) -> Question:
    sensitivity = read_positive(data["sensitivity"], "sensitivity")
    integer = read_flag(data.get("integer", False), "integer")
    low, high = _pair(data["bounds"], "bounds")
    if integer:
        whole = low.denominator == high.denominator == sensitivity.denominator == 1
        demand(whole, '"bounds" and "sensitivity" must be whole for whole numbers')
    bound = None
    if "instance_bound" in data:
        bound = read_not_negative(data["instance_bound"], "instance_bound")
    curve = CURVE.read(data["gdp"], "gdp") if "gdp" in data else None
    return Question(
        read_epsilon(data["epsilon"]),
        read_delta(data["delta"]),
        sensitivity,
        read_loss(read_object(data["loss"], "loss")),
        integer,
        profile=PROFILE.read(data["profile"], "profile") if "profile" in data else (),
        gdp=None if curve is None else curve.mu,
        curve=curve,
        releases=RELEASES.read(data["releases"], "releases") if "releases" in data else None,
        range=Range(
            low,
            high,
            _prior(data["prior"], low, high, integer),
            _crossing(data["crossing"], low, high) if "crossing" in data else None,
            bound,
            read_positive(data["max_error"], "max_error") if "max_error" in data else None,
            read_flag(data.get("monotone", False), "monotone"),
        ),
    )


def _crossing(raw: object, low: Fraction, high: Fraction) -> Crossing:
    data = read_object(raw, "crossing")
    check_keys(data, "crossing", {"at", "slope"}, set())
    at, slope = (read_short_number(data[key], key) for key in ("at", "slope"))
    demand(low <= at <= high, '"at" must be within the bounds')
    demand(slope >= 0, '"slope" must be non-negative')
    return Crossing(at, slope)


def _prior(raw: object, low: Fraction, high: Fraction, integer: bool) -> Prior | None:
    if raw == "uniform":
        return None
    data = read_object(raw, "prior")
    check_keys(data, "prior", {"masses"} | (set() if integer else {"edges"}), set())
    masses = tuple(
        read_number(m, "masses", lambda v: 0 <= v <= 1, "from 0 to 1")
        for m in read_list(data["masses"], "masses", MAX_PRIOR_PIECES)
    )
    demand(add_up(masses) == 1, 'the "masses" of the prior must sum to 1')
    if integer:
        demand(len(masses) == high - low + 1, "the prior must have one mass for each whole number")
        return Prior((), masses)
    edges = read_each(data["edges"], "edges", MAX_PRIOR_PIECES + 1, read_short_number)
    rising = all(a < b for a, b in pairwise(edges))
    if len(edges) != len(masses) + 1 or not rising or (edges[0], edges[-1]) != (low, high):
        raise FormatError('the "edges" must rise from bound to bound, one more than masses')
    return Prior(edges, masses)


def _certificate(raw: object, question: Question) -> ChannelCertificate:
    data = read_object(raw, "certificate")
    optional = {"instance"} if question.instance_bound is not None else set()
    optional |= {"points", "copies", "group", "prices"}
    check_keys(data, "certificate", {"step", "first", "pairs"}, optional)
    points = POINTS.read(data["points"], "certificate.points") if "points" in data else ()
    check_points(points)
    # Answers beyond the outermost nodes never help when the loss falls nowhere.
    read_integer(data["first"], "certificate.first", 0, 0)
    step = read_positive(data["step"], "certificate.step")
    group = read_integer(data.get("group", 1), "group", 1, MAX_GROUP)
    if group > 1:
        demand(not points, '"group" does not go with "points"')
        question = grouped(question, group, step)[0]
    demand(not question.integer or step == 1, '"certificate.step" must be "1" for whole numbers')
    most = MAX_NODES if {"copies", "prices"} & set(data) else MAX_CERTIFICATE_NODES
    count = read_whole(question.width / step + question.integer, "range/certificate.step", 1, most)
    last, reach = count - 1, floor(question.sensitivity / step)
    copies = None
    if "copies" in data:
        demand("instance" not in data, '"copies" does not go with "instance"')
        copies = _copies(data["copies"], question, count, reach, len(points))
    if "prices" in data:
        alone = not {"instance", "points", "copies", "group"} & set(data) and data["pairs"] == []
        demand(alone, '"prices" go without multipliers and what belongs to them')
        prices = _prices(data["prices"], question, count)
        return ChannelCertificate(step, (), prices=prices)
    keys = {"from", "to", "mirror", "budget", "cells"} | ({"point"} if points else set())
    pairs, seen, multipliers = [], set(), 0
    for raw_pair in read_list(data["pairs"], "pairs", MAX_PAIR_MULTIPLIERS):
        charge(8)
        pair = read_object(raw_pair, "pairs")
        check_keys(pair, "pairs", keys, set())
        point = read_integer(pair.get("point", 0), "point", 0, max(0, len(points) - 1))
        source = read_integer(pair["from"], "from", 0, last)
        target = read_integer(pair["to"], "to", 0, last)
        mirror = read_flag(pair["mirror"], "mirror")
        if not 1 <= abs(source - target) <= reach:
            raise FormatError(f"nodes {source} and {target} need not be neighbors")
        for key in [(source, target), (last - source, last - target)][: 1 + mirror]:
            demand((point, *key) not in seen, f"the pair {key} occurs twice")
            seen.add((point, *key))
        budget = read_not_negative(pair["budget"], "budget")
        cells = _cells(pair["cells"], last, budget)
        multipliers += len(cells)
        demand(multipliers <= MAX_PAIR_MULTIPLIERS, f"more than {MAX_PAIR_MULTIPLIERS} multipliers")
        pairs.append(PairMultipliers(source, target, mirror, budget, cells, point))
    listed = data.get("instance", [])
    instance = read_each(listed, "instance", MAX_CERTIFICATE_NODES, read_not_negative)
    demand(len(instance) in (0, count), f'"instance" must have {count} entries, one for each node')
    return ChannelCertificate(step, tuple(pairs), instance, points, copies, group)


def _prices(raw: object, question: Question, count: int) -> Prices:
    """What each value must cost at least."""
    data = read_object(raw, "prices")
    check_keys(data, "prices", {"stairs", "runs"}, set())
    demand(question.plain_range, '"prices" go with a uniform prior and with no further demands')
    pairs = (read_exactly(run, "runs", 2) for run in read_list(data["runs"], "runs", MAX_CELLS))
    runs = [
        (read_integer(length, "runs", 1, count), read_not_negative(price, "runs"))
        for length, price in pairs
    ]
    demand(sum(length for length, _ in runs) == count, f'"runs" must be about {count} nodes')
    return Prices(read_integer(data["stairs"], "stairs", 1, MAX_STAIRS_OF_RANGE), tuple(runs))


def _copies(raw: object, question: Question, count: int, reach: int, points: int) -> Copies:
    """Multipliers that all nodes have but for a layer at each end."""
    data = read_object(raw, "copies")
    check_keys(data, "copies", {"layer", "shifts"}, set())
    demand(question.plain_range, '"copies" go with a uniform prior and with no further demands')
    layer = read_integer(data["layer"], "layer", 0, count // 2)
    demand(layer + reach <= MAX_CERTIFICATE_NODES, f'"layer" exceeds {MAX_CERTIFICATE_NODES}')
    shifts = shifts_from_json(data["shifts"], points > 0)
    for entry in shifts:
        demand(abs(entry.shift) <= reach, f"a shift of {entry.shift} is beyond the sensitivity")
        demand(entry.point < max(1, points), f"a shift names no point, {entry.point}")
    return Copies(layer, shifts)


def _cells(raw: object, last: int, budget: Fraction) -> tuple[tuple[int, Fraction], ...]:
    cells = read_cells(raw, last + 1, 0, last)
    demand(len({y for y, _ in cells}) == len(cells), "an output occurs twice within a pair")
    demand(all(0 <= z <= budget for _, z in cells), '"cells" must be from 0 to the budget')
    return cells
