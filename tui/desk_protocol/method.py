"""Method of the desk protocol: who may call it, with what, and what carries it out."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

from tui.desk_protocol.messages import Role
from tui.desk_protocol.peer import Peer


class Method(NamedTuple):
    """Method of the desk protocol: least role that may call it, type of its parameters, and its handler."""

    least: Role
    params: Any
    """Type of its parameters."""
    handle: Callable[[Peer, Any], Awaitable[object]]
