"""State of money outside trading: accounts, transfers, deposits, withdrawals."""
