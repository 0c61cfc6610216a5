"""Commands, one small file each; the only place that puts the rooms together."""
