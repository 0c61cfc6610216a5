"""Rows on the screen's side and the figures computed from them, for panes, tickets and the status bar; no textual."""
