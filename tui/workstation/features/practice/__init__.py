"""Practice at the paper venue: what can be let go wrong, as a list of switches."""
