"""Noise for many releases out of one total budget: a search over privacy profiles."""
