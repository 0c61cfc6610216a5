"""Connecting a service: a form that tests each step and writes a profile."""
