"""From what a trader asks for to the wire and back: checks, the gate, execution, and the table of orders."""
