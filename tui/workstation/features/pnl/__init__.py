"""P&L pane: columns and cells."""
