"""What a design returns, for every kind of noise."""
