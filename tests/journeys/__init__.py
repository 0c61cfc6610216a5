"""Tasks of a trader, each passed in every way to use the desk."""
