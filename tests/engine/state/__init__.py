"""Facts about the account and the market: how they fold, and what the screen is told of them."""
