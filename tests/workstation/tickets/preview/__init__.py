"""Previews of tickets: their figures are those of the order that is sent, at every size of the screen."""
