"""The fills pane: columns and cells."""
