"""Events pane, and the screen of all events of the session."""
