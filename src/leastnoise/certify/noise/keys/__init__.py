"""Partition selection: how often keys are released, with their counts."""
