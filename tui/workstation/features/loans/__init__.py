"""Borrowing: loans and margin debts, and the forms that borrow and repay."""
