"""Many linear questions at once: the best strategy, by a fixed point."""
