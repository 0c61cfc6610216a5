"""Cells on the terminal: which are written, in how many bytes, at which size, and whether the terminal reads them."""
