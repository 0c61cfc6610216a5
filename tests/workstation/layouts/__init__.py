"""Layouts: which pane stands where at every size, how a trader changes it, and what is kept."""
