"""Ranges much wider than their noise: remapped noise, and bounds with boundary layers."""
