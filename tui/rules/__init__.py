"""Trading arithmetic as pure functions: the venue decides with it, the workstation previews with it.

Some functions (inverse contracts, isolated margin, other queue models) have no caller yet: they are the documented rules of
the service that the vectors in `tests/rules/vectors.json` prove.
"""
