"""Algo orders: drafts, the form, the pane and its keys."""
