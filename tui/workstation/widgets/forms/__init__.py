"""Forms over the lists: fields one below the other, validated while typing, sent by one key."""
