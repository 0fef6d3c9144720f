"""Noise below a Gaussian curve: programs of few rows on fine cells."""
