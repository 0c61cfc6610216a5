"""Column lists of the panes."""
