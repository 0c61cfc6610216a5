"""Which journal belongs to which account: a portfolio at one service, the paper account of this home, one replay."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import NamedTuple

from tui import paths
from tui.private_files import write_private

JOURNAL = "journal.db"
OWNER = "journal.account"
"""Beside a journal: the account that it belongs to."""
REPLAYS = "replays"


class Account(NamedTuple):
    """Whose orders a journal holds."""

    portfolio: str
    where: str
    """The service's address, or the words for the paper venue of this home."""
    replay: str = ""
    """Name of the recording; a replay is an account of its own from its start to its end. Empty: none."""

    @property
    def words(self) -> str:
        """As it is kept and shown."""
        return f"portfolio {self.portfolio} at {self.where}"


class JournalPlace(NamedTuple):
    """Where the journal of an account is."""

    path: Path
    news: str
    """What the trader is told about it at the start, or empty."""


def find_journal(state: Path, account: Account, started: str) -> JournalPlace:
    """Find the journal of an account, or begin one.

    A journal of a version that named no account is given to the first one that asks, once.

    Args:
        state: Folder of the desk.
        account: Whose journal.
        started: Time of this start, as it stands in names of files.

    Raises:
        OSError: the folder cannot be written.
    """
    if account.replay:
        name = re.sub(r"[^A-Za-z0-9]+", "-", account.replay).strip("-")[:40]
        path = paths.make_private(paths.make_private(state / REPLAYS) / f"{started}-{name}") / JOURNAL
        return JournalPlace(path, f"a replay of {account.replay} is an account of its own: {_journal_name(path)}")
    own = state / OWNER
    owner = own.read_text(encoding="utf-8").strip() if own.exists() else ""
    if owner == account.words:
        return JournalPlace(state / JOURNAL, "")
    if not owner:
        write_private(own, account.words.encode())
        news = f"the journal of this desk belongs to {account.words} from now on"
        return JournalPlace(state / JOURNAL, news if (state / JOURNAL).exists() else "")
    digest = hashlib.sha256(account.words.encode()).hexdigest()[:8]
    folder = paths.make_private(state / f"account-{digest}")
    if not (folder / OWNER).exists():
        write_private(folder / OWNER, account.words.encode())
    path = folder / JOURNAL
    return JournalPlace(
        path, f"another account, {account.words}; the journal beside it is of {owner}: {_journal_name(path)}"
    )


def _journal_name(path: Path) -> str:
    return f"its journal is {path.parent.parent.name}/{path.parent.name}/{path.name}"
