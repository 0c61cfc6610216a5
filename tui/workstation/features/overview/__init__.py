"""All accounts: assets of the user by account, venue and coin."""
