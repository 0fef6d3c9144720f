"""Partition selection: private group keys with their counts, in closed form."""
