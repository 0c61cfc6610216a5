"""Words that people look for, and the pages of which the search must name one in its first results."""

from __future__ import annotations

WORDS: dict[str, tuple[str, ...]] = {
    "stop": ("guide/protecting-a-position",),
    "cancel": ("guide/orders",),
    "leverage": ("guide/positions-and-margin",),
    "funding": ("guide/positions-and-margin",),
    "kill": ("guide/protecting-a-position",),
    "unknown": ("concepts/unknown",),
    "position": ("guide/positions-and-margin",),
    "replace": ("guide/orders",),
    "arm": ("guide/orders", "guide/first-trade"),
    "hot": ("guide/first-trade",),
    "keymap": ("reference/keymaps",),
    "theme": ("reference/themes",),
    "ladder": ("guide/ladder-and-chart",),
    "chart": ("guide/ladder-and-chart",),
    "export": ("guide/history-and-reports",),
    "journal": ("concepts/journal",),
    "api key": ("guide/portfolios-and-keys", "guide/connecting-a-service"),
    "withdraw": ("guide/funds",),
    "liquidation": ("guide/positions-and-margin",),
    "install": ("guide/installing",),
}
"""The first page of a word is the right one; a second is as good."""
