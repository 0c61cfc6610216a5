"""What the documents say about the code is drawn from the code."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest

from tests.lint import rooms, security
from tests.mutation.__main__ import SUBJECTS
from tests.simulation.faults import DEFECTS, FAULTS, LINK_FAULTS

TOP = rooms.TOP


GROUND = {"crossdesk_error"}
"""Rooms that all others may import."""


def test_architecture_page_shows_the_package_imports_of_the_code() -> None:
    shown = rooms.MAP.read_text().split(rooms.BEGIN)[1].split(rooms.END)[0].strip()
    assert shown == rooms.drawing()


def _map_prose() -> str:
    """Return the map without what is drawn from the code."""
    text = rooms.MAP.read_text()
    return text.split(rooms.BEGIN)[0] + text.split(rooms.END)[1]


def _pages() -> dict[str, str]:
    """Return the map and the design pages, by name."""
    return {"map": _map_prose(), **{path.name: path.read_text() for path in sorted(rooms.DESIGN.glob("*.md"))}}


PAGES = tuple(_pages())


def test_architecture_and_design_pages_stay_short() -> None:
    assert rooms.MAP.stat().st_size <= 12_500
    assert {path.name: size for path in rooms.DESIGN.glob("*.md") if (size := path.stat().st_size) > 9_000} == {}


@pytest.mark.parametrize("page", PAGES)
def test_files_named_in_the_architecture_pages_exist(page: str) -> None:
    text = _pages()[page]
    named = re.findall(r"`(\.?[\w-]+(?:/[\w.*-]+)*(?:\.(?:py|md|toml|csv|json|txt)|/))`", text)
    named += [f"docs/{name}" for name in re.findall(r"\]\((?:\.\./)+docs/([\w./-]+)\)", text)]
    named += [f"docs/design/{name}" for name in re.findall(r"\]\(([\w-]+\.md)\)", text)]
    tops = (TOP, TOP / "tui")
    assert [name for name in named if not any(next(top.glob(name), None) for top in tops)] == []


@pytest.mark.parametrize("page", PAGES)
def test_names_in_the_architecture_pages_exist_in_the_code(page: str) -> None:
    """Classes (`PushHandler`; in a flow also `Gate`), tables (`_RECORDS`), functions (`_dispatch`), `Gate.recheck`."""
    text = _pages()[page]
    flow = "\n".join(re.findall(r"^    .+$", text, re.MULTILINE))
    named = set(re.findall(r"\b[A-Z]\w*[a-z]\w*\b", flow))
    quoted = re.findall(r"`([A-Za-z_.]+)`", text)
    named.update(
        re.findall(r"\b(?:[A-Z][a-z]+){2,}\b|\b_?[A-Z]+_[A-Z_]+\b|\b_[A-Z]+\b|\b_[a-z][a-z_]+\b", " ".join(quoted))
    )
    assert sorted(named - _defined() - {"MARGIN_CALL", "CANCEL_OPEN", "CANCEL_ALL"}) == []
    members = {found.groups() for word in quoted if (found := re.fullmatch(r"([A-Z]\w*[a-z]\w*)\.(\w+)", word))}
    assert sorted(member for member in members if not _stands_in_class(*member)) == []


def test_every_design_page_is_listed_in_contents() -> None:
    pages = {path.stem for path in rooms.DESIGN.glob("*.md")} - {"index"}
    contents = (rooms.DESIGN / "index.md").read_text().split("```{toctree}")[1].split("```")[0]
    assert {line for line in contents.split() if not line.startswith(":")} - {"1"} == pages
    assert [page for page in pages if f"docs/design/{page}.md" not in rooms.MAP.read_text()] == []


def test_import_contract_covers_every_feature_folder() -> None:
    contracts = tomllib.loads((TOP / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    assert [one["modules"] for one in contracts if one["type"] == "independence"] == [["tui.workstation.features.*"]]
    loose = [path.name for path in (TOP / "tui" / "workstation" / "features").glob("*.py")]
    assert loose == ["__init__.py"], "a file beside the folders would count as a feature"


def _stands_in_class(owner: str, name: str) -> bool:
    """Tell whether a name stands behind the head of a class."""
    head = re.search(rf"\bclass {owner}\b", _source())
    return head is not None and re.compile(rf"\b{name}\b").search(_source(), head.end()) is not None


@cache
def _source() -> str:
    """Return all code of product and tests."""
    return "\n".join(path.read_text() for room in ("tui", "tests") for path in (TOP / room).rglob("*.py"))


@cache
def _defined() -> set[str]:
    """Return the names of classes, functions and tables."""
    found = re.findall(r"^ *(?:class|def|async def) (\w+)|^(\w+)(?::.+)? = ", _source(), re.MULTILINE)
    return {name for pair in found for name in pair}


def test_package_imports_are_the_allowed_ones() -> None:
    allowed = {
        "crossdesk_error": set(),
        "interface": set(),
        "rules": {"interface"},
        "protocols": set(),
        "paths": set(),
        "toml_errors": {"interface"},
        "private_files": set(),
        "host": {"private_files", "protocols"},
        "client": {"rules", "interface", "protocols"},
        "engine": {"client", "rules", "interface", "private_files", "protocols"},
        "desk_protocol": {"engine", "interface", "rules", "protocols", "private_files"},
        "programs": {"desk_protocol", "engine", "interface", "protocols"},
        "agents": {"programs", "desk_protocol", "interface", "protocols"},
        "page": {"programs", "desk_protocol", "interface", "protocols"},
        "workstation": {"engine", "rules", "interface", "protocols", "toml_errors"},
        "venue.core": {"rules", "interface", "protocols"},
        "venue.shell": {"venue.core", "rules", "interface", "private_files", "protocols"},
        "settings": {"engine", "workstation", "toml_errors"},
    }
    for room, targets in rooms.arrows().items():
        if room != "cli":
            assert targets - GROUND <= allowed[room], room


def test_s51_dependencies_are_listed_with_what_they_do() -> None:
    project = tomllib.loads((TOP / "pyproject.toml").read_text())["project"]
    text = (TOP / "CONTRIBUTING.md").read_text()
    for requirement in project["dependencies"]:
        name = re.split(r"[<>=\[]", requirement)[0]
        assert f"`{name}`" in text, name


def test_s48_lock_file_pins_every_dependency_with_hashes() -> None:
    project = tomllib.loads((TOP / "pyproject.toml").read_text())
    groups = project["dependency-groups"]
    for name, wanted in (
        ("requirements.lock", project["project"]["dependencies"] + groups["tools"]),
        ("requirements-data.lock", groups["data"]),
        ("requirements-desk.lock", groups["desk"]),
        ("requirements-agents.lock", groups["agents"]),
        ("requirements-docs.lock", groups["docs"]),
    ):
        lock = (TOP / name).read_text()
        assert "://" not in lock
        assert "index" not in lock
        for requirement in wanted:
            assert re.split(r"[<>=\[]", requirement)[0].lower() in _pinned(name), requirement
        assert lock.count("--hash=sha256:") > len(_pinned(name))
    assert groups["dev"] == [{"include-group": name} for name in ("tools", "data", "desk", "agents")]


def test_running_the_program_installs_no_packages_of_extras() -> None:
    project = tomllib.loads((TOP / "pyproject.toml").read_text())
    for extra in ("data", "desk", "agents"):
        assert project["project"]["optional-dependencies"][extra] == project["dependency-groups"][extra]
    assert not _pinned("requirements.lock") & (_pinned("requirements-data.lock") | _pinned("requirements-desk.lock"))
    assert "mcp" not in _pinned("requirements.lock")
    run = _versions("requirements.lock")
    for other in map(_versions, ("requirements-agents.lock", "requirements-docs.lock")):
        assert [name for name in run.keys() & other.keys() if run[name] != other[name]] == []
    commands = re.findall(r"^    python3 .+$", (TOP / "README.md").read_text(), re.MULTILINE)
    assert [re.findall(r"-r (\S+)", command) for command in commands] == [["requirements.lock"]] * 2


def _versions(lock: str) -> dict[str, str]:
    """Return the packages of a lock file and their versions."""
    return dict(re.findall(r"^([a-z0-9-]+)==([^ ;]+)", (TOP / lock).read_text(), re.MULTILINE))


def _pinned(lock: str) -> set[str]:
    """Return the packages of a lock file."""
    return set(_versions(lock))


def test_lock_file_has_what_an_editable_install_needs() -> None:
    """A contributor installs without an isolated build, so what the builder needs must be in the lock."""
    asked = subprocess.run(
        [sys.executable, "-c", "import hatchling.build as b; print(*b.get_requires_for_build_editable())"],
        cwd=TOP,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    assert asked
    assert {re.split(r"[~<>=\[]", requirement)[0].lower() for requirement in asked} <= _pinned("requirements.lock")


def _tracked() -> list[Path]:
    listing = subprocess.run(["git", "ls-files"], cwd=TOP, capture_output=True, text=True, check=False).stdout.split(
        "\n"
    )
    files = [TOP / name for name in listing if name]
    return [path for path in files if path.is_file() and path.suffix not in (".png", ".svg", ".lock")]


HIDDEN = re.compile("[\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
SECRETS = re.compile(
    "PRIVATE " + r"KEY-----|\b(?:AKIA|ASIA)[0-9A-Z]{16}\b|\bgh[pousr]_[A-Za-z0-9]{36}\b|\bxox[abprs]-[0-9A-Za-z-]{10,}"
    r"|\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.|(?i:api_?key|api_?secret|passw(?:or)?d|token)\W{1,4}[\"'][A-Za-z0-9+/_-]{32,}[\"']"
)
THROWAWAY = TOP / "tests" / "data" / "tls"
"""Keys of servers that only the tests know."""


def test_s55_the_repository_has_no_secrets_or_invisible_text() -> None:
    for path in _tracked():
        text = path.read_text(errors="replace")
        assert not HIDDEN.search(text), path
        if THROWAWAY not in path.parents:
            assert not SECRETS.search(text), path


@pytest.mark.parametrize(
    "text",
    [
        "-----BEGIN EC PRIVATE " + "KEY-----",
        "AKIA" + "Q" * 16,
        "ghp_" + "a1" * 18,
        'api_secret = "' + "k3" * 20 + '"',
        "API_KEY: '" + "9f" * 16 + "'",
    ],
)
def test_s55_the_secret_search_finds_secrets(text: str) -> None:
    assert SECRETS.search(text)


def test_s49_the_build_ignores_releases_of_the_last_three_days() -> None:
    waits = tomllib.loads((TOP / "pyproject.toml").read_text())["tool"]["uv"]["exclude-newer"]
    days = re.fullmatch(r"(\d+) days", waits)
    assert days is not None
    assert int(days[1]) >= 3


def test_s56_security_policy_names_contact_and_threats() -> None:
    text = (TOP / "SECURITY.md").read_text()
    for words in ("security advisories", "newest release is supported", "days", "| Threat |", "does not defend"):
        assert words in text, words


def test_security_checklist_matches_the_tests() -> None:
    held = security.tests()
    assert set(held) <= set(security.CHECKS), "a test names a check that is not on the list"
    assert [check for check in security.CHECKS if check not in held and check not in security.UNTESTED] == []
    assert [check for check in security.UNTESTED if check in held] == [], "a reason for nothing"
    assert security.DOCUMENT.read_text() == security.document(), "python -m tests.lint.security --write"


def test_s54_wheel_and_source_archive_builds_are_reproducible(tmp_path: Path) -> None:
    """Built from copies made at different times, in the same second of the archive's own clock."""
    made = []
    for number in (1, 2):
        copy = tmp_path / f"copy{number}"
        shutil.copytree(TOP / "tui", copy / "tui", ignore=shutil.ignore_patterns("__pycache__"))
        for name in ("themes", "keymaps"):
            shutil.copytree(TOP / name, copy / name)
        for name in ("pyproject.toml", "README.md", "LICENSE"):
            shutil.copy(TOP / name, copy / name)
        for path in (copy / "tui").rglob("*.py"):
            os.utime(path, (number * 10**8, number * 10**8))
        out = tmp_path / f"out{number}"
        subprocess.run(
            [sys.executable, "-m", "hatchling", "build", "-d", str(out)],
            cwd=copy,
            env={**os.environ, "SOURCE_DATE_EPOCH": "1700000000"},
            capture_output=True,
            check=True,
        )
        made.append({path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(out.iterdir())})
    assert len(made[0]) == 2
    assert made[0] == made[1]


