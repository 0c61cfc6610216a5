"""Funds: balances outside trading, and the forms that move money."""
