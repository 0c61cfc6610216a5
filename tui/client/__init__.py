"""Client of the interface: connections, decoding, rate limits. Knows nothing of orders as a trader sees them."""
