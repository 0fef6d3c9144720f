"""Hockey sticks of noise in few runs of equal cells, at all shifts at once.

As functions of the shift they are piecewise linear, and bend where edges of two runs meet
(`../certify/noise/line/lattice_privacy.proof.md`, 5). Floating point: nothing is claimed.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ..numeric import Floats, Ints


def sticks_by_bends(cells: Floats, edges: Ints, events: Floats, n: int, factors: Floats) -> Floats:
    """A row for each factor, an entry for each shift -n, ..., n: 0 in the middle.

    `edges` are the first cells of runs but for the first run. Cells count as often as `events`
    says, the n cells at both ends not at all.
    """
    sticks = np.zeros((len(factors), 2 * n + 1))
    counted = np.zeros(len(cells))
    counted[n : len(cells) - n] = events[n : len(cells) - n]
    windows = np.flatnonzero(np.diff(counted, prepend=0, append=0))
    before, after = cells[edges - 1], cells[edges]
    for first, last in pairwise(windows.tolist()):
        weight = counted[first]
        if not weight:
            continue
        places = np.concatenate([[first], edges[(edges > first) & (edges < last)], [last]])
        inside = cells[places[:-1]]
        left, right = np.append(0.0, inside), np.append(inside, 0.0)
        near = np.searchsorted(edges, [places - n, places + n + 1])
        sizes = near[1] - near[0]
        place = np.repeat(np.arange(len(places)), sizes)
        other = np.arange(len(place)) - np.repeat(np.cumsum(sizes) - sizes - near[0], sizes)
        apart = places[place] - edges[other]
        some = apart != 0
        place, other, apart = place[some], other[some], apart[some]
        low, high = np.minimum(left, right)[place], np.maximum(left, right)[place]
        below, above = np.minimum(before, after)[other], np.maximum(before, after)[other]
        sign = np.where((left < right)[place] == (before < after)[other], 1.0, -1.0)
        starts, ends = (edges >= first) & (edges < last), (edges > first) & (edges <= last)
        for row, factor in zip(sticks, factors.tolist(), strict=True):
            shared = np.minimum(high, factor * above) - np.maximum(low, factor * below)
            bends = np.bincount(apart + n, sign * np.maximum(shared, 0.0), 2 * n + 1)
            up = np.maximum(after - factor * before, 0.0)[starts].sum()
            down = np.maximum(before - factor * after, 0.0)[ends].sum()
            for side, slope, turns in ((1, up, bends[n + 1 :]), (-1, down, bends[n - 1 :: -1])):
                slopes = slope + np.append(0.0, np.cumsum(turns)[:-1])
                row[n + side :: side] += weight * np.cumsum(slopes)
    return sticks
