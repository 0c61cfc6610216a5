"""Trading arithmetic as pure functions: the venue decides with it, the workstation previews with it.

`sizes.sweep` has no caller yet: it is a documented rule of the service that the vectors in `tests/rules/vectors.json` prove.
"""
