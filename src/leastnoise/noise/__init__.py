"""What differs between kinds of design: noise to look at, to sample from and to release with."""

from .additive import AdditiveNoise
from .base import DesignNoise
from .clamped import Clamped
from .kinds import noise_of
from .release import release, release_many, release_one

__all__ = [
    "AdditiveNoise",
    "Clamped",
    "DesignNoise",
    "noise_of",
    "release",
    "release_many",
    "release_one",
]
