"""What outlives the process: the state file, the archive and the counts kept beside it."""
