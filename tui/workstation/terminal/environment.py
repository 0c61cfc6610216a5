"""Environment variables that must be set before Textual is imported; imported first by modules that start the
screen."""

from __future__ import annotations

import os

os.environ.setdefault("TEXTUAL_FPS", "240")
