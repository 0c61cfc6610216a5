"""One subject each by keyboard against a running venue: what the screen says is what the venue has."""
