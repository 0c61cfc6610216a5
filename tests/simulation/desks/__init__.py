"""Windows and programs that are attached to the desk of a simulated day, and what befalls their links."""
