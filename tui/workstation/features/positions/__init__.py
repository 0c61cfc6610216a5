"""The positions pane: columns and cells."""
