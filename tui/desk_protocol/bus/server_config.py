"""Configuration of a NATS server for a desk: who may send and read what."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import NamedTuple

from tui.desk_protocol.bus.address import (
    LOOPBACK,
    BusRefused,
    check_name,
    claim_subject,
    command_subject,
    output_subject,
)
from tui.interface.text import clean

GATEWAY = "gateway"
"""Name of the key of the gateway; no trader may have it."""
MOST_PAYLOAD = 256 * 1024
"""Longest message that the server takes, bytes."""
MOST_CONNECTIONS = 256
_PUBLIC_LENGTH = 56


class Certificate(NamedTuple):
    """Paths of the NATS server's TLS certificate and key files, as the server's configuration names them."""

    certificate: str
    key: str


class Permissions(NamedTuple):
    """NATS subjects on which a key's owner may publish and to which it may subscribe."""

    publish: tuple[str, ...]
    subscribe: tuple[str, ...]


def permissions_of(desk: str, name: str) -> Permissions:
    """Return the subjects on which a trader, or the gateway, may publish and subscribe."""
    if name == GATEWAY:
        everybody = output_subject(desk, "*", "*")
        return Permissions((everybody, claim_subject(desk)), (command_subject(desk, "*"), claim_subject(desk)))
    return Permissions((command_subject(desk, name),), (output_subject(desk, name, ">"),))


def write_server_config(
    desk: str, host: str, port: int, keys: Mapping[str, str], certificate: Certificate | None = None
) -> str:
    """Return the text of a NATS server's configuration file.

    Args:
        desk: Name of the desk.
        host: Address that it listens on.
        port: Its port.
        keys: Public NKEY of the gateway and of each trader, by name.
        certificate: Certificate of the server; required off this machine.

    Raises:
        BusRefused: A name or a key is not accepted, or the certificate is missing.
    """
    check_name("desk", desk)
    if host not in LOOPBACK and certificate is None:
        raise BusRefused(
            f"--listen {clean(host, 100)}: off this machine a certificate is needed: --tls-cert, --tls-key"
        )
    users = ",\n".join(_user(desk, check_name("trader", name), key) for name, key in keys.items())
    return "".join((
        "# Made by `crossdesk gateway nats-config`. Start: nats-server -c THIS_FILE\n",
        f"listen: {json.dumps(f'[{host}]:{port}' if ':' in host else f'{host}:{port}')}\n",
        f"max_payload: {MOST_PAYLOAD}\nmax_connections: {MOST_CONNECTIONS}\n",
        # A window that does not read is ended before much waits for it.
        'ping_interval: "2s"\nping_max: 2\nwrite_deadline: "5s"\nmax_pending: 16777216\n',
        _tls(certificate),
        f"authorization {{\n  users: [\n{users}\n  ]\n}}\n",
    ))  # fmt: skip


def _tls(certificate: Certificate | None) -> str:
    if certificate is None:
        return "# Without TLS, because it listens on this machine alone: elsewhere TLS is required.\n"
    return (
        "# Required: nothing is sent before the certificate is checked.\n"
        f"tls {{\n  cert_file: {json.dumps(certificate.certificate)}\n  key_file: {json.dumps(certificate.key)}\n"
        "  handshake_first: true\n}\n"
    )


def _user(desk: str, name: str, key: str) -> str:
    if len(key) != _PUBLIC_LENGTH or not key.startswith("U") or not key.isalnum() or not key.isascii():
        raise BusRefused(f"key of {name}: {clean(key, 80)!r} is no public NKEY of a user, which begins with U")
    may = permissions_of(desk, name)
    return (
        f"    # {name}\n    {{ nkey: {key}, permissions: {{ publish: {{ allow: {json.dumps(may.publish)} }},"
        f" subscribe: {{ allow: {json.dumps(may.subscribe)} }} }} }}"
    )


def make_seed(random_bytes: Callable[[int], bytes]) -> str:
    """Create a new NKEY seed of a NATS user."""
    import nkeys

    seed: bytes = nkeys.encode_seed(random_bytes(32), nkeys.PREFIX_BYTE_USER)
    return seed.decode()


def public_key(seed: str) -> str:
    """Return the public key that belongs to an NKEY seed.

    Raises:
        BusRefused: It is no seed of a user.
    """
    import nkeys

    try:
        key: bytes = nkeys.from_seed(bytearray(seed.strip().encode())).public_key
    except (nkeys.NkeysError, ValueError):
        raise BusRefused("the file holds no NKEY seed, which is one line that begins with SU") from None
    return key.decode()
