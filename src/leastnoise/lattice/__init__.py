"""Cells of the line, their costs, and how programs share columns among them."""
