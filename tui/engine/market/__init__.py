"""Price bars of earlier times: the file of the desk, and those that a venue offers."""
