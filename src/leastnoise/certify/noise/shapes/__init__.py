"""Noise for several numbers whose changes form a shape."""
