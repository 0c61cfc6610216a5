"""Commands about money, loans, fees, portfolios and settings: sent once, and proved by what the service lists."""
