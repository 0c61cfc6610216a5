"""The engine as a whole: its thread, its end, its cost at rest, and the watch over it."""
