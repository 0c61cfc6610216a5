"""Random commands against independent models: what must hold after every event does."""
