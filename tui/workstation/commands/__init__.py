"""Context, availability and outcome reports handed to the key handlers of every feature."""
