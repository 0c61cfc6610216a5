"""One small file per command; the only place that puts the rooms together."""
