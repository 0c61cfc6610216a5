"""Trading arithmetic as pure functions, used by the venue to decide and by the workstation to preview.

Some functions (inverse contracts, isolated margin, other queue models) have no caller yet: they are the documented rules of
the service that the vectors in `tests/rules/vectors.json` prove.
"""
