"""Fees: schedules, groups, sub portfolios and settlements, and the form that sets a markup."""
