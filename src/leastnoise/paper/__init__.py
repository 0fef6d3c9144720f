"""The paper as published: its hierarchy of bounding problems, and its experiments."""
