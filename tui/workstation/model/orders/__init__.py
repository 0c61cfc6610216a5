"""Own orders on the screen: an index of those that work, the reason a state has, and the place in the queue."""
