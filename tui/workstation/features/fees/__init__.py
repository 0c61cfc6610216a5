"""Fees: schedules, groups, sub portfolios and settlements, and the form that adds a markup."""
