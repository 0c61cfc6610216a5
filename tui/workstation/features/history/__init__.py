"""History screen: its query, lists, form and keys."""
