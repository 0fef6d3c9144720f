"""Answers that depend on a value of a known range."""
