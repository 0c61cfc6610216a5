"""Ladder, chart and trades of one pair: where they stand, which pair they show, and what a key does in them."""
