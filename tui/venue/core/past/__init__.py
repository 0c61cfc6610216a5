"""Invented history of the 90 days before the first start: planned from the seed, booked by the venue's normal code."""
