"""Streams: every channel, what is heard once and in order, silence, and limits."""
