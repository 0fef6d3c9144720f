"""Noise for queries: its choice, its expected error, and the budget of each part."""
