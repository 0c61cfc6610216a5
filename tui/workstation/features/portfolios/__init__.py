"""The screen of the portfolios and their API keys, with its forms, and the dialog that shows a secret once."""
