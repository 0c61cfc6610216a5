"""Descriptions of the venue for other programs, made from the catalogue and the channels."""
