"""Read-only web page of a desk, for a second monitor or a phone."""
