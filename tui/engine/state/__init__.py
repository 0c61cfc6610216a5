"""State of the engine: account records, quotes, reference data, orders and fills."""
