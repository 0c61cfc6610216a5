"""Trading core: takes intents and publishes state, on its own thread and event loop. Imports no user interface."""
