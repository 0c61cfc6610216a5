"""What goes wrong around the program: bad input, hostile services, secrets, dead processes, terminals that stand still."""
