"""Order ticket: its panel, from the first key to the intent that is sent."""
