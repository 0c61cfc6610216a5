"""Algo orders by key: what is typed, its form, and the keys on the list."""
