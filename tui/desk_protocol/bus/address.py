"""Names on the bus: desks, traders and windows, their subjects, and the address of a server."""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import urlsplit

from tui.desk_protocol.messages import ProtocolError
from tui.interface.text import clean

USUAL_DESK = "desk"
"""Name of a desk whose address names none."""
USUAL_PORT = 4222
LOOPBACK = frozenset(["127.0.0.1", "::1", "localhost"])
FORM = "nats://TRADER@HOST:PORT/DESK on this machine, tls://TRADER@HOST:PORT/DESK elsewhere"
_NAME = re.compile(r"(?=[0-9_-]*[a-z])[a-z0-9][a-z0-9_-]{0,31}\Z")
"""Name with a letter: a number behind the name of a peer tells its windows apart."""


class BusRefused(ProtocolError):
    """Error for a NATS bus that cannot be used: wrong address or name, missing seed or package; the text says why."""

    title = "No bus"


class BusAddress(NamedTuple):
    """Address on a NATS bus: server URL, name of the desk, and of the trader (empty for the gateway)."""

    url: str
    """Scheme, host and port alone."""
    desk: str
    trader: str
    """Empty for the gateway."""

    @property
    def is_encrypted(self) -> bool:
        return self.url.startswith("tls:")

    def write(self, trader: str) -> str:
        """Format the address that a trader passes to `--attach`; the default desk is left out."""
        return self.url.replace("://", f"://{trader}@", 1) + ("" if self.desk == USUAL_DESK else f"/{self.desk}")

    @property
    def commands(self) -> str:
        """NATS subject on which this trader's windows send to the gateway."""
        return command_subject(self.desk, self.trader)


def check_name(what: str, name: str) -> str:
    """Return a desk or trader name unchanged if it may be part of a NATS subject, else refuse it.

    Raises:
        BusRefused: It may not.
    """
    if not _NAME.match(name):
        raise BusRefused(
            f"{what} {clean(name, 40)!r}: accepted are up to 32 of a-z, 0-9, _ and -, one a letter, such as anna"
        )
    return name


def command_subject(desk: str, trader: str) -> str:
    """Return the NATS subject for messages from a trader's windows to the gateway; trader `*` stands for all."""
    return f"crossdesk.{desk}.cmd.{trader}"


def output_subject(desk: str, trader: str, window: str) -> str:
    """Return the NATS subject for messages from the gateway to a trader's window; window `>` stands for all."""
    return f"crossdesk.{desk}.out.{trader}.{window}"


def claim_subject(desk: str) -> str:
    """Return the NATS subject on which a gateway asks whether another gateway already serves the desk."""
    return f"crossdesk.{desk}.gateway"


def parse_address(text: str) -> BusAddress:
    """Parse the address of a NATS server, with optional trader and desk.

    Raises:
        BusRefused: It is no address, or leads off this machine without encryption.
    """
    shown = clean(text, 200)
    try:
        parts = urlsplit(text)
        host, port = parts.hostname or "", parts.port or USUAL_PORT
    except ValueError as error:
        raise BusRefused(f"{shown}: {error}; accepted is {FORM}") from None
    if parts.scheme not in ("nats", "tls") or not host or parts.query or parts.fragment:
        raise BusRefused(f"{shown}: accepted is {FORM}")
    if parts.password is not None:
        raise BusRefused("an address holds no password: the trader's seed is read from a file")
    if parts.scheme == "nats" and host not in LOOPBACK:
        raise BusRefused(f"{shown}: only tls:// is accepted outside this machine")
    desk = check_name("desk", parts.path.strip("/") or USUAL_DESK)
    trader = check_name("trader", parts.username) if parts.username else ""
    shown_host = f"[{host}]" if ":" in host else host
    return BusAddress(f"{parts.scheme}://{shown_host}:{port}", desk, trader)
