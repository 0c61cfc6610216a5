"""Accounts of portfolios: figures, settings, keys, loans, fees, funding and statements."""
