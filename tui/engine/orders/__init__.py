"""Order handling from intent to reply: checks, gate, execution, and resolution of UNKNOWN orders."""
