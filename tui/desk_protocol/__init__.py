"""Protocol between an engine and desks, programs and agents of other processes: messages, server, client."""
