"""Rooms, import directions, style, types, documents and the checklist of security follow their rules."""
