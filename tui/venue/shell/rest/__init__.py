"""REST side of the venue: router, request models, paging, endpoint handlers."""
