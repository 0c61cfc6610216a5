"""Pictures of the screen, written to a file."""
