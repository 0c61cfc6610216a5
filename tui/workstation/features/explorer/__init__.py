"""Explorer: every REST endpoint, its parameters as a form, its answer as a table or as JSON."""
