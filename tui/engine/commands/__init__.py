"""Commands beside orders: transfers, loans, settings, algo orders, portfolios and keys."""
