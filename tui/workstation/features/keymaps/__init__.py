"""Keymaps: chosen from a list that shows their keys, and read again when a file changes."""
