"""Terminal access: output, signals, environment."""
