"""Grammar of the command line: what parses, what is refused, and that every line has one canonical text."""
