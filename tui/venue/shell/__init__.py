"""Shell around the exchange: authentication, REST, streams, durability, control line."""
