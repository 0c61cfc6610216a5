"""Deterministic exchange: commands and time in, events out. No loop, no clock, no randomness but the seed."""
