"""Noise for vectors: staircases of the radius, and nets of curves below them."""
