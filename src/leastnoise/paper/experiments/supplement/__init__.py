"""Figures of the paper's online supplement."""
