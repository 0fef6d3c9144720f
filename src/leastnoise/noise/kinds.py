"""The noise of a mechanism file of each kind; a module is imported when a file needs it."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ..certify.base import AnyFile
from .base import DesignNoise

#: Where the noise of each kind of file is.
NOISES = {
    "additive": "additive:AdditiveNoise",
    "integer": "additive:AdditiveNoise",
    "dependent": "ranged_nodes:range_noise",
    "vector": "vector:VectorNoise",
    "joint": "joint:JointNoise",
    "workload": "workload:WorkloadNoise",
    "keyed": "selection:SelectionNoise",
}


def noise_of(document: AnyFile) -> DesignNoise[Any]:
    """The noise that a mechanism file describes."""
    module, name = NOISES[document.kind].split(":")
    noise: DesignNoise[Any] = getattr(import_module(f".{module}", __package__), name)(document)
    return noise
