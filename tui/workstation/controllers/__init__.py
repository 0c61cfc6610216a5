"""Handlers of keys, one file per group of actions."""
