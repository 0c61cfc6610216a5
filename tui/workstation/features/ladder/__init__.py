"""Ladder of the open pair: a row is a price, and the cursor is a price that only the trader moves."""
