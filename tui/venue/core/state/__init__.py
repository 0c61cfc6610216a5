"""What the exchange holds: orders, positions, ledger, and what has left memory; how it ages and is made durable."""
