"""The P&L pane: columns and cells."""
