"""The trading core: intents in, facts out, on its own thread and loop. Imports nothing that draws."""
