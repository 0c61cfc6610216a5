"""Events pane, and the screen with all events of the session."""
