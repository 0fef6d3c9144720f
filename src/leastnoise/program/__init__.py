"""The one linear program behind every bound, and the two methods that solve it."""
