"""Speaks the interface: connections, decoding, pacing. Knows nothing of orders as a trader sees them."""
