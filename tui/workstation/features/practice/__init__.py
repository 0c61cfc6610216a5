"""Practice: injects faults into the paper venue, chosen from a list."""
