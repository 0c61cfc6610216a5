"""The screen of everything a user holds: by account, venue and coin, over portfolios and the accounts beside them."""
