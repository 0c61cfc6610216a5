"""A walk over the catalogue: every served row valid, unsigned, with keys it refuses, and with each parameter wrong.

What the documents say of fields and types is data (`documents.json`), compared with them by hand once; a row that says
more, less or something else than stands there fails. `python -m tests.venue.walk` prints what the venue answers now, to be
compared with the documents before it is put into the file.
"""
