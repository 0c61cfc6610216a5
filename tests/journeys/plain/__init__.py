"""Twenty tasks of a trader pass as lines alone, in a terminal and through a pipe; nothing is confirmed by accident."""
