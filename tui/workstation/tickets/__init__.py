"""Order ticket: from a key to a prepared intent (staged line, form, replace)."""
