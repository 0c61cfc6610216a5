"""The deterministic exchange: commands and time in, events out. No loop, no clock, no chance but the seed."""