def test_sources_name_no_path_outside_the_project() -> None:
    outside = re.compile(r"\.\./shared|/wo" + r"rk/|/fa" + r"rm/")
    for path in _tracked():
        assert not outside.search(path.read_text(errors="replace")), path


def _numbers_page() -> dict[str, str]:
    """What the page of numbers says about each."""
    page = (TOP / "docs" / "numbers.md").read_text()
    return dict(re.findall(r"^\| ([A-Z]+-?[0-9]+[a-z0-9]*) \| (.+) \|$", page, re.MULTILINE))


def test_numbers_in_test_names_are_explained_in_the_documents() -> None:
    explained = {*_numbers_page(), *security.CHECKS, *FAULTS, *LINK_FAULTS, *DEFECTS}
    unexplained = []
    for file in sorted((TOP / "tests").rglob("test_*.py")):
        for name in re.findall(r"def test_((?:[a-z][0-9]+_)+)", file.read_text()):
            numbers = [re.sub(r"^F([0-9])$", r"F0\1", part.upper()) for part in name.strip("_").split("_")]
            unexplained += [f"{file.name}: {number}" for number in numbers if number not in explained]
    assert unexplained == []


def test_numbers_page_lists_every_reference_case() -> None:
    cases = json.loads((TOP / "tests" / "rules" / "vectors.json").read_text())["cases"]
    page = _numbers_page()
    assert {case["id"]: page.get(case["id"]) for case in cases} == {case["id"]: case["title"] for case in cases}


