"""Clients that know the documents alone: each part of the interface, its limits and its refusals."""
