"""Execution of order intents, from the gate to the outcome of the reply."""
