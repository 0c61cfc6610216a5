"""Public stream: quotes, mark prices and slow figures of the watched pairs."""
