"""Locations of files: one folder under CROSSDESK_HOME, or the standard folders of the operating system."""

from __future__ import annotations

import os
import stat
import warnings
import zlib
from pathlib import Path
from typing import Literal

from tui.crossdesk_error import CrossdeskError

PAPER = "paper"
"""Folder, and name in place of that of a profile, of the desk on the paper venue of this home."""


class UnsafePath(CrossdeskError, OSError):
    """Error for a folder of this program that others can write to, or that belongs to another user."""

    title = "Unsafe folder"


class NoHome(CrossdeskError):
    """Error for a value of CROSSDESK_HOME that cannot be used."""

    title = "No home folder"


class NoCheckout(CrossdeskError):
    """Error for a request that needs a source checkout."""

    title = "Not a source checkout"


def _home() -> Path | None:
    """Return the folder that CROSSDESK_HOME names, as absolute path because child processes may run elsewhere; else None.

    Raises:
        NoHome: It is relative to a removed folder, or to an unknown user.
    """
    home = os.environ.get("CROSSDESK_HOME", "")
    if not home:
        return None
    try:
        return Path(home).expanduser().absolute()
    except (OSError, RuntimeError) as error:
        raise NoHome(f"CROSSDESK_HOME={home}: {error}; write an absolute path") from error


def _folder(kind: Literal["config", "state", "data"]) -> Path:
    """Return the config, state or data folder: in CROSSDESK_HOME if set, else the platform's."""
    home = _home()
    if home is not None:
        return home / kind
    import platformdirs

    platform = {
        "config": platformdirs.user_config_path,
        "state": platformdirs.user_state_path,
        "data": platformdirs.user_data_path,
    }
    return platform[kind]("crossdesk").absolute()


def config_dir() -> Path:
    """Return the folder of configuration, own themes and own keymaps."""
    return _folder("config")


def config_file() -> Path:
    return config_dir() / "config.toml"


def own_dir(kind: str) -> Path:
    """Return the folder of the trader's own `themes` or `keymaps`."""
    return config_dir() / kind


def state_dir() -> Path:
    """Return the folder of journal, locks, ids, logs and crash reports; mode 0700."""
    return _folder("state")


def data_dir() -> Path:
    """Return the folder of the private paper venue's accounts and orders; mode 0700."""
    return _folder("data")


def exports_dir() -> Path:
    """Return the folder of exported tables and pictures."""
    return data_dir() / "exports"


def desk_folder(profile: str | None, portfolio: str = "") -> str:
    """Return a desk's folder name: `paper`, or `PROFILE-PORTFOLIO`."""
    return PAPER if profile is None else f"{profile}-{portfolio}"


def desk_socket(folder: str) -> Path:
    """Return the path of the Unix socket on which a desk that holds an account serves other windows and programs."""
    return make_private(runtime_dir()) / f"{folder}.sock"


def find_desk_socket(profile: str) -> Path:
    """Return the path of a profile's desk socket, the newest if there are several; a default path if there is none."""
    mine = [place for name, place in desk_sockets() if name == profile]
    # One that was left behind is older than the one of the desk that runs.
    return max(mine, key=_get_mtime, default=make_private(runtime_dir()) / f"{profile}.sock")


def desk_sockets() -> list[tuple[str, Path]]:
    """List (profile, path) of all desk sockets of this home, also of desks that have ended."""
    places = make_private(runtime_dir()).glob("*.sock")
    return [(PAPER if place.stem == PAPER else place.stem.rpartition("-")[0], place) for place in places]


def _get_mtime(place: Path) -> float:
    try:
        return place.lstat().st_mtime
    except OSError:
        return 0.0


def runtime_dir() -> Path:
    """Return the folder for sockets and files of running processes, a separate one for each state folder; mode 0700."""
    home = _home()
    if home is not None:
        return home / "run"
    from platformdirs import user_runtime_path

    name = f"crossdesk-{zlib.crc32(os.fsencode(os.path.realpath(state_dir()))):08x}"

    with warnings.catch_warnings():
        # Without a folder of the session, the user's is taken; `make_private` checks it.
        warnings.simplefilter("ignore")
        return user_runtime_path(name).absolute()


def find_shipped_dir(kind: str) -> Path:
    """Return the folder of shipped `themes` or `keymaps`: beside the code in a wheel, else at the top of the checkout."""
    installed = Path(__file__).parent / kind
    return installed if installed.is_dir() else Path(__file__).parent.parent / kind


def checkout_dir() -> Path | None:
    """Return the top of the source checkout this code runs from, or None when installed."""
    top = Path(__file__).resolve().parent.parent
    return top if is_checkout(top) else None


def is_checkout(folder: Path) -> bool:
    """Tell whether a folder is the top of a source checkout of this program."""
    project = folder / "pyproject.toml"
    return (folder / "tui").is_dir() and project.is_file() and 'name = "crossdesk"' in project.read_text("utf-8")


def make_private(directory: Path) -> Path:
    """Create a folder that only its owner can enter, or check an existing one.

    Raises:
        UnsafePath: It is a link, belongs to somebody else, is writable by others, or cannot be created.
    """
    try:
        directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise UnsafePath(f"{directory}: cannot be made: {error.strerror or error}") from error
    seen = directory.lstat()
    if stat.S_ISLNK(seen.st_mode):
        raise UnsafePath(f"{directory}: is a link; a real directory of yours is needed")
    if seen.st_uid != os.getuid():
        raise UnsafePath(f"{directory}: belongs to another user")
    if seen.st_mode & 0o022:
        raise UnsafePath(f"{directory}: others can write to it; run: chmod 700 {directory}")
    if seen.st_mode & 0o077:
        directory.chmod(0o700)
    return directory


def desk_state_dir(folder: str) -> Path:
    """Return the private state folder of one desk.

    Raises:
        UnsafePath: It or the folder above is not private.
    """
    return make_private(make_private(state_dir()) / folder)
