"""No input, whatever its form, ends a connection, a venue or a screen."""
