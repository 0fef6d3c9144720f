"""What is asked of every single value of a range, as labels and rows of a channel's program.

A largest error leaves outputs out; an instance bound limits the loss of every row. What the exact
check asks of a channel is decided by `leastnoise.certify`; here it only steers.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from ....certify.certificates.pairs import answer_span
from ....numeric import Ints
from ....program.layout import RangeLayout
from ....program.program import ProgramRow
from .mesh import Mesh
from .nodes import fewest_steps

#: Under an instance bound nothing can be mixed in, so a program keeps this much away from it.
INSIDE = 1e-6


def near(mesh: Mesh) -> Ints | None:
    """Outputs of the relaxed program that an answer within the largest error rounds to."""
    if mesh.problem.max_error is None:
        return None
    k = np.arange(mesh.count)
    far = np.abs(k[:, None] - k) > answer_span(mesh.problem, mesh.step, mesh.count)
    return np.where(far, -1, k[:, None] * mesh.count + k)


def within(mesh: Mesh, outputs: list[Fraction]) -> Ints | None:
    """Outputs within the largest error of all values that may use the row of a cell."""
    bound = mesh.problem.max_error
    if bound is None:
        return None
    far = [
        [max(abs(y - start), abs(y - end)) > bound for y in outputs]
        for start, end in _rounded(mesh)
    ]
    shape = (mesh.count, len(outputs))
    return np.where(np.array(far), -1, np.arange(mesh.count * len(outputs)).reshape(shape))


def limits(
    layout: RangeLayout, mesh: Mesh, outputs: list[Fraction]
) -> list[tuple[int, ProgramRow]]:
    """The instance bound at both ends of what is rounded to every cell."""
    problem, bound = mesh.problem, mesh.problem.instance_bound
    if bound is None:
        return []
    loss = problem.instance_loss
    step = Fraction(0) if problem.integer else problem.width / fewest_steps(mesh)
    at_own = float(max(loss.upper(step), loss.upper(-step)))
    points = np.array([float(y) for y in outputs])
    rows = []
    for k, ends in enumerate(_rounded(mesh)):
        for value in set(ends) if k in layout.distinct else ():
            losses = np.asarray(loss(points - float(value)))
            coefficients = layout.row(k, losses, at_own)
            rows.append((k, ProgramRow(coefficients, -math.inf, float(bound) * (1 - INSIDE))))
    return rows


def _rounded(mesh: Mesh) -> Iterator[tuple[Fraction, Fraction]]:
    """From where to where values may be rounded to a cell: a step beyond both its ends."""
    problem = mesh.problem
    step = Fraction(0) if problem.integer else problem.width / fewest_steps(mesh)
    for pieces in problem.pieces(mesh.step):
        yield max(problem.low, pieces[0][0] - step), min(problem.high, pieces[-1][1] + step)
