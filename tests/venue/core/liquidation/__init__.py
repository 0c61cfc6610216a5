"""Accounts at risk: the ladder, its orders, its restart, and loans at their last rung."""
