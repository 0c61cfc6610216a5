"""Nothing animates, and nobody's own settings are read."""

from __future__ import annotations

import os

os.environ["TEXTUAL_ANIMATIONS"] = "none"
