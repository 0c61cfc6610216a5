"""The arithmetic meets reference cases and properties, and both ends compute the same."""
