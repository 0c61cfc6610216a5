"""Simulated market participants: agents of the seeded market, and the recording that can replace them."""
