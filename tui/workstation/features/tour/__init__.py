"""Tour: seven steps on the paper venue, each done by the trader's own keys and seen on the desk."""
