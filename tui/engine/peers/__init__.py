"""Requests of programs of other processes: orders that they propose, and mandates within which they send."""
