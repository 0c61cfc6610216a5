"""Tools of agents: what a model may read of the desk, and orders that it may propose."""
