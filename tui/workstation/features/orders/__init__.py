"""Orders pane: columns and cells."""
