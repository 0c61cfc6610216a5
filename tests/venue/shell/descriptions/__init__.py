"""Descriptions of the venue: well formed, the same as the files in docs, and true of what it sends."""
