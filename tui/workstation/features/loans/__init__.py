"""Borrowing: the screen of loans and margin debts with their lists, and the forms that borrow and repay."""
