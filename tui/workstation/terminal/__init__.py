"""The terminal below the screen: output, signals, environment."""
