"""Persistence: the state file, the archive and the counts stored with it."""
