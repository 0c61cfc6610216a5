"""Keys that belong to no feature: panes, lists, fields, boxes, questions, palette."""
