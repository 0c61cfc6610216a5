"""Other windows and programs: they see what the desk sees, send through its one gate, once, and harm nobody."""
