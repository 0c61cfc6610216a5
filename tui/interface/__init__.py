"""API definitions shared by client and venue: records, enums, endpoints, signing, decimals, error codes. No I/O."""
