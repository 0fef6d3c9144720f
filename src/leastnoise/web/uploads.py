"""An upload on its way to disk: unpacked as it comes, and never more than a limit of it."""

from __future__ import annotations

import os
import zlib
from pathlib import Path

#: Bytes that are unpacked at a time.
_PIECE = 1 << 20
#: zlib's word for: a gzip header, and a window of the usual size.
_GZIP = 16 + zlib.MAX_WBITS


class NotATable(Exception):
    """What came is no table of a kind that is read here."""


class TooLarge(Exception):
    """Unpacked, it is larger than what is allowed."""


class Upload:
    """A new file of mode 0600. What is written to it is unpacked first, if it comes as .gz."""

    def __init__(self, path: Path, packed: bool, most: int) -> None:
        self._file = os.fdopen(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb")
        self._unpacking = zlib.decompressobj(_GZIP) if packed else None
        self._begun = False
        self._left = most

    def write(self, chunk: bytes) -> None:
        """Add what has come; memory for a piece of it is all that this takes."""
        if self._unpacking is None:
            self._keep(chunk)
            return
        while chunk:
            if self._unpacking.eof:  # a .gz file may be several, one after the other
                self._unpacking = zlib.decompressobj(_GZIP)
            try:
                self._keep(self._unpacking.decompress(chunk, _PIECE))
            except zlib.error:
                raise NotATable from None
            self._begun = True
            chunk = self._unpacking.unconsumed_tail or self._unpacking.unused_data

    def _keep(self, piece: bytes) -> None:
        self._left -= len(piece)
        if self._left < 0:
            raise TooLarge
        self._file.write(piece)

    def close(self) -> None:
        """The end of what came; a .gz file must be whole."""
        self._file.close()
        if self._unpacking is not None and not (self._begun and self._unpacking.eof):
            raise NotATable

    def abandon(self) -> None:
        """Let go of the file."""
        self._file.close()
