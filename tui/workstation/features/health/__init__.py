"""Health of the connection: links, delays of quotes and orders, and the used part of the request limits."""
