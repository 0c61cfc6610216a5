"""Time limits that know how busy the machine is."""

from __future__ import annotations

import os
from pathlib import Path


def limit(seconds: float) -> float:
    """A limit that holds on an idle machine, as long again for each further process that waits for a core, s."""
    fields = Path("/proc/loadavg").read_text().split() if Path("/proc/loadavg").exists() else []
    running = float(fields[3].partition("/")[0]) if fields else 0.0
    return seconds * max(1.0, running, os.getloadavg()[0])
