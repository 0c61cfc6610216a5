"""Command line: which rows a line means, what it would send, and what is asked before it leaves."""
