"""Money that moves: transfers, deposits, withdrawals and custody; nothing is made or lost."""
