"""Storage: the state file, the archive, and the row counts and sums kept with it."""
