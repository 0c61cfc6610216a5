"""Grammar of the command line: text and a snapshot of names in, commands or a refusal out. Pure."""
