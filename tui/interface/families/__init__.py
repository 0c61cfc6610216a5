"""One file per family: enums, records and endpoint rows together."""
