"""The assets pane: columns and cells."""
