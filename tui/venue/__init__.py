"""Paper venue: a local service that speaks the interface of the real one."""
