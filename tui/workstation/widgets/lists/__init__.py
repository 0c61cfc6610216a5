"""Screens of lists that are read of the service when they are looked at: tabs, pages, sums, a file."""
