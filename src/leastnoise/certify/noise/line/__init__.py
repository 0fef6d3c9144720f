"""Noise for one number, on a lattice or between free edges."""
