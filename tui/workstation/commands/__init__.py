"""What the keys of every feature are handed: the context, what is available, how an outcome is told."""
