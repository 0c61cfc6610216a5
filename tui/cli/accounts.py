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
    account_id: str = ""
    """Of the state of a paper venue: one that is begun anew or put back gives the same ids again. At a live service the
    user of the key: two users may have a portfolio of one id. Empty: none."""
    live: bool = False

    @property
    def words(self) -> str:
        """As it is kept and shown."""
        return self._before_id + self.account_id if self.account_id else self.nameless

    @property
    def nameless(self) -> str:
        """The same without the account id, as versions kept it that knew none."""
        return f"portfolio {self.portfolio} at {self.where}"

    def adopts(self, owner: str) -> bool:
        """Whether a journal of this owner, which has no account id yet, is given to this account."""
        return bool(self.account_id) and owner == self.nameless

    def is_other_state_of(self, owner: str) -> bool:
        """Whether an owner is the same portfolio on another state of the same venue, or of another user of a service."""
        return owner != self.words and owner.startswith(self._before_id)

    def id_in(self, owner: str) -> str:
        """The account id in the words of such an owner."""
        return owner.removeprefix(self._before_id)

    @property
    def _before_id(self) -> str:
        return f"{self.nameless}, account "


class JournalPlace(NamedTuple):
    """Where the journal of an account is."""

    path: Path
    news: str
    """What the trader is told about it at the start, or empty."""


def user_of_key(key: str) -> str:
    """What the user of a key is known by where the profile names none: nothing that a service tells names it."""
    return hashlib.blake2b(key.encode(), digest_size=4, person=b"crossdesk user").hexdigest()


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
    owner = _read_owner(state)
    if not owner:
        write_private(state / OWNER, account.words.encode())
        news = f"the journal of this desk belongs to {account.words} from now on"
        return JournalPlace(state / JOURNAL, news if (state / JOURNAL).exists() else "")
    # A folder of a version without account ids is named after the same words without one.
    fresh = state / _folder_name(account.words)
    for folder in (state, state / _folder_name(account.nameless), fresh):
        kept = _read_owner(folder)
        if kept == account.words or account.adopts(kept):
            if kept != account.words:
                write_private(folder / OWNER, account.words.encode())
            return _journal_in(folder, state, account, owner)
    write_private(paths.make_private(fresh) / OWNER, account.words.encode())
    return _journal_in(fresh, state, account, owner)


def _journal_in(folder: Path, state: Path, account: Account, owner: str) -> JournalPlace:
    path = folder / JOURNAL
    if folder == state:
        return JournalPlace(path, "")
    if account.live and account.is_other_state_of(owner):
        return JournalPlace(
            path,
            f"another key than before: taken for another user's, its journal is apart ({_journal_name(path)}), and the"
            f' orders of the other one are not taken up; where both keys are yours, `user = "{account.id_in(owner)}"`'
            " in the profile goes on with it",
        )
    if account.is_other_state_of(owner):
        return JournalPlace(
            path, f"the paper venue has a new state, an account of its own since its start: {_journal_name(path)}"
        )
    return JournalPlace(
        path, f"another account, {account.words}; the journal beside it is of {owner}: {_journal_name(path)}"
    )


def _read_owner(folder: Path) -> str:
    own = folder / OWNER
    return own.read_text(encoding="utf-8").strip() if own.exists() else ""


def _folder_name(words: str) -> str:
    return f"account-{hashlib.sha256(words.encode()).hexdigest()[:8]}"


def _journal_name(path: Path) -> str:
    return f"its journal is {path.parent.parent.name}/{path.parent.name}/{path.name}"
