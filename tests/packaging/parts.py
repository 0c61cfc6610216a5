"""The list of parts (SBOM) and the lock that it is made from, compared."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TypeAlias

Parts: TypeAlias = dict[str, frozenset[str]]
"""Name and version, as a lock writes them -> SHA-256 of each file that may be installed."""

_PINNED = re.compile(r"^([^\s=]+==[^\s;]+)[^\n]*\n((?:    --hash=\S+(?: \\)?\n)*)", re.MULTILINE)


def read_lock(path: Path) -> Parts:
    """Read what a lock pins, and the hashes that it accepts."""
    pinned = _PINNED.findall(path.read_text().rstrip("\n") + "\n")
    return {name: frozenset(re.findall(r"sha256:(\w+)", hashes)) for name, hashes in pinned}


def read_parts(path: Path) -> Parts:
    """Read what a list of parts in CycloneDX names."""
    found: Parts = {}
    for part in json.loads(path.read_text())["components"]:
        hashes = [one for place in part.get("externalReferences", []) for one in place.get("hashes", [])]
        found[f"{part['name']}=={part['version']}"] = frozenset(
            one["content"] for one in hashes if one["alg"] == "SHA-256"
        )
    return found


def differences(parts: Parts, lock: Parts) -> list[str]:
    """Name the parts that only one of both has, or whose hashes differ."""
    return sorted(name for name in parts.keys() | lock.keys() if parts.get(name) != lock.get(name))
