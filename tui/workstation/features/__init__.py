"""Features of the desk, one folder each; a feature never imports another one."""
