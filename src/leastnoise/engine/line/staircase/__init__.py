"""Staircases: noise from above, multipliers down its stairs from below."""
