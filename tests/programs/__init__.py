"""Programs in Python: what they read is what the desk holds, exact, current, and nothing can be sent."""
