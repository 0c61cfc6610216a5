"""The control line: JSON on standard input sets switches, its end ends the venue."""

from __future__ import annotations

import json
from collections.abc import Mapping

from tui.venue.core.commands import Refused, Reply, Switch
from tui.venue.core.switches import BadSwitch
from tui.venue.shell.server import Server


def set_switch(server: Server, name: str, value: str) -> None:
    """Change one switch of the shell or of the exchange.

    Raises:
        BadSwitch: no such name or value; the text lists what is accepted.
    """
    if name in server.runtime.switches:
        server.runtime.switches.set(name, value)
        if (name, value) == ("network", "cut"):
            server.cut()
        return
    replies: list[Reply] = []
    server.runtime.execute(Switch(name=name, value=value), replies.append)
    if replies and isinstance(replies[0], Refused):
        raise BadSwitch(replies[0].message)


def obey(server: Server, line: bytes) -> str:
    """Carry out one control line; the answer is empty or says what was wrong with it."""
    try:
        request = json.loads(line)
    except (ValueError, RecursionError):
        return "control: not JSON"
    wanted = request.get("set") if isinstance(request, dict) else None
    if not isinstance(wanted, Mapping):
        return 'control: expected {"set": {"NAME": "VALUE"}}'
    for name, value in wanted.items():
        try:
            set_switch(server, str(name), str(value))
        except BadSwitch as error:
            return f"control: {error}"
    return ""
