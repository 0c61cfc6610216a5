"""One file per command of the command line; each is imported when it is called."""
