"""What stands of the money beside trading: accounts, transfers, deposits, withdrawals."""
