"""What lasts: the same bytes for the same seed, restarts, ended orders, the past of a new venue."""
