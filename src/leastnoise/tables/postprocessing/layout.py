"""Layout: how the counts of a query are sums of one another."""

from __future__ import annotations

from typing import Protocol

from ...numeric import Floats, Ints


class CountLayout(Protocol):
    """Counts in their order, and how they add up."""

    def consistent(self, values: Floats, errors: Floats) -> Ints:
        """Integers from 0 on that add up, near to the released numbers.

        errors: what these stay within; only their ratios matter.
        """
