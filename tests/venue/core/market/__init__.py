"""The market: agents, marks, bars, and a recording that is traded against."""
