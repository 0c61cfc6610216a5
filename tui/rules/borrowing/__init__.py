"""Borrowed coins: debts from margin orders, and portfolio loans."""
