"""State of the money outside of trading: accounts, transfers, deposits, withdrawals."""
