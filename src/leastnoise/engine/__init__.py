"""The search for a bracket: one loop, and one family for each kind of noise."""
