"""Public trades of the open pair."""
