"""Creates, changes and deletes the API keys of portfolios."""

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
    """A new key of a portfolio; it signs at once.

    Its access key names it and is no secret: a number that is given out once, put through a hash.

    Raises:
        CheckFailed: not accepted; nothing changed.
    """
    portfolio = find_portfolio(state, command.portfolio_id)
    name = _name_of(command.api_name)
    addresses, permissions = addresses_of(command.ip), permissions_of(command.permission)
    held = sum(1 for key in state.api_keys.values() if key.portfolio == portfolio.id)
    if held >= MAX_KEYS:
        raise CheckFailed(405901, f"portfolio {portfolio.name} has {held} keys; {MAX_KEYS} are the most")
    number = int(state.next_id("api_key"))
    made = ApiKey(
        access_key=hashlib.sha256(f"{portfolio.id}|{number}".encode()).hexdigest()[:48],
        portfolio=portfolio.id,
        number=number,
        name=name,
        addresses=addresses,
        permissions=permissions,
        created=state.now,
        updated=state.now,
    )
    _keep(state, made)
    return made.record()


def change_key(state: State, command: ChangeApiKey) -> ApiKeyRecord:
    """Change what is named of a key; what is left out stays. A frozen key is refused from now on.

    Raises:
        CheckFailed: not accepted; nothing changed.
    """
    known = _find_key(state, command.portfolio_id, command.access_key)
    if command.status and command.status not in _STATUSES:
        raise CheckFailed(
            400000, f"status {command.status[:40]!r} is not accepted; it is 1 for a normal key and 2 for a frozen one"
        )
    changed = msgspec.structs.replace(
        known,
        name=_name_of(command.api_name) if command.api_name else known.name,
        addresses=addresses_of(command.ip) if command.ip else known.addresses,
        permissions=permissions_of(command.permission) if command.permission else known.permissions,
        status=_STATUSES[command.status] if command.status else known.status,
    )
    if changed == known:
        return known.record()
    changed = msgspec.structs.replace(changed, updated=max(state.now, known.updated + 1))
    _keep(state, changed)
    if changed.status == KeyStatus.FROZEN:
        state.changes.publish(KeyRefused(changed.access_key, "the apiKey is frozen"))
    return changed.record()


def delete_key(state: State, command: DeleteApiKey) -> Done:
    """Delete a key: it is unknown from now on, and its access key never comes back.

    Raises:
        CheckFailed: not accepted; nothing changed.
    """
    known = _find_key(state, command.portfolio_id, command.access_key)
    del state.api_keys[known.access_key]
    state.changes.dirty("api_key", known.access_key)
    state.changes.publish(KeyRefused(known.access_key, "the apiKey is deleted"))
    return Done()


def addresses_of(text: str) -> tuple[str, ...]:
    """The addresses of a comma list.

    Raises:
        CheckFailed: 400000.
    """
    try:
        return parse_addresses(text)
    except BadAddress as bad:
        raise CheckFailed(400000, f"ip: {bad}") from None


def permissions_of(text: str) -> tuple[str, ...]:
    """The rights of a comma list, in their order and with READ.

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
    return tuple(one.value for one in PERMISSIONS if one.value in words or one is PERMISSIONS[0])


def _name_of(text: str) -> str:
    if len(text) > MAX_KEY_NAME or clean(text) != text or not text.strip():
        raise CheckFailed(400000, f"apiName {text[:40]!r} is not accepted; it has 1 to {MAX_KEY_NAME} characters")
    return text


def _find_key(state: State, portfolio_id: str, access_key: str) -> ApiKey:
    portfolio = find_portfolio(state, portfolio_id)
    known = state.api_keys.get(access_key)
    if known is None or known.portfolio != portfolio.id:
        raise CheckFailed(100018, f"accessKey {access_key[:8]!r}… not found in portfolio {portfolio.name}")
    return known


def _keep(state: State, key: ApiKey) -> None:
    state.api_keys[key.access_key] = key
    state.changes.dirty("api_key", key.access_key)


HANDLERS: Handlers = {CreateApiKey: create_key, ChangeApiKey: change_key, DeleteApiKey: delete_key}
