"""Answers that depend on the value: programs over the rows of a channel on a range."""
