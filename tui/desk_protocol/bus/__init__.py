"""Carrier of the protocol over a NATS server, for traders on several machines; needs the extra `desk`."""
