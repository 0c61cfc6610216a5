"""The language both sides speak: records, enums, endpoints, signing, decimals, error codes. No I/O, no clock."""
