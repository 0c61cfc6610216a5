"""The risk pane: columns and cells."""
