"""Liquidation of accounts at risk: cancel, reduce, close, take over, deleverage."""
