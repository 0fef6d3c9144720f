"""Answers as mixtures of intervals: one row for each value."""
