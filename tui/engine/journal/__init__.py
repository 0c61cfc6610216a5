"""Durable journal of intents, requests and replies."""
