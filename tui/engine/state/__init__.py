"""State of the engine: tables of facts, quotes, reference data, orders and fills."""
