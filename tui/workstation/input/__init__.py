"""What keys mean: the action table, scopes, the keymap, and the guard against key accidents."""
