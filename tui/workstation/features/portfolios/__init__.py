"""Portfolios and their API keys: lists, forms, and the dialog that shows a secret once."""
