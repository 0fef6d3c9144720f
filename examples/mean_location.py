"""A private mean location: two coordinates released together, with noise designed for vectors.

The data are generated: 2,000 places in a city, in kilometres from its centre, each inside a circle
of radius 5. Replacing one person moves the mean by at most 10 / 2,000 km in any direction. Prints
the proven bracket, what the usual noises would add, and one private release.
"""

from __future__ import annotations

import math
import random
from fractions import Fraction

from leastnoise import compare

PEOPLE, RADIUS = 2000, 5
SENSITIVITY = Fraction(2 * RADIUS, PEOPLE)


def places(seed: int) -> list[tuple[float, float]]:
    """Generated places, moved onto the circle if they lie outside it."""
    draw = random.Random(seed)
    found = []
    for _ in range(PEOPLE):
        x, y = draw.gauss(0.8, 1.5), draw.gauss(-0.4, 2.0)
        inside = min(1.0, RADIUS / max(math.hypot(x, y), 1e-9))
        found.append((x * inside, y * inside))
    return found


def main() -> None:
    """Design, compare, release."""
    found = compare(
        dimension=2, epsilon="1", delta="0.01", sensitivity=SENSITIVITY, loss="l1", gap="0.06"
    )
    print(found)
    data = places(seed=1)
    mean = [math.fsum(column) / PEOPLE for column in zip(*data, strict=True)]
    private = found.design.release(mean)
    print(f"mean in km      {mean[0]:.5f}, {mean[1]:.5f}  (secret: shown because it is generated)")
    print(f"one private release {private[0]:.5f}, {private[1]:.5f}")
    for claim in found.design.verify().claims:
        print(f"  {claim.name}: {claim.verdict}")


if __name__ == "__main__":
    main()
