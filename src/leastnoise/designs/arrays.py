"""A design as NumPy arrays: its distribution, and the multipliers that prove its lower bound."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from ..certify.base import AnyFile
from ..noise.base import DesignNoise
from ..numeric import Floats

#: Lists of multipliers in certificates, and the keys that say where an entry stands.
_ENTRIES = {"shifts": ("shift",), "pairs": ("from", "to")}


def arrays_of(noise: DesignNoise[Any], document: AnyFile) -> dict[str, Floats]:
    """Arrays of the noise, and of the multipliers if the certificate consists of them."""
    certificate = json.loads(document.dumps()).get("certificate")
    return noise.arrays() | _multipliers(certificate if isinstance(certificate, dict) else {})


def _multipliers(certificate: Mapping[str, Any]) -> dict[str, Floats]:
    """One row for each multiplier, as columns: where it stands, and its value.

    An entry with `mirror` stands for its mirror image, too.
    """
    for name, places in _ENTRIES.items():
        if name in certificate:
            rows = list(_rows(certificate[name], places))
            table = np.array(rows, dtype=float).reshape(-1, len(places) + 4)
            columns = [*places, "point", "mirror", "cell", "value"]
            named = {f"multiplier_{column}": table[:, k] for k, column in enumerate(columns)}
            return named | {"certificate_step": np.array([_number(certificate["step"])])}
    return {}


def _rows(entries: Iterable[Mapping[str, Any]], places: Iterable[str]) -> Iterable[list[float]]:
    for entry in entries:
        place = [float(entry[key]) for key in places]
        place += [float(entry.get("point", 0)), float(entry["mirror"])]
        yield from ([*place, float(cell), _number(value)] for cell, value in entry["cells"])


def _number(text: str) -> float:
    return float(Fraction(text))
