"""The ADL pane: columns and cells."""
