"""Borrowed coins: debts of margin orders, and portfolio loans."""
