"""Alerts: when a condition tells, when it stays silent, and that alerts survive a restart."""
