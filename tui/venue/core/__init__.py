"""Core of the simulated exchange: commands and time in, events out; deterministic, without loop or clock, seeded."""
