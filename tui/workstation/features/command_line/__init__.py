"""Command line of the desk: a line is parsed while it is typed, shown as what it would do, and carried out by Enter."""
