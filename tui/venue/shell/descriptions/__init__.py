"""Machine-readable descriptions of the venue's API (OpenAPI, AsyncAPI), built from the endpoint catalogue."""
