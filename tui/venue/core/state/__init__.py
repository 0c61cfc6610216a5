"""State of the exchange: orders, positions, ledger, archived rows; which rows are stored, and when they leave memory."""
