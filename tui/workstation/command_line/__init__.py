"""Language of the command line: text and a snapshot of the desk in, commands or a refusal out. Pure."""
