"""Reading a file of kind "dependent": which keys go together, and nothing that takes long to check.

Standard library only.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from math import floor

from ...errors import FormatError
from ...problem.privacy import check_points
from ...problem.problem import Prior, Problem, Range
from ...work import add_up
from ..base import reading
from ..certificates.groups import grouped
from ..fields import demand, read_whole
from ..layout import read_file
from ..noise.cells import NumberNoise
from ..noise.intervals import Intervals
from .dependent import ChannelDocument
from .dependent_keys import CHANNEL_FILE, MAX_ROW_WEIGHTS, ChannelFile
from .dependent_parts import (
    MAX_CERTIFICATE_NODES,
    MAX_NODES,
    MAX_PAIR_MULTIPLIERS,
    ChannelCertificate,
    Copies,
    Moved,
    PairMultipliers,
    Prices,
)


def parse_channel(data: object) -> ChannelDocument:
    """The document in a JSON object of kind "dependent"; `FormatError` if it is not one."""
    with reading():
        return _document(read_file(CHANNEL_FILE, ChannelDocument.KINDS, data))


def _document(file: ChannelFile) -> ChannelDocument:
    problem, channel, step = _question(file), file.channel, file.step
    last = read_whole(problem.width / step, "range/step", 1, MAX_NODES)
    if step > problem.sensitivity:
        _check_long_step(file)
    else:
        demand(not problem.integer or step == 1, '"step" must be "1" for integers')
        read_whole(problem.sensitivity / step, "sensitivity/step", 1, MAX_NODES)
    demand(file.upper >= 0 and file.lower <= file.upper, '"lower" must be at most "upper"')
    _check_certificate(file.certificate, problem)
    _check_rows(file, last)
    if channel.intervals is not None:
        _check_intervals(channel.intervals, file, problem, last)
    if channel.revealed is not None:
        _check_revealed(channel.revealed, file)
    if channel.moved is not None:
        _check_moved(channel.moved, file, problem, last)
    if file.beyond is not None:
        low, high = file.beyond
        demand(low < high, '"beyond" must be [low, high] with low < high')
        demand(low <= problem.low and problem.high <= high, '"beyond" must hold the bounds')
        whole = not problem.integer or low.denominator == high.denominator == 1
        demand(whole, '"beyond" must be integers if "integer" is true')
    return ChannelDocument(
        problem=problem,
        step=step,
        denominator=channel.denominator,
        first=channel.first or 0,
        rows=channel.rows,
        upper=file.upper,
        lower=file.lower,
        certificate=file.certificate,
        outputs=channel.outputs,
        noise=channel.noise,
        beyond=file.beyond,
        additive=None if file.additive is None else _additive(file.additive, file, problem),
        moved=channel.moved,
        intervals=channel.intervals,
        revealed=channel.revealed or 0,
        about=file.about,
    )


# -- the question ---------------------------------------------------------------------------------


def _question(file: ChannelFile) -> Problem:
    low, high = file.bounds
    demand(low < high, '"bounds" must be [low, high] with low < high')
    if file.integer:
        whole = low.denominator == high.denominator == file.sensitivity.denominator == 1
        demand(whole, '"bounds" and "sensitivity" must be integers if "integer" is true')
    if file.prior is not None:
        _check_prior(file.prior, low, high, file.integer)
    crossing = file.crossing
    if crossing is not None:
        demand(low <= crossing.at <= high, '"crossing.at" must be within the bounds')
        demand(crossing.slope >= 0, '"crossing.slope" must be non-negative')
    return Problem(
        file.epsilon,
        file.delta,
        file.sensitivity,
        file.loss,
        file.integer,
        profile=file.profile,
        gdp=None if file.gdp is None else file.gdp.mu,
        curve=file.gdp,
        releases=file.releases,
        range=Range(
            low,
            high,
            file.prior,
            crossing,
            file.instance_bound,
            file.max_error,
            bool(file.monotone),
        ),
    )


def _check_prior(prior: Prior, low: Fraction, high: Fraction, integer: bool) -> None:
    demand(add_up(prior.masses) == 1, 'the "masses" of the prior must sum to 1')
    edges, count = prior.edges, len(prior.masses)
    if integer:
        demand(not edges, 'the prior of integers has no "edges"')
        demand(count == high - low + 1, "the prior must have one mass for each integer")
        return
    rising = len(edges) == count + 1 and all(a < b for a, b in pairwise(edges))
    if not rising or (edges[0], edges[-1]) != (low, high):
        raise FormatError('the "edges" must rise from bound to bound, one more than masses')


# -- answers --------------------------------------------------------------------------------------


def _check_long_step(file: ChannelFile) -> None:
    """Steps longer than a sensitivity."""
    demand(
        not file.integer or file.step.denominator == 1,
        '"step" must be an integer if "integer" is true',
    )
    channel = file.channel
    rules = (channel.noise, channel.moved, channel.revealed, channel.intervals)
    alone = all(other is None for other in (*rules, file.additive, file.beyond, file.gdp))
    demand(alone, 'a "step" longer than the sensitivity goes with "rows" alone')


def _check_rows(file: ChannelFile, last: int) -> None:
    channel, rows, outputs = file.channel, file.channel.rows, file.channel.outputs
    demand(channel.denominator > 0, '"denominator" must be positive')
    demand((channel.first is None) != (outputs is None), '"channel" must have "first" or "outputs"')
    if rows:
        demand(len(rows) == last + 1, f'"rows" must have {last + 1} entries, one for each node')
        demand(len(rows[0]) > 0, "a row is empty")
        demand(len({len(row) for row in rows}) == 1, "all rows must have the same length")
        demand(len(rows) * len(rows[0]) <= MAX_ROW_WEIGHTS, '"rows" must have fewer weights')
        alone = (channel.noise is None) == (file.beyond is None)
        demand(alone, '"noise" and "beyond" go together')
    ways = (rows or None, file.additive, channel.moved, channel.intervals)
    demand(
        sum(way is not None for way in ways) == 1,
        'there must be either "rows" or "additive" or "moved" or "intervals"',
    )
    if outputs is not None:
        count = len(rows[0]) if rows else 0
        demand(len(outputs) == count, f'"outputs" must have {count} entries, one for each weight')
        demand(all(a < b for a, b in pairwise(outputs)), '"outputs" must be strictly increasing')
        whole = not file.integer or all(y.denominator == 1 for y in outputs)
        demand(whole, '"outputs" must be integers if "integer" is true')


def _plain(file: ChannelFile) -> bool:
    """Whether there is nothing that answers by rules, or revealed, do not go with."""
    return not (file.demands or file.integer or file.beyond or file.gdp)


def _check_revealed(revealed: int, file: ChannelFile) -> None:
    """So many parts of the denominator are the value itself."""
    channel = file.channel
    demand(0 < revealed <= channel.denominator, '"revealed" must be from 1 to the denominator')
    own = bool(channel.rows) or channel.intervals is not None
    demand(
        own and _plain(file) and file.loss.falls_nowhere,
        '"revealed" goes with rows, a loss that never falls away from 0, and no further demands',
    )


def _check_intervals(found: Intervals, file: ChannelFile, problem: Problem, last: int) -> None:
    """Intervals of nodes, their answers and weights, and stairs that never rise."""
    sizes, answers = found.sizes, found.answers
    demand(sum(sizes) == last + 1, f'"sizes" must add up to {last + 1} nodes')
    alike = len(sizes) == len(answers) == len(found.weights)
    demand(alike, '"sizes", "answers" and "weights" must be equally long')
    demand(all(a >= b for a, b in pairwise(found.stairs)), '"stairs" must never rise')
    inside = all(
        start <= y < end for (start, end), y in zip(pairwise(found.starts), answers, strict=True)
    )
    demand(inside, '"answers" must lie in their own intervals')
    channel = file.channel
    demand(
        _plain(file)
        and problem.prior is None
        and channel.outputs is None
        and channel.noise is None
        and problem.loss.exponent in (1, 2),
        '"intervals" go with l1 or l2, a uniform prior and no further demands',
    )


def _check_moved(moved: Moved, file: ChannelFile, problem: Problem, last: int) -> None:
    """Where the outermost places go; `noise` is then that of every node."""
    noise = file.channel.noise
    if noise is None:
        raise FormatError('"moved" needs "noise"')
    places = len(moved.low) + len(moved.high)
    demand(places <= last + len(noise.weights), '"moved" names a place twice')
    plain = problem.plain_range and not problem.monotone and file.beyond is None
    demand(
        plain and file.channel.outputs is None,
        '"moved" goes with a uniform prior and with no further demands',
    )


def _additive(noise: NumberNoise, file: ChannelFile, problem: Problem) -> NumberNoise:
    """The noise that serves every value."""
    demand(file.crossing is None, '"additive" does not go with "crossing"')
    demand(file.channel.noise is None, '"additive" does not go with "noise"')
    demand(file.max_error is None, '"additive" does not go with "max_error"')
    demand(file.integer or noise.gridded, '"additive" lacks grid')
    noise = noise.one_by_one() if file.integer else noise
    noise.check_problem(problem)
    return noise


# -- the certificate ------------------------------------------------------------------------------


def _check_certificate(certificate: ChannelCertificate, problem: Problem) -> None:
    check_points(certificate.points)
    step = certificate.step
    if certificate.group > 1:
        demand(not certificate.points, '"group" does not go with "points"')
        problem = grouped(problem, certificate.group, step)[0]
    demand(not problem.integer or step == 1, '"certificate.step" must be "1" for integers')
    few = certificate.copies is None and certificate.prices is None
    most = MAX_CERTIFICATE_NODES if few else MAX_NODES
    count = read_whole(problem.width / step + problem.integer, "range/certificate.step", 1, most)
    reach = floor(problem.sensitivity / step)
    instance = certificate.instance
    if instance:
        demand(problem.instance_bound is not None, '"instance" is for an instance bound')
        demand(len(instance) == count, f'"instance" must have {count} entries, one for each node')
    if certificate.copies is not None:
        demand(not instance, '"copies" does not go with "instance"')
        _check_copies(certificate.copies, problem, count, reach, len(certificate.points))
    if certificate.prices is not None:
        _check_prices(certificate.prices, problem, count)
    _check_pairs(certificate.pairs, count - 1, reach, max(1, len(certificate.points)))


def _check_pairs(pairs: Sequence[PairMultipliers], last: int, reach: int, points: int) -> None:
    seen = set()
    for pair in pairs:
        source, target = pair.source, pair.target
        demand(max(source, target) <= last, f'"pairs" must be of nodes from 0 to {last}')
        demand(pair.point < points, f'"point" must be below {points}')
        if not 1 <= abs(source - target) <= reach:
            raise FormatError(f"nodes {source} and {target} need not be neighbors")
        for key in [(source, target), (last - source, last - target)][: 1 + pair.mirror]:
            demand((pair.point, *key) not in seen, f"the pair {key} occurs twice")
            seen.add((pair.point, *key))
        demand(all(y <= last for y, _ in pair.cells), f'"cells" must be from 0 to {last}')
    multipliers = sum(len(pair.cells) for pair in pairs)
    demand(multipliers <= MAX_PAIR_MULTIPLIERS, f"more than {MAX_PAIR_MULTIPLIERS} multipliers")


def _check_prices(prices: Prices, problem: Problem, count: int) -> None:
    """What each value must cost at least."""
    demand(problem.plain_range, '"prices" go with a uniform prior and with no further demands')
    nodes = sum(length for length, _ in prices.runs)
    demand(nodes == count, f'"runs" must be about {count} nodes')


def _check_copies(copies: Copies, problem: Problem, count: int, reach: int, points: int) -> None:
    """Multipliers that all nodes have but for a layer at each end."""
    demand(problem.plain_range, '"copies" go with a uniform prior and with no further demands')
    demand(copies.layer <= count // 2, f'"layer" must be at most {count // 2}')
    few = copies.layer + reach <= MAX_CERTIFICATE_NODES
    demand(few, f'"layer" exceeds {MAX_CERTIFICATE_NODES}')
    for entry in copies.shifts:
        demand(abs(entry.shift) <= reach, f"a shift of {entry.shift} is beyond the sensitivity")
        demand(entry.point < max(1, points), f"a shift names no point, {entry.point}")
