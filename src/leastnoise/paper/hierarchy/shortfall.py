"""Algorithms 2 and 3: the event with the largest privacy shortfall, in O(N) per shift.

Statements and proofs: `shortfall.proof.md`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...numeric import Bools, Floats, Ints
from .partition import Partition


@dataclass(frozen=True)
class Overlap:
    """The common refinement of the cells Pi_j and of the shifted cells Pi_j' + shift.

    Only the part where events may lie, [-L, L+1) in units of beta. Segment s begins at
    `starts[s]`, has length `lengths[s]`, and lies in cell `here[s]` and in the shifted cell
    `there[s]`; the index `count` stands for "in none".
    """

    shift: int
    starts: Ints
    lengths: Ints
    here: Ints
    there: Ints


def overlap(partition: Partition, shift: int) -> Overlap:
    """Merge the two sorted lists of end points and walk along them with two counters."""
    edges = partition.edges
    points = np.concatenate((edges, edges + shift))
    # Two sorted runs: the stable sort merges them in linear time.
    order = np.argsort(points, kind="stable")
    second = order >= len(edges)
    here = np.cumsum(~second) - 1
    there = np.cumsum(second) - 1
    starts = np.maximum(points[order][:-1], partition.pi[0])
    ends = np.minimum(points[order][1:], partition.pi[-1])
    kept = ends > starts
    count = partition.count
    here, there = here[:-1][kept], there[:-1][kept]
    here[(here < 0) | (here >= count)] = count
    there[(there < 0) | (there >= count)] = count
    return Overlap(shift, starts[kept], (ends - starts)[kept], here, there)


def named_shifts(partition: Partition, reach: int) -> list[int]:
    """The shifts Algorithm 2 has to look at, in units of beta; `reach` is sensitivity/beta.

    Differences of end points, and the two largest shifts. The paper takes the differences of
    pi_1..pi_N only; without pi_{N+1} the maximum can be missed (see the proof), so it is here.
    Shift 0 can never fall short and is left out.
    """
    if partition.padding or not partition.merged:
        shifts = set(range(-reach, reach + 1))  # cells of width 1 realise every difference
    else:
        edges = partition.edges
        differences = (edges[:, None] - edges[None, :]).ravel()
        shifts = {int(step) for step in differences[np.abs(differences) <= reach]}
    return sorted((shifts | {-reach, reach}) - {0})


def worst_event(
    overlap: Overlap, density: Floats, other: Floats, growth: float
) -> tuple[float, Bools]:
    """max over A of gamma(A) - growth * gamma'(A - shift), and the segments that form A.

    `density` and `other` are p(j)/|Pi_j| of the two noise distributions with a zero appended for
    "in none"; in the data independent case they are the same.
    """
    excess = density[overlap.here] - growth * other[overlap.there]
    chosen = excess > 0
    return float(overlap.lengths[chosen] @ excess[chosen]), chosen


def densities(weights: Floats, partition: Partition) -> Floats:
    """p(j)/|Pi_j|, in units of 1/beta, with the zero that `worst_event` expects."""
    return np.append(weights / partition.widths, 0.0)


def shares(overlap: Overlap, chosen: Bools, partition: Partition) -> tuple[Floats, Floats]:
    """|A cap Pi_j|/|Pi_j| and |(A - shift) cap Pi_j|/|Pi_j| for every cell j."""
    lengths = overlap.lengths[chosen].astype(np.float64)
    count = partition.count
    inside = np.bincount(overlap.here[chosen], lengths, count + 1)[:count]
    moved = np.bincount(overlap.there[chosen], lengths, count + 1)[:count]
    return inside / partition.widths, moved / partition.widths


def base_cells(overlap: Overlap, values: NDArray[Any]) -> NDArray[Any]:
    """Values per segment as values per interval I_i(beta), i = -L..L (the segments cover them)."""
    return np.repeat(values, overlap.lengths)
