"""A tool that runs the checkout notices when any file of the program has changed."""

from __future__ import annotations

import tomllib

from tests.terminal.terminal import TOP

PARTS = ("tui", "crossdesk", "themes", "keymaps")
NOT_RUN = frozenset(["README.md", "py.typed"])


def test_a_change_of_any_program_file_is_noticed_by_uvx() -> None:
    keys = tomllib.loads((TOP / "pyproject.toml").read_text())["tool"]["uv"]["cache-keys"]
    noticed = {path for key in keys for path in TOP.glob(key["file"])}
    assert all(list(TOP.glob(key["file"])) for key in keys)
    assert not any("__pycache__" in path.parts for path in noticed)
    files = [path for part in PARTS for path in (TOP / part).rglob("*") if path.is_file()]
    program = {path for path in files if "__pycache__" not in path.parts and path.name not in NOT_RUN}
    assert len(program) > 500 and program - noticed == set()
