"""Money beside trading: the Funds screen and the forms that move it."""
