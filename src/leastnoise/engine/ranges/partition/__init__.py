"""One interval of values for each answer, and a price for each value: where epsilon is large."""
