"""Changes of the code that money depends on, and whether a test notices (run by hand)."""
