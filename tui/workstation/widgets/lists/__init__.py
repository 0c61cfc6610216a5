"""Screens of lists read from the service when they are opened: tabs, pages, sums and export."""
