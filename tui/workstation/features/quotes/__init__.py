"""Quotes pane: columns and cells."""
