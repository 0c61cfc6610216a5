"""The web page of a desk: who reads it, what it sends, that it changes nothing, and what a browser makes of it."""
