"""Where files are: one folder under CROSSDESK_HOME, or the places of the operating system."""

from __future__ import annotations

import os
import stat
import warnings
from pathlib import Path

from tui.crossdesk_error import CrossdeskError


class UnsafePath(CrossdeskError, OSError):
    """A directory of ours that others could write to or that is not ours."""

    title = "Unsafe folder"


class NoHome(CrossdeskError):
    """The folder that CROSSDESK_HOME names cannot be told."""

    title = "No home folder"


class NoCheckout(CrossdeskError):
    """What is asked for exists in a source checkout alone."""

    title = "Not a source checkout"


def _home() -> Path | None:
    """The folder that CROSSDESK_HOME names, absolute: children of the program may run elsewhere.

    Raises:
        NoHome: it is relative to a folder that is gone, or to a user who is not known.
    """
    home = os.environ.get("CROSSDESK_HOME", "")
    if not home:
        return None
    try:
        return Path(home).expanduser().absolute()
    except (OSError, RuntimeError) as error:
        raise NoHome(f"CROSSDESK_HOME={home}: {error}; write an absolute path") from error


def config_dir() -> Path:
    """Configuration and the user's own themes."""
    home = _home()
    if home is not None:
        return home / "config"
    from platformdirs import user_config_path

    return user_config_path("crossdesk").absolute()


def config_file() -> Path:
    return config_dir() / "config.toml"


def user_themes_dir() -> Path:
    return config_dir() / "themes"


def state_dir() -> Path:
    """Journal, locks, ids, logs, crash files: 0700."""
    home = _home()
    if home is not None:
        return home / "state"
    from platformdirs import user_state_path

    return user_state_path("crossdesk").absolute()


def data_dir() -> Path:
    """The private paper venue's accounts and orders: 0700."""
    home = _home()
    if home is not None:
        return home / "data"
    from platformdirs import user_data_path

    return user_data_path("crossdesk").absolute()


def exports_dir() -> Path:
    """Tables that the trader wrote from the screen."""
    return data_dir() / "exports"


def runtime_dir() -> Path:
    """Files of running processes: 0700."""
    home = _home()
    if home is not None:
        return home / "run"
    from platformdirs import user_runtime_path

    with warnings.catch_warnings():
        # Where the session has no folder of its own, one of the user's is taken; `make_private` looks at it.
        warnings.simplefilter("ignore")
        return user_runtime_path("crossdesk").absolute()


def themes_dir() -> Path:
    """Shipped themes: beside the code in an installed wheel, else at the top of the checkout."""
    installed = Path(__file__).parent / "themes"
    return installed if installed.is_dir() else Path(__file__).parent.parent / "themes"


def checkout_dir() -> Path | None:
    """The top of the source checkout this code runs from, or None when installed."""
    top = Path(__file__).resolve().parent.parent
    return top if (top / "pyproject.toml").is_file() and (top / "tui").is_dir() else None


def make_private(directory: Path) -> Path:
    """Make a directory only its owner can enter, and refuse one that is not.

    Raises:
        UnsafePath: it is a link, belongs to somebody else, others can write to it, or it cannot be made.
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
    """The state directory of one desk; it and the one above are private.

    Raises:
        UnsafePath: one of them is not.
    """
    return make_private(make_private(state_dir()) / folder)
