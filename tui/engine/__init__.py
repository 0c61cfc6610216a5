"""Trading core: takes intents, publishes facts, on its own thread and loop. Imports nothing that draws."""
