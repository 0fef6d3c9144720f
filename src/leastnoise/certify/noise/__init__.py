"""The distributions of noise in a mechanism file: their privacy and their expected loss."""
