"""State of the exchange: orders, positions, ledger and archived rows; its aging and its durable rows."""
