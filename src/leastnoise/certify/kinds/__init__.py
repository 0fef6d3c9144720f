"""What files of each kind hold, how they are read, and what they claim."""
