"""Reading of any row of the catalogue when a screen asks for it."""
