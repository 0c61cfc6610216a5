"""The orders pane: columns and cells."""
