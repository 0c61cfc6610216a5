"""Processes that are killed and files that are damaged lose nothing that was acknowledged."""
