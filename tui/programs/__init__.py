"""Python programs on a desk: what `from crossdesk import connect` gives."""
