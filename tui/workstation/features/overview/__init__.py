"""Overview screen of all accounts: the user's assets by account, venue and coin."""
