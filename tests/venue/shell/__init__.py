"""The server: REST, streams, limits and errors, asked by clients that know the documents alone."""
