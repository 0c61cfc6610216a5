"""The durable record of intents, sends and replies."""
