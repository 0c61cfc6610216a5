"""Themes: chosen from a list that shows each at once, and read again when a file changes."""
