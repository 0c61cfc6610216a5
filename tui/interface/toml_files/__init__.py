"""Files of people, in TOML: what is wrong with a value, and where."""
