"""Watchlists: named lists of quoted pairs."""
