"""Screens and keyboard of the desk; the only room that imports Textual."""
