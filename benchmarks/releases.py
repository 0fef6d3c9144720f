"""How far ahead noise for k releases is of analytic Gaussian noise calibrated for as many.

Per total budget and number of releases: the loss relative to Gaussian noise, the certified lower
bound relative to it, and the seconds of processor time.

    python benchmarks/releases.py [LOSS]
"""

from __future__ import annotations

import math
import sys
import time

from leastnoise import design
from leastnoise.mechanisms import AnalyticGaussian

BUDGETS = ((1, 1e-5), (1, 0.01), (2, 0.1))
COUNTS = (1, 2, 5, 10, 50)


def main(loss: str) -> None:
    """One line per budget and number of releases."""
    for epsilon, delta in BUDGETS:
        for count in COUNTS:
            start = time.process_time()
            found = design(
                epsilon=epsilon, delta=delta, sensitivity=1, releases=count, loss=loss, gap=0.01
            )
            seconds = time.process_time() - start
            rival = AnalyticGaussian(
                epsilon=epsilon, delta=delta, sensitivity=math.sqrt(count)
            ).expected_loss(loss)
            print(
                f"({epsilon}, {delta:g}), {count} releases, {loss}: "
                f"loss {found.upper / rival:.4f} of Gaussian noise's, "
                f"no noise below {found.lower / rival:.4f}; {seconds:.1f} s",
                flush=True,
            )


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "l1")
