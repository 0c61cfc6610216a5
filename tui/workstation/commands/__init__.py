"""Context, availability and outcome reports for the key handlers of all features."""
