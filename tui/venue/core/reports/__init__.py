"""What can be asked of the exchange: queries, statements, and rows that have left memory."""