def test_files_of_the_mutation_tests_exist() -> None:
    for subject in SUBJECTS.values():
        assert [name for name in (*subject.modules, *subject.tests) if not (TOP / name).exists()] == []


def test_every_program_source_compiles_with_the_python_in_use() -> None:
    """Every file of the program that is no document, style or list is a source that this interpreter compiles."""
    project = tomllib.loads((TOP / "pyproject.toml").read_text())["project"]
    assert project["requires-python"] == ">=3.11"
    sources = [path for path in sorted((TOP / "tui").rglob("*")) if path.is_file() and "__pycache__" not in path.parts]
    assert {path.suffix for path in sources} == {".py", ".md", ".typed", ".html", ".css", ".js", ".svg"}
    for path in sources:
        if path.suffix == ".py":
            compile(path.read_bytes(), str(path), "exec")


def test_top_folder_holds_the_files_the_package_needs() -> None:
    hatch = tomllib.loads((TOP / "pyproject.toml").read_text())
    project, wheel = hatch["project"], hatch["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert (project["readme"], wheel["packages"], wheel["force-include"]) == (
        "README.md", ["tui", "crossdesk"], {"themes": "tui/themes", "keymaps": "tui/keymaps"},
    )  # fmt: skip
    assert all((TOP / name).is_dir() for name in ("tui", "themes", "keymaps", "tests", "screenshots"))
