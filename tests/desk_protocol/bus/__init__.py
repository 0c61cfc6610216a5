"""Desks, programs and gateways over a NATS server."""
