"""Environment variables that must be set before Textual is imported; import this module first."""

from __future__ import annotations

import os

os.environ.setdefault("TEXTUAL_FPS", "240")
