"""Whether the quotes of a CSV file enclose whole fields, so that no line can swallow another.

Proof: `quotes.proof.md`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]

#: Bytes that are looked at together.
_BLOCK = 1 << 24
_QUOTE = 34


def quotes_match(file: BinaryIO, separator: str, block: int = _BLOCK) -> bool:
    """Whether every quoted field begins and ends as a field does, its inner quotes being doubled.

    Guarantee: if so, quotes 1, 3, 5, ... open and 2, 4, 6, ... close (a doubled quote closes and
    opens again), none is left open, and where a field ends does not depend on how a reader takes
    quotes in odd places: there are none.
    """
    ends = np.frombuffer(f'{separator}\r\n"'.encode(), dtype=np.uint8)
    opened = 0
    for before, inside, after in _blocks(file, block):
        text = np.concatenate([before, inside, after])
        places = np.flatnonzero(inside == _QUOTE) + 1
        opens = (np.arange(len(places)) + opened) % 2 == 0
        beside = text[np.where(opens, places - 1, places + 1)]
        if not np.isin(beside, ends).all():
            return False
        opened = (opened + len(places)) % 2
    return opened == 0


def _blocks(file: BinaryIO, block: int) -> Iterator[tuple[Bytes, Bytes, Bytes]]:
    """Parts of the file with the byte before and the byte after each; line ends at both ends."""
    end = np.frombuffer(b"\n", dtype=np.uint8)
    before, inside = end, np.frombuffer(file.read(block).removeprefix(b"\xef\xbb\xbf"), np.uint8)
    while len(inside):
        following = np.frombuffer(file.read(block), np.uint8)
        yield before, inside, following[:1] if len(following) else end
        before, inside = inside[-1:], following
