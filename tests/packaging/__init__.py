"""Ways to install: the tutorial of the README works as written from the wheel, from an installer and from the one file."""
