"""Commands of the command line, one file each, imported only when the command runs."""
