"""Features of the desk, one folder each; no feature imports another one."""
