"""REST: checks in their order, lists, histories, archives, and how many calls a key has."""
