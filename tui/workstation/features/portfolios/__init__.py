"""Portfolios and their API keys, their forms, and the dialog that shows a secret once."""
