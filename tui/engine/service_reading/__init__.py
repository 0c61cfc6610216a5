"""Reading of service lists and records for screens."""
