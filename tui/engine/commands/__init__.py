"""REST commands other than plain orders: transfers, loans, settings, algo orders, portfolios and API keys."""
