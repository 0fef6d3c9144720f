"""Where files are kept that can be made again."""

from __future__ import annotations

import os
from pathlib import Path


def cache_folder(part: str) -> Path:
    """The folder of this part ("designs", "datasets") in LEASTNOISE_CACHE.

    Without that variable: in `leastnoise`, in the user's cache.
    """
    named = os.environ.get("LEASTNOISE_CACHE")
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return (Path(named) if named else Path(base) / "leastnoise") / part
