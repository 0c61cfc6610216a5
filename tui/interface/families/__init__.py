"""Endpoint families, one module each with enums, records, requests and endpoint definitions."""
