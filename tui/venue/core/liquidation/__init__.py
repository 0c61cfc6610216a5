"""Liquidation of accounts at risk: cancel orders, reduce and close positions, take them over, deleverage holders."""
