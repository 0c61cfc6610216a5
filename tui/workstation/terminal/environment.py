"""Environment variables that must be set before Textual is imported; import this module first."""

from __future__ import annotations

import os

os.environ.setdefault("TEXTUAL_FPS", "240")

if not os.environ.get("NO_COLOR"):
    os.environ.pop("NO_COLOR", None)  # an empty one asks for nothing, but Textual takes it for a wish for greys
