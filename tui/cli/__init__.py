"""Command line: one small file per command; the only package that connects all the other packages."""
