"""Panes, tickets, keys and questions on a scripted engine: what is shown is so, what is pressed is meant."""
