"""Screens beside the desk: what is read, when, and in which words it is refused."""
