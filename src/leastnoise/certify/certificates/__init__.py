"""What proves the lower bound of a mechanism file: one kind of proof in a file."""
