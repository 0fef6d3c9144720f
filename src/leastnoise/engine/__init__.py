"""The search for a bracket: one loop, and one folder for each kind of problem."""
