"""Tools of agents: they read everything, propose through the one road, and send nothing, whatever is called."""
