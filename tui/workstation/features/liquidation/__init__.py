"""Liquidation screen: the steps of a liquidation in order, and the account's changes."""
