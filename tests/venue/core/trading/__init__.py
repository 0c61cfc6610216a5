"""Orders from their checks to their fills: matching, changes, protection, closing, delisting."""
