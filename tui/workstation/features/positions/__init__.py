"""Positions pane: columns and cells."""
