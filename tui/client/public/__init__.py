"""Public stream: quotes, mark prices, tickers and open interest of the watched pairs."""
