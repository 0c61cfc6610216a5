"""Endpoint families, one file each with its enums, records and endpoint rows."""
