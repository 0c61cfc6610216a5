"""Fills pane: columns and cells."""
