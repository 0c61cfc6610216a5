"""Sign and colour role of an event by its level."""

from __future__ import annotations

from tui.engine.rows import Level

SIGNS = {Level.INFO: "·", Level.GOOD: "+", Level.WARN: "!", Level.ALERT: "!!"}
ROLES = {Level.INFO: "text", Level.GOOD: "good", Level.WARN: "warn", Level.ALERT: "alert"}
PAST_ROLES = {Level.INFO: "dim", Level.GOOD: "dim", Level.WARN: "warn", Level.ALERT: "alert"}
"""Roles of what is no news any more; a warning keeps its colour."""
