"""Bus of a gateway and of its traders as the command line sets it up."""
