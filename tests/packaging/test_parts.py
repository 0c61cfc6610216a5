"""The list of parts (SBOM) names what the lock of the program pins, with the same hashes, and nothing else."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.packaging.parts import Parts, differences, read_lock, read_parts
from tests.terminal.terminal import TOP

LOCK = TOP / "packaging" / "run.lock"
MADE = "dist/crossdesk.cdx.json"


def listed(lock: Parts) -> str:
    """A list of parts with all that a lock pins."""
    components = []
    for pinned, hashes in lock.items():
        name, _, version = pinned.partition("==")
        place = {"hashes": [{"alg": "SHA-256", "content": one} for one in sorted(hashes)]}
        components.append({"name": name, "version": version, "externalReferences": [place]})
    return json.dumps({"components": components})


def test_every_line_of_the_lock_file_is_read_for_the_build() -> None:
    lock, text = read_lock(LOCK), LOCK.read_text()
    assert len(lock) == text.count("==") > 20
    assert sum(map(len, lock.values())) == text.count("--hash=sha256:") and all(lock.values())


@pytest.mark.parametrize("change", ["nothing", "part missing", "part more", "version", "hash missing"])
def test_differences_of_a_parts_list_from_the_lock_are_found(tmp_path: Path, change: str) -> None:
    lock = read_lock(LOCK)
    first = next(iter(lock))
    told = dict(lock)
    wrong = {"part more": ["left-pad==1.0"], "version": sorted([first, f"{first}9"])}.get(change, [first])
    if change != "nothing":
        hashes = told.pop(first)
        told |= {"part more": {first: hashes, "left-pad==1.0": hashes}, "version": {f"{first}9": hashes}}.get(
            change, {}
        )
        told |= {first: hashes - {min(hashes)}} if change == "hash missing" else {}
    path = tmp_path / "parts.json"
    path.write_text(listed(told))
    assert differences(read_parts(path), lock) == ([] if change == "nothing" else wrong)


@pytest.mark.skipif(importlib.util.find_spec("cyclonedx_py") is None, reason="pip install -r packaging/tools.lock")
def test_the_build_makes_a_parts_list_equal_to_the_lock_file(tmp_path: Path) -> None:
    build = (TOP / "packaging" / "build.sh").read_text()
    command = re.search(r'^"\$bin/python" ((?:[^\n]*\\\n)*[^\n]*cdx\.json)$', build, re.MULTILINE)
    assert command is not None and "cyclonedx_py" in command[1] and command[1].count(MADE) == 1
    made = tmp_path / "parts.json"
    words = f'"$python" {command[1].replace(MADE, str(made))}'
    subprocess.run(["sh", "-c", words], cwd=TOP, check=True, env={**os.environ, "python": sys.executable})
    assert differences(read_parts(made), read_lock(LOCK)) == []
