"""Preview of a ticket: what its order would do and cost, in words, before it is sent."""
