"""Noise for one number, added to it: one budget, several, a Gaussian curve, several releases."""
