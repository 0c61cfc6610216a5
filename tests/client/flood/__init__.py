"""Bursts of quotes on one public connection: what is dropped, and that nothing else is."""
