"""Command line: the grammar of a line, and what the line would do and send by the rows of the desk."""
