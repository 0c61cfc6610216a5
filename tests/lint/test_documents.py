"""What the documents say about the code is drawn from the code."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

from tests.lint import rooms

TOP = rooms.TOP


def test_the_map_shows_the_rooms_and_arrows_of_the_code() -> None:
    shown = rooms.MAP.read_text().split(rooms.BEGIN)[1].split(rooms.END)[0].strip()
    assert shown == rooms.drawing()


def test_the_arrows_are_those_of_the_house() -> None:
    allowed = {
        "interface": set(),
        "rules": {"interface"},
        "seams": set(),
        "paths": set(),
        "host": {"seams"},
        "client": {"rules", "interface", "seams"},
        "engine": {"client", "rules", "interface", "seams"},
        "workstation": {"engine", "rules", "interface", "seams", "paths"},
        "venue.core": {"rules", "interface", "seams"},
        "venue.shell": {"venue.core", "rules", "interface", "seams"},
        "settings": {"engine", "client", "workstation", "interface"},
    }
    for room, targets in rooms.arrows().items():
        if room != "cli":
            assert targets <= allowed[room], room


def test_the_readme_shows_the_keys_of_the_action_table() -> None:
    from tui.workstation.actions import key_table_markdown

    assert key_table_markdown().strip() in (TOP / "README.md").read_text()


def test_direct_dependencies_are_listed_in_the_map() -> None:
    project = tomllib.loads((TOP / "pyproject.toml").read_text())["project"]
    text = rooms.MAP.read_text()
    for requirement in project["dependencies"]:
        name = re.split(r"[<>=\[]", requirement)[0]
        assert f"`{name}`" in text, name


def test_the_lock_names_no_package_index_and_pins_every_dependency_with_hashes() -> None:
    lock = (TOP / "requirements.lock").read_text()
    assert "://" not in lock
    assert "index" not in lock
    pinned = set(re.findall(r"^([a-z0-9-]+)==", lock, re.MULTILINE))
    project = tomllib.loads((TOP / "pyproject.toml").read_text())
    wanted = project["project"]["dependencies"] + project["dependency-groups"]["dev"]
    for requirement in wanted:
        assert re.split(r"[<>=\[]", requirement)[0].lower() in pinned, requirement
    assert lock.count("--hash=sha256:") > len(pinned)


def _tracked() -> list[Path]:
    listing = subprocess.run(["git", "ls-files"], cwd=TOP, capture_output=True, text=True, check=False).stdout.split(
        "\n"
    )
    files = [TOP / name for name in listing if name]
    return [path for path in files if path.is_file() and path.suffix not in (".png", ".svg", ".lock")]


def test_no_invisible_characters_and_no_private_keys_in_the_repository() -> None:
    hidden = re.compile("[\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
    for path in _tracked():
        text = path.read_text(errors="replace")
        assert not hidden.search(text), path
        assert "PRIVATE " + "KEY-----" not in text, path


def test_the_product_names_no_path_outside_itself() -> None:
    outside = re.compile(r"\.\./shared|/wo" + r"rk/|/fa" + r"rm/")
    for path in _tracked():
        assert not outside.search(path.read_text(errors="replace")), path
