"""Reader of service lists and records for the screens."""
