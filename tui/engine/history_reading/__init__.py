"""Reading of the history over REST when the trader asks for it."""
