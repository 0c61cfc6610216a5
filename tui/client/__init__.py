"""Client of the service: connections, decoding, rate limits. It has no notion of an order's life cycle."""
