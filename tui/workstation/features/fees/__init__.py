"""Fees: the screen of schedules, groups, sub portfolios and settlements, and the form of an add-point."""
