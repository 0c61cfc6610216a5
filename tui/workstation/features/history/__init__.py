"""History: its query, lists, form and keys."""
