"""Screens with lists that are read from the service when opened: tabs, pages, totals and export."""
