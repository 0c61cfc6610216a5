"""Keys of the paper venue that survive restarts: launch keys in a file of the user, and the master secret."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from tui.cli.credentials import CredentialsError, read_private
from tui.private_files import open_private, write_private

if TYPE_CHECKING:
    from tui.venue.shell.keys import Key


def load_or_create_keys(path: Path, fresh: list[Key]) -> list[Key]:
    """Load keys from a file with one `name key secret` per line; missing ones are created and appended.

    Args:
        path: The file; readable by its owner only.
        fresh: Keys of this start, with random secrets.

    Raises:
        CredentialsError: The file cannot be read or written, is readable by others, or has a malformed line.
    """
    kept: dict[str, tuple[str, str]] = {}
    for number, line in enumerate(read_private(path).splitlines() if path.exists() else [], 1):
        words = line.split()
        if len(words) != 3:
            raise CredentialsError(f"--keys {path}: line {number}: expected a name, a key and a secret")
        kept[words[0]] = (words[1], words[2])
    missing = {key.name: (key.api_key, key.api_secret) for key in fresh if key.name not in kept}
    if missing:
        kept |= missing
        lines = [f"{name} {key} {secret}\n" for name, (key, secret) in kept.items()]
        try:
            write_private(path, "".join(lines).encode())
        except OSError as error:
            raise CredentialsError(f"--keys {path}: {error.strerror}") from error
    return [key._replace(api_key=kept[key.name][0], api_secret=kept[key.name][1]) for key in fresh]


def load_or_create_master(state: Path, fresh: Callable[[], str]) -> str:
    """Load or create the master secret, from which the secrets of portfolio API keys are derived.

    Args:
        state: State file, which holds the keys without their secrets.
        fresh: Draws a new secret.

    Raises:
        CredentialsError: The file cannot be read or written, is readable by others, or holds something else.
    """
    path = state.with_name(f"{state.name}-master")
    if path.exists():
        words = read_private(path).split()
        if len(words) != 1 or len(words[0]) < 32:
            raise CredentialsError(f"{path}: expected one secret; without the right one no key of a portfolio can sign")
        return words[0]
    secret, draft = fresh(), path.with_name(f"{path.name}.new")
    try:
        write_private(draft, secret.encode())
        descriptor = open_private(draft, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        draft.replace(path)
    except OSError as error:
        raise CredentialsError(f"{path}: {error.strerror}") from error
    return secret
