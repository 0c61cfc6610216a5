"""Liquidation screen: steps in their order, the course of an event, and its changes."""
