"""What must be in the environment before textual is imported; imported first by every module that starts the screen."""

from __future__ import annotations

import os

os.environ.setdefault("TEXTUAL_FPS", "240")
