"""Noise for vectors of bounded Euclidean length."""
