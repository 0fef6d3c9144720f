"""Answers for one number that lies in a public range: they may depend on the value."""
