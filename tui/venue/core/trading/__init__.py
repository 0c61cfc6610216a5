"""Orders: books, checks, matching, replaces and cancels, algo orders, closing."""
