"""What a design returns: noise to look at, to sample from and to release with."""

from .additive import AdditiveNoise, noise_of
from .clamped import Clamped
from .release import release, release_many, release_one

__all__ = ["AdditiveNoise", "Clamped", "noise_of", "release", "release_many", "release_one"]
