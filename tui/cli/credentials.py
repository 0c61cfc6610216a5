"""Reading of a profile's API key and secret from the one source the profile names, without a fallback."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tui.crossdesk_error import CrossdeskError
from tui.private_files import open_private

if TYPE_CHECKING:
    from tui.settings import Profile

COMMAND_S = 5.0
"""Time a command has to print key and secret, s."""
MOST_READ = 32_768
"""Most characters read from a file with secrets."""


class CredentialsError(CrossdeskError):
    """Failure to read key and secret; the message names the source and contains neither of them."""

    title = "Key and secret not readable"


def read_credentials(name: str, profile: Profile) -> tuple[str, str]:
    """Read key and secret of a profile, and remove them from the environment variables.

    Raises:
        CredentialsError: They cannot be read; the text contains neither.
    """
    if profile.secret_cmd:
        return _from_command(profile.secret_cmd)
    if profile.secret_file:
        return _from_file(Path(profile.secret_file).expanduser())
    if profile.key_env and profile.secret_env:
        key, secret = os.environ.pop(profile.key_env, ""), os.environ.pop(profile.secret_env, "")
        if not (key and secret):
            raise CredentialsError(f"profile {name}: {profile.key_env} and {profile.secret_env} must be set")
        return key, secret
    raise CredentialsError(f"profile {name}: name secret_cmd, or secret_file, or key_env and secret_env")


def _from_command(command: list[str]) -> tuple[str, str]:
    shown = command[0]
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=COMMAND_S,
            check=False,
            text=True,
            errors="replace",
        )
    except FileNotFoundError as error:
        raise CredentialsError(f"secret_cmd {shown}: no such command") from error
    except OSError as error:
        raise CredentialsError(f"secret_cmd {shown}: {error.strerror}") from error
    except subprocess.TimeoutExpired:
        raise CredentialsError(f"secret_cmd {shown}: no answer within {COMMAND_S:g} s") from None
    if done.returncode:
        raise CredentialsError(f"secret_cmd {shown}: ended with code {done.returncode}")
    return _parse_key_and_secret(done.stdout, f"secret_cmd {shown}")


def _from_file(path: Path) -> tuple[str, str]:
    return _parse_key_and_secret(read_private(path), str(path))


def read_private(path: Path) -> str:
    """Read a small file with secrets; refuse one that anybody but its owner can read.

    Raises:
        CredentialsError: It cannot be read, is a link, is not the user's own, or is readable by others.
    """
    try:
        descriptor = open_private(path, os.O_RDONLY | os.O_NONBLOCK)
    except OSError as error:
        if path.is_symlink():
            raise CredentialsError(f"{path}: is a symbolic link; name the file itself") from None
        raise CredentialsError(f"{path}: {error.strerror}") from error
    with os.fdopen(descriptor, errors="replace") as file:
        seen = os.fstat(descriptor)
        if seen.st_uid != os.getuid() or seen.st_mode & 0o077:
            raise CredentialsError(f"{path}: must be a file of yours that nobody else can read; run: chmod 600 {path}")
        return file.read(MOST_READ)


def _parse_key_and_secret(text: str, where: str) -> tuple[str, str]:
    words = text.split()
    if len(words) != 2:
        raise CredentialsError(
            f"{where}: expected the key on the first line and the secret on the second, nothing else"
        )
    return words[0], words[1]


_PR_SET_DUMPABLE = 4


def protect_memory() -> None:
    """Disable core dumps and debugging by other processes, because our memory contains the secret."""
    import ctypes
    import resource

    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
