"""The other end: a paper venue that speaks the service's own interface."""
