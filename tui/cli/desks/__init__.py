"""Starts of a desk: on the full screen, and as lines."""
