"""Synthetic participants: agents of the seeded market, and the recording that replaces them."""
