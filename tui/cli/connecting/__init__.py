"""Connecting to a service: its test step by step, and the profile that is written after it."""
