"""Practice: faults of the paper venue, as a list of switches."""
