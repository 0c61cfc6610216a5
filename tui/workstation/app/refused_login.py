"""Explanation of a refused login: the API key of a sub-user has no portfolio, so most data cannot be read with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tui.engine.event_line import Level
from tui.engine.rows import Table
from tui.engine.service_query import ReadState, query_endpoint
from tui.engine.status_rows import LinkState
from tui.interface.errors import OTHER_LEVEL
from tui.workstation.commands.context import Context

_ACCOUNT = query_endpoint("key/account", "account")
NO_PORTFOLIO = "this API key belongs to a sub-user and has no portfolio"
NOTICE = (
    f"{NO_PORTFOLIO}: orders, positions, balances and loans cannot be read, and nothing can be sent. Quotes work, as do the "
    "lists of funds (⟦screen.funds⟧) and of all accounts (⟦screen.overview⟧) where the service allows it. "
    "To trade, start with a portfolio's key"
)


class RefusedLogin:
    """REST query for the reason of refused logins, sent once per series of refusals."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._asked = False

    def follow(self, changed: Mapping[Table, Sequence[str]]) -> None:
        """Handle status changes of the private connection, and the reply to the query."""
        if Table.LINKS in changed:
            self._follow_link()
        if _ACCOUNT.key in changed.get(Table.ANSWERS, ()):
            self._judge()

    def _follow_link(self) -> None:
        mirror = self._context.mirror
        link = mirror.links.get("private")
        if link is None:
            return
        if link.state is LinkState.UP:
            self._asked, mirror.unreadable = False, ""
        elif link.login_refused and not self._asked:
            self._asked = True
            self._context.port.read(_ACCOUNT)

    def _judge(self) -> None:
        context = self._context
        answer = context.mirror.answers.get(_ACCOUNT.key)
        if answer is None or answer.state is not ReadState.FAILED:
            return
        if answer.code != OTHER_LEVEL:
            # Unknown reason: the next refusal queries again.
            self._asked = answer.code != 0
            return
        if not context.mirror.unreadable:
            context.mirror.unreadable = NO_PORTFOLIO
            context.say(NOTICE, Level.ALERT)
            for table in context.main_screen.tables.values():
                table.redraw_all()
