"""Layouts: chosen from a list that shows each at once, and changed by keys and mouse."""
