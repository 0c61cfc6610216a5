"""REST: router, request models, pages, and the handlers of the endpoints."""
