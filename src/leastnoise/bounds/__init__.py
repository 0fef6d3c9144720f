"""Our lattice programs: the upper and the lower bound, and which shifts to add next."""
