"""The pictures of screenshots/: taken of the whole program on a paper venue of a fixed seed, in virtual time."""
