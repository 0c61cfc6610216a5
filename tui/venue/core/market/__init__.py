"""Market of the simulated venue: pairs, order books, mark prices, candles."""
