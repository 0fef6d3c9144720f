"""Noise of which several releases together keep a total budget."""
