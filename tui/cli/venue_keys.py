"""API keys of the paper venue that stay the same over restarts, in a file named by the user."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tui.cli.credentials import CredentialsError, read_private
from tui.private_files import write_private

if TYPE_CHECKING:
    from tui.venue.shell.keys import Key


def load_or_create_keys(path: Path, fresh: list[Key]) -> list[Key]:
    """The keys with key and secret from a file, one `name key secret` a line; the file is made when there is none.

    Args:
        path: The file; readable by its owner alone.
        fresh: The keys of this start, with random secrets.

    Raises:
        CredentialsError: the file cannot be read or written, others can read it, or a key is missing in it.
    """
    if not path.exists():
        lines = [f"{key.name} {key.api_key} {key.api_secret}\n" for key in fresh]
        try:
            write_private(path, "".join(lines).encode())
        except OSError as error:
            raise CredentialsError(f"--keys {path}: {error.strerror}") from error
        return fresh
    kept: dict[str, tuple[str, str]] = {}
    for number, line in enumerate(read_private(path).splitlines(), 1):
        words = line.split()
        if len(words) != 3:
            raise CredentialsError(f"--keys {path}: line {number}: expected a name, a key and a secret")
        kept[words[0]] = (words[1], words[2])
    missing = [key.name for key in fresh if key.name not in kept]
    if missing:
        raise CredentialsError(f"--keys {path}: no key named {missing[0]!r}; remove the file to make new keys")
    return [key._replace(api_key=kept[key.name][0], api_secret=kept[key.name][1]) for key in fresh]
