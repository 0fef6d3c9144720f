"""`Design`, what `design` returns for every kind of noise, and how a search becomes one."""
