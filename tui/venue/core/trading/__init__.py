"""Trading: order checks, matching, replaces and cancels, algo orders, closing of positions."""
