"""Control line: JSON on standard input that sets switches, moves markets, pays dividends, creates deposits."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from tui.interface.text import is_plain
from tui.venue.core.commands import ArriveDeposit, MoveMarket, PayDividend, Rejected, Reply, SetSwitch
from tui.venue.core.switches import EDITION, BadSwitch
from tui.venue.shell.server import Server


def _execute(server: Server, command: SetSwitch | MoveMarket | PayDividend | ArriveDeposit) -> None:
    """Execute a command of the exchange.

    Raises:
        BadSwitch: The exchange refused it.
    """
    replies: list[Reply] = []
    server.runtime.execute(command, replies.append)
    if replies and isinstance(replies[0], Rejected):
        raise BadSwitch(replies[0].message)


def set_switch(server: Server, name: str, value: str) -> None:
    """Set a switch of the server side or of the exchange.

    Raises:
        BadSwitch: No such name or value; the text lists what is accepted.
    """
    if name in server.runtime.switches:
        server.runtime.switches.set(name, value)
        server.runtime.faults.restart(name)
        if (name, value) == ("network", "cut"):
            server.drop_connections()
        elif name == "tier_down":
            server.drop_tier(value)
        return
    _execute(server, SetSwitch(name=name, value=value))
    if name == EDITION:
        server.runtime.switches.set_edition(value)


def execute_line(server: Server, line: bytes) -> str:
    """Execute one control line; return an empty text or the error."""
    try:
        request = json.loads(line)
    except (ValueError, RecursionError):
        return "control: not JSON"
    if not isinstance(request, dict) or not is_plain(request) or not (set(request) & set(_VERBS)):
        return f"control: expected {{VERB: {{NAME: VALUE}}}} with one of the verbs {', '.join(_VERBS)}"
    for verb, act in _VERBS.items():
        wanted = request.get(verb, {})
        if not isinstance(wanted, Mapping):
            return f'control: expected {{"{verb}": {{...}}}}'
        for name, value in wanted.items():
            try:
                act(server, str(name), str(value))
            except BadSwitch as error:
                return f"control: {error}"
    return ""


def move_market(server: Server, coin: str, price: str) -> None:
    """Move the market of a coin to a price, or by a percentage such as `-2%`: order books, index and mark prices.

    Raises:
        BadSwitch: No such coin, not a price, or a recorded market.
    """
    _execute(server, MoveMarket(coin=coin, price=price))


def pay_dividend(server: Server, coin: str, share: str) -> None:
    """Pay a dividend to every portfolio that holds the coin, as a fraction of its balance.

    Raises:
        BadSwitch: The share is not a decimal above 0.
    """
    _execute(server, PayDividend(coin=coin, share=share))


def let_deposit_arrive(server: Server, coin: str, words: str) -> None:
    """Create a deposit that arrives from outside.

    Args:
        server: Server of the venue.
        coin: Currency.
        words: `AMOUNT [NETWORK [ACCOUNT]]`; the account is FUNDING, main, sub or the id of a portfolio.

    Raises:
        BadSwitch: A value is not accepted.
    """
    parts = words.split()
    if not 1 <= len(parts) <= 3:
        raise BadSwitch(f"deposit {words[:60]!r} is not accepted; it must read AMOUNT [NETWORK [ACCOUNT]]")
    amount, network, account = (*parts, "", "")[:3]
    _execute(server, ArriveDeposit(currency=coin, amount=amount, network=network, account=account))


_VERBS: dict[str, Callable[[Server, str, str], None]] = {
    "set": set_switch,
    "move": move_market,
    "dividend": pay_dividend,
    "deposit": let_deposit_arrive,
}
