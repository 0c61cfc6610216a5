"""Tickets, forms and questions: what stands on them is what leaves, and what the venue reports afterwards."""
