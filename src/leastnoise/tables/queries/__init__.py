"""The queries that a table can be asked: what each adds up, and how far one unit moves it."""
