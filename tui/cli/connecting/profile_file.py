"""Profiles in the config file: their names, and a new one that is added without touching the rest."""

from __future__ import annotations

import json
import os
import shlex
from pathlib import Path

from tui import paths
from tui.crossdesk_error import CrossdeskError, os_error_text
from tui.private_files import open_private, write_private
from tui.settings import BadConfig, parse, read
from tui.workstation.commands.connection import ConnectionDraft, KeyPlace


class ProfileNotWritten(CrossdeskError):
    """Profile or key file that cannot be written; nothing has changed."""

    title = "Profile not written"


def list_profiles() -> frozenset[str]:
    """List the profile names in the config file; empty when the file cannot be read."""
    try:
        return frozenset(read(paths.config_file()).profile)
    except CrossdeskError:
        return frozenset()


def save_profile(draft: ConnectionDraft) -> str:
    """Append a profile to the config file, and write its key file if the key was typed; return the config file's path.

    Raises:
        ProfileNotWritten: It cannot be written.
    """
    # A file that is a link, such as into a folder of settings under version control, stays a link.
    path = paths.config_file().resolve()
    key_file = paths.config_dir() / f"{draft.name}.key"
    try:
        paths.make_private(paths.config_dir())
        text = path.read_text("utf-8-sig") if path.exists() else ""
        written = f"{text.rstrip()}\n\n" if text.strip() else ""
        written += format_profile(draft, key_file)
        parse(written, path)
        if draft.place is KeyPlace.FILE:
            _write_key(key_file, draft)
        _replace(path, written, key_file if draft.place is KeyPlace.FILE else None)
    except BadConfig as error:
        raise ProfileNotWritten(f"the config file would not be usable: {error}") from error
    except OSError as error:
        raise ProfileNotWritten(os_error_text(error)) from error
    return str(path)


def format_profile(draft: ConnectionDraft, key_file: Path) -> str:
    """Format the TOML table of a profile, which contains neither key nor secret."""
    values: dict[str, object] = {
        "rest_url": draft.rest_url,
        "private_ws_url": draft.private_ws_url,
        "public_ws_url": draft.public_ws_url,
        "algo_ws_url": draft.algo_ws_url,
        "portfolio": draft.portfolio,
        "portfolio_name": draft.portfolio_name or draft.name,
    }
    match draft.place:
        case KeyPlace.FILE:
            values["secret_file"] = str(key_file)
        case KeyPlace.COMMAND:
            values["secret_cmd"] = shlex.split(draft.secret_cmd)
        case KeyPlace.VARIABLES:
            values |= {"key_env": draft.key_env, "secret_env": draft.secret_env}
    # What JSON writes of texts without control characters is TOML too.
    lines = [f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in values.items() if value]
    return "\n".join([f"[profile.{draft.name}]", *lines, ""])


def _write_key(path: Path, draft: ConnectionDraft) -> None:
    """Write a key file that only its owner can read; an existing file is never overwritten."""
    try:
        descriptor = open_private(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    except FileExistsError:
        raise ProfileNotWritten(f"{path} exists already: give the profile another name, or move the file") from None
    with os.fdopen(descriptor, "w") as file:
        file.write(f"{draft.key}\n{draft.secret}\n")


def _replace(path: Path, text: str, key_file: Path | None) -> None:
    """Replace the config file atomically; if that fails, remove the new key file, if any."""
    fresh = path.with_name(f"{path.name}.new")
    try:
        write_private(fresh, text.encode())
        fresh.replace(path)
    except OSError:
        fresh.unlink(missing_ok=True)
        if key_file is not None:
            key_file.unlink(missing_ok=True)
        raise
