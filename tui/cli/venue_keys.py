"""What outlives a start of the paper venue: keys of the launch in a file that the user names, and its master secret."""

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
    """The keys with key and secret from a file, one `name key secret` a line; what is missing there is added.

    Args:
        path: The file; readable by its owner alone.
        fresh: The keys of this start, with random secrets.

    Raises:
        CredentialsError: the file cannot be read or written, others can read it, or a line is none.
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
    """The secret from which those of portfolio keys are computed, in a private file beside the state of the venue.

    Args:
        state: The state file, which holds the keys without their secrets.
        fresh: Draws a new secret.

    Raises:
        CredentialsError: the file cannot be read or written, others can read it, or it holds something else.
    """
    path = state.with_name(f"{state.name}-master")
    if path.exists():
        words = read_private(path).split()
        if len(words) != 1 or len(words[0]) < 32:
            raise CredentialsError(f"{path}: expected one secret; without the right one no key of a portfolio can sign")
        return words[0]
    made, beside = fresh(), path.with_name(f"{path.name}.new")
    try:
        write_private(beside, made.encode())
        descriptor = open_private(beside, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        beside.replace(path)
    except OSError as error:
        raise CredentialsError(f"{path}: {error.strerror}") from error
    return made
