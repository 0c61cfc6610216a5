"""Accounts, portfolios, fees, funding and loans: what a row says, what it is charged, and that it lasts."""
