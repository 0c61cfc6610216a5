"""The quotes pane: columns and cells."""
