"""ADL pane: columns and cells."""
