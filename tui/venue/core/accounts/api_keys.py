"""Creation, change and deletion of the API keys of portfolios."""

from __future__ import annotations

import hashlib

import msgspec

from tui.interface.families.portfolios import (
    MAX_KEY_NAME,
    MAX_KEYS,
    PERMISSIONS,
    ApiKeyRecord,
    BadAddress,
    ChangeApiKey,
    CreateApiKey,
    DeleteApiKey,
    KeyStatus,
    parse_addresses,
)
from tui.interface.text import clean
from tui.venue.core.accounts.portfolios import find_portfolio
from tui.venue.core.check_failed import CheckFailed
from tui.venue.core.commands import Done, Handlers
from tui.venue.core.events import KeyRefused
from tui.venue.core.state.exchange_state import State
from tui.venue.core.state.portfolios import ApiKey

_STATUSES = {str(int(status)): status for status in KeyStatus}


def create_key(state: State, command: CreateApiKey) -> ApiKeyRecord:
    """Create an API key of a portfolio; it can sign requests at once.

    Its access key is not secret: the hash of a number that is given out once.

    Raises:
        CheckFailed: Not accepted; nothing changed.
    """
    portfolio = find_portfolio(state, command.portfolio_id)
    name = _name_of(command.api_name)
    addresses, permissions = addresses_of(command.ip), permissions_of(command.permission)
    held = sum(1 for other in state.api_keys.values() if other.portfolio == portfolio.id)
    if held >= MAX_KEYS:
        raise CheckFailed(405901, f"portfolio {portfolio.name} has {held} keys; at most {MAX_KEYS} are accepted")
    number = int(state.next_id("api_key"))
    key = ApiKey(
        access_key=hashlib.sha256(f"{portfolio.id}|{number}".encode()).hexdigest()[:48],
        portfolio=portfolio.id,
        number=number,
        name=name,
        addresses=addresses,
        permissions=permissions,
        created=state.now,
        updated=state.now,
    )
    _store(state, key)
    return key.record()


def change_key(state: State, command: ChangeApiKey) -> ApiKeyRecord:
    """Change the given fields of an API key and keep the others; a key that is frozen is refused at once.

    Raises:
        CheckFailed: Not accepted; nothing changed.
    """
    key = _find_key(state, command.portfolio_id, command.access_key)
    if command.status and command.status not in _STATUSES:
        raise CheckFailed(
            400000,
            f"status {command.status[:40]!r} is not accepted; it must be 1 for a normal key or 2 for a frozen one",
        )
    changed = msgspec.structs.replace(
        key,
        name=_name_of(command.api_name) if command.api_name else key.name,
        addresses=addresses_of(command.ip) if command.ip else key.addresses,
        permissions=permissions_of(command.permission) if command.permission else key.permissions,
        status=_STATUSES[command.status] if command.status else key.status,
    )
    if changed == key:
        return key.record()
    changed = msgspec.structs.replace(changed, updated=max(state.now, key.updated + 1))
    _store(state, changed)
    if changed.status == KeyStatus.FROZEN:
        state.changes.publish(KeyRefused(changed.access_key, "the apiKey is frozen"))
    return changed.record()


def delete_key(state: State, command: DeleteApiKey) -> Done:
    """Delete an API key; it is unknown at once, and its access key is never given out again.

    Raises:
        CheckFailed: Not accepted; nothing changed.
    """
    key = _find_key(state, command.portfolio_id, command.access_key)
    del state.api_keys[key.access_key]
    state.changes.dirty("api_key", key.access_key)
    state.changes.publish(KeyRefused(key.access_key, "the apiKey is deleted"))
    return Done()


def addresses_of(text: str) -> tuple[str, ...]:
    """Parse the IP addresses of a comma-separated list.

    Raises:
        CheckFailed: 400000.
    """
    try:
        return parse_addresses(text)
    except BadAddress as error:
        raise CheckFailed(400000, f"ip: {error}") from None


def permissions_of(text: str) -> tuple[str, ...]:
    """Parse the permissions of a comma-separated list; READ is always included.

    Raises:
        CheckFailed: 400000.
    """
    words = {part.strip() for part in text.split(",")} if text else set()
    for word in sorted(words):
        if word not in PERMISSIONS:
            raise CheckFailed(
                400000,
                f"permission {word[:40]!r} is not accepted; it takes {', '.join(PERMISSIONS)}, separated by commas",
            )
    return tuple(right.value for right in PERMISSIONS if right.value in words or right is PERMISSIONS[0])


def _name_of(text: str) -> str:
    if len(text) > MAX_KEY_NAME or clean(text) != text or not text.strip():
        raise CheckFailed(400000, f"apiName {text[:40]!r} is not accepted; it must have 1 to {MAX_KEY_NAME} characters")
    return text


def _find_key(state: State, portfolio_id: str, access_key: str) -> ApiKey:
    portfolio = find_portfolio(state, portfolio_id)
    key = state.api_keys.get(access_key)
    if key is None or key.portfolio != portfolio.id:
        raise CheckFailed(100018, f"accessKey {access_key[:8]!r}… not found in portfolio {portfolio.name}")
    return key


def _store(state: State, key: ApiKey) -> None:
    state.api_keys[key.access_key] = key
    state.changes.dirty("api_key", key.access_key)


HANDLERS: Handlers = {CreateApiKey: create_key, ChangeApiKey: change_key, DeleteApiKey: delete_key}
