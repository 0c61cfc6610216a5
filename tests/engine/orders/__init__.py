"""Guards, the table of orders and every answer of the service: what leaves, what it means, what is asked about again."""
