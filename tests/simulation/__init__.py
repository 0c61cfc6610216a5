"""Client, engine and venue together in virtual time keep every promise under each fault."""
