"""Language of both sides: records, enums, endpoints, signing, decimals, error codes. No I/O, no clock."""
