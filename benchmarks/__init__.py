"""Measurements of crossdesk, run by `crossdesk bench` in a source checkout."""

BENCHMARKS = {
    "tape": "The synthetic market beside a recorded one: rates, gaps, sizes, moves.",
}
"""Module of this folder with a click command called `command`, and its line of help."""
