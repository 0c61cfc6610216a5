"""Choice of the journal file by account: a live portfolio, the local paper account, or one replayed recording."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import NamedTuple

from tui import paths
from tui.private_files import write_private

JOURNAL = "journal.db"
OWNER = "journal.account"
"""File beside a journal with the account that owns it."""
REPLAYS = "replays"


class Account(NamedTuple):
    """Account that owns the orders in a journal."""

    portfolio: str
    where: str
    """Address of the service, or the text for the paper venue of this home."""
    replay: str = ""
    """Name of the recording; a replay is an account of its own. Empty: no replay."""
    account_id: str = ""
    """Id of the state of a paper venue, whose order ids restart when it is recreated or restored. At a live service the
    user
    of the key, because two users may have portfolios with the same id. Empty: none."""
    live: bool = False

    @property
    def label(self) -> str:
        """Label that identifies the account; it is stored in the journal and shown to the trader."""
        return self._before_id + self.account_id if self.account_id else self.label_without_id

    @property
    def label_without_id(self) -> str:
        """Label without the account id, as older versions stored it."""
        return f"portfolio {self.portfolio} at {self.where}"

    def adopts(self, owner: str) -> bool:
        """Return whether this account takes over a journal whose owner label, from an older version, has no account id."""
        return bool(self.account_id) and owner == self.label_without_id

    def is_other_state_of(self, owner: str) -> bool:
        """Return whether an owner label names the same portfolio at the same service, but another account id."""
        return owner != self.label and owner.startswith(self._before_id)

    def id_in(self, owner: str) -> str:
        """Extract the account id from an owner label of this account's portfolio."""
        return owner.removeprefix(self._before_id)

    @property
    def _before_id(self) -> str:
        return f"{self.label_without_id}, account "


class JournalPlace(NamedTuple):
    """Path of an account's journal, and a notice about it for the trader at startup."""

    path: Path
    news: str
    """Notice for the trader at start, or empty."""


def user_of_key(key: str) -> str:
    """Derive a user id from an API key, for profiles without one; the service never returns the user."""
    return hashlib.blake2b(key.encode(), digest_size=4, person=b"crossdesk user").hexdigest()


def find_journal(state: Path, account: Account, started: str) -> JournalPlace:
    """Return the path of an account's journal; create its folder or record its owner where needed.

    A journal of a version without accounts is given to the first account that asks.

    Args:
        state: Folder of the desk.
        account: Owner of the journal.
        started: Time of this start, for file names.

    Raises:
        OSError: The folder cannot be written.
    """
    if account.replay:
        name = re.sub(r"[^A-Za-z0-9]+", "-", account.replay).strip("-")[:40]
        path = paths.make_private(paths.make_private(state / REPLAYS) / f"{started}-{name}") / JOURNAL
        return JournalPlace(path, f"a replay of {account.replay} is an account of its own: {_journal_name(path)}")
    owner = _read_owner(state)
    if not owner:
        write_private(state / OWNER, account.label.encode())
        news = f"the journal of this desk belongs to {account.label} from now on"
        return JournalPlace(state / JOURNAL, news if (state / JOURNAL).exists() else "")
    # Versions without account ids named the folder after the label without one.
    fresh = state / _folder_name(account.label)
    for folder in (state, state / _folder_name(account.label_without_id), fresh):
        kept = _read_owner(folder)
        if kept == account.label or account.adopts(kept):
            if kept != account.label:
                write_private(folder / OWNER, account.label.encode())
            return _journal_in(folder, state, account, owner)
    write_private(paths.make_private(fresh) / OWNER, account.label.encode())
    return _journal_in(fresh, state, account, owner)


def _journal_in(folder: Path, state: Path, account: Account, owner: str) -> JournalPlace:
    path = folder / JOURNAL
    if folder == state:
        return JournalPlace(path, "")
    if account.live and account.is_other_state_of(owner):
        return JournalPlace(
            path,
            f"another key than before: treated as another user's, its journal is separate ({_journal_name(path)}), and the"
            f' orders of the other one are not taken over; if both keys are yours, `user = "{account.id_in(owner)}"`'
            " in the profile continues the former journal",
        )
    if account.is_other_state_of(owner):
        return JournalPlace(
            path, f"the paper venue has a new state, an account of its own since its start: {_journal_name(path)}"
        )
    return JournalPlace(
        path, f"another account, {account.label}; the journal beside it is of {owner}: {_journal_name(path)}"
    )


def _read_owner(folder: Path) -> str:
    own = folder / OWNER
    return own.read_text(encoding="utf-8").strip() if own.exists() else ""


def _folder_name(label: str) -> str:
    return f"account-{hashlib.sha256(label.encode()).hexdigest()[:8]}"


def _journal_name(path: Path) -> str:
    return f"its journal is {path.parent.parent.name}/{path.parent.name}/{path.name}"
