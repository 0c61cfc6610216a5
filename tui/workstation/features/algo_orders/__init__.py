"""Algo orders: drafts, their form, the list and its keys."""
