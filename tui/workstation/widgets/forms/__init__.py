"""Forms over the lists: fields one below the other, each with what it means; judged while one types, sent by one key."""
