"""The table of live data: columns, filter, order, selection, drawing."""
