"""Strategies for many linear queries: what is measured, and what its answers cost."""
