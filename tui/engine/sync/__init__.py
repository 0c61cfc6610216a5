"""Synchronization with the service: snapshots, pushes, audits, and the orders of earlier sessions."""
