"""Fills ahead of the record of an order count in its ticket and in plain mode like those in the record."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from tests.workstation.command_line.test_order_plan import BTC, read_desk
from tui.workstation.model.account_snapshot import Missing
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.plain.readings import Readings
from tui.workstation.tickets.order import ticket_factory
from tui.workstation.tickets.order.forecast import forecast
from tui.workstation.tickets.order.ticket import Ticket
from tui.workstation.tickets.panel_rows import order_to_replace
from tui.workstation.tickets.preview.position import effect_pieces
from tui.workstation.tickets.preview.warning_texts import warning_pieces

SPOT = "BINANCE_SPOT_BTC_USDT"


def _rest(ticket: Ticket, view: DisplayContext) -> str:
    return ticket.remaining_text()


def _description(ticket: Ticket, view: DisplayContext) -> str:
    return "".join(text for text, _ in order_to_replace(ticket, view, 200))


def _effect(ticket: Ticket, view: DisplayContext) -> str:
    return "".join(text for text, _ in effect_pieces(ticket, view))


def _warning(ticket: Ticket, view: DisplayContext) -> str:
    small = msgspec.structs.replace(ticket, qty="0.4")
    return "".join(text for text, _ in warning_pieces(small, None, view))


def _forecast(ticket: Ticket, view: DisplayContext) -> str:
    found = forecast(ticket, view.mirror.quotes[ticket.sym], view.mirror)
    assert not isinstance(found, Missing), found
    return str(found)


@pytest.mark.parametrize("sym", [BTC, SPOT])
@pytest.mark.parametrize("read", [_rest, _description, _effect, _warning, _forecast])
def test_a_replace_counts_fills_that_its_order_does_not_show_yet(
    read: Callable[[Ticket, DisplayContext], str], sym: str
) -> None:
    def texts(**filled: str) -> str:
        view = read_desk(hedge=False)
        price = view.mirror.quotes[sym].bid
        row = msgspec.structs.replace(
            view.mirror.orders["o3"], sym=sym, side="BUY", position_side="NONE", price=price, qty="1", **filled
        )
        view.mirror.orders["o3"] = row
        return read(ticket_factory.replacement(row, view), view)

    behind = texts(executed="0", known_fills="0.4")
    assert behind == texts(executed="0.4") != texts(executed="0")


@pytest.mark.parametrize(
    ("size", "filled", "warns"), [("2.5", "0", False), ("2.6", "0", True), ("3", "0.5", False), ("3", "0.4", True)]
)
def test_a_reduce_only_replace_warns_only_by_its_unfilled_rest(size: str, filled: str, warns: bool) -> None:
    """What filled of it is no longer in the position."""
    view = read_desk(hedge=False)
    row = msgspec.structs.replace(
        view.mirror.orders["o3"], sym=BTC, side="SELL", position_side="NONE", reduce_only=True, price="65000", qty=size,
        executed=filled, known_fills="0",
    )  # fmt: skip
    view.mirror.orders["o3"] = row
    [(said, _)] = warning_pieces(ticket_factory.replacement(row, view), None, view) or [("", "")]
    assert ("more than the position holds (2.5 BTC)" in said) == warns


def test_a_replace_below_its_fills_warns_unless_the_order_ended() -> None:
    view = read_desk(hedge=False)
    row = msgspec.structs.replace(view.mirror.orders["o3"], executed="0.1")
    ticket = msgspec.structs.replace(ticket_factory.replacement(row, view), qty="0.1")
    for ended in (False, True):
        view.mirror.orders["o3"] = msgspec.structs.replace(row, final=ended, state="FILLED" if ended else row.state)
        said = "".join(text for text, _ in warning_pieces(ticket, None, view))
        assert ("this cancels the order" in said) is not ended


def test_an_order_card_in_plain_mode_counts_all_known_fills() -> None:
    view = read_desk()
    row = msgspec.structs.replace(view.mirror.orders["o3"], qty="1", executed="0", average="60000", known_fills="0.4")
    [line, *others] = Readings(view, []).order_card(row)
    assert ", filled 0.400 BTC" in line and not any("average" in text for text in others)
    [_, average, *_] = Readings(view, []).order_card(msgspec.structs.replace(row, executed="0.4"))
    assert average.startswith("average price 60")
