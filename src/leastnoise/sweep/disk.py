"""The cache on disk: nothing is believed that is read back."""

from __future__ import annotations

import json
import math
from pathlib import Path

from ..errors import ArgumentError


def folder_of(cache: str | Path | None) -> Path | None:
    """The folder that a user means, made if need be."""
    if cache is None:
        return None
    folder = Path(cache)
    if folder.exists() and not folder.is_dir():
        raise ArgumentError("cache", str(cache), "a folder")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def stored(path: Path) -> str | None:
    """What a file of the cache says; None if there is none."""
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError:
        return ""  # refused as malformed, and said so


def stats_path(path: Path) -> Path:
    """Where a run's seconds stand, beside the mechanism file."""
    return path.with_suffix(".stats.json")


def read_stats(path: Path) -> tuple[float, str]:
    """Seconds and status of the run that made the file; nothing rests on them."""
    try:
        stats = json.loads(stats_path(path).read_text(encoding="utf-8"))
        return float(stats["seconds"]), str(stats["status"])
    except (OSError, ValueError, KeyError, TypeError):
        return math.nan, "read from the cache"
