"""Panes of the desk: ages, order, columns, sums, and warnings that stay."""
