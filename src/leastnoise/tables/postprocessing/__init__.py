"""Post-processing of released counts: integers, never negative, that add up.

Numbers in, numbers out: nothing here knows a table, a query or a budget. What comes out is a
function of what was released, so it is exactly as private.
"""
