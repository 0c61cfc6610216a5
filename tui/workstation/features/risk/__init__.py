"""Risk pane: columns and cells."""
