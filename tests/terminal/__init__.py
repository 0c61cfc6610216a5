"""The real program in a pseudo-terminal: whole days of trading, stalls, windows, restarts, hostile texts."""
