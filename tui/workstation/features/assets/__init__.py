"""Assets pane: columns and cells."""
