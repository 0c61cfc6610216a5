"""API descriptions as files: `openapi`, `asyncapi`."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from tui.venue.shell.descriptions.asyncapi import describe_streams
from tui.venue.shell.descriptions.openapi import describe_rest

DESCRIPTIONS: Mapping[str, Callable[[str], dict[str, Any]]] = {"openapi": describe_rest, "asyncapi": describe_streams}
"""Builder by name; each takes host and port, or an empty text for any port of this machine."""


@lru_cache(maxsize=8)
def write_description(name: str, host: str = "") -> bytes:
    """Encode an API description as JSON, as it is served and stored in `docs/`."""
    return json.dumps(DESCRIPTIONS[name](host), indent=1).encode() + b"\n"
