"""Prices and participants: pairs, agents, marks, funding, candles, recordings."""
