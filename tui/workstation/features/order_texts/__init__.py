"""Orders as texts for other programs: a command line, Python, and the requests of both interfaces."""
