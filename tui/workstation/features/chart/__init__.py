"""Chart of the open pair."""
