"""Leverage and position mode: keys, form and forecast."""
