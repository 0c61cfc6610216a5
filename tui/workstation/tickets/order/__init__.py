"""Order in preparation: terms, size, protections, checks, and the forecast of its fill; nothing of the screen."""
