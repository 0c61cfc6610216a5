"""Signing, decoding, connections, rate limits and failover, against servers that misbehave."""
