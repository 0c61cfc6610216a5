"""Ladder: a row is a price, the cursor is a price, and what leaves is the price that was shown."""
