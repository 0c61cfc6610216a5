"""Life of the engine: its thread, what runs on it, and its tables as several readers see them."""
