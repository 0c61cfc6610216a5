"""Forms over the lists: fields one below the other, checked while typing, sent by one key."""
