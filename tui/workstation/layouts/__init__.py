"""Layouts: which pane stands where, as data, and the rectangles that follow from a size."""
