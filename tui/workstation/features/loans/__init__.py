"""Borrowing: loans and margin debts, and the form that borrows and repays."""
