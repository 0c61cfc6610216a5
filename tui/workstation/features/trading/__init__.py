"""Trading: keys that place, replace, cancel and close, and the kill prompt."""
