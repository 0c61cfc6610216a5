"""Explorer: every endpoint of the interface, its parameters as a form, its answer as a table or as JSON."""
