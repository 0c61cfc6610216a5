"""Terminal access: output, signals, environment variables."""
