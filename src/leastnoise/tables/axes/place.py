"""Place: where an answer stands in a table for readers, by its axes and its keys on them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Place:
    """The axes of the table that an answer belongs to, and its key on each; none for one number.

    Answers with the same axes make one table. Axes are columns, or what the keys are ("column").
    """

    axes: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()

    def within(self, outer: Place) -> Place:
        """The same behind the axes of groups."""
        return Place((*outer.axes, *self.axes), (*outer.keys, *self.keys))
