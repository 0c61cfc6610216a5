"""An order copied as a text is what would place it again: as a line, from Python, over REST and WebSocket."""

from __future__ import annotations

import ast
import json
from decimal import Decimal
from typing import Any

import msgspec
import pytest

from tests.workstation.driver import Desk, desk
from tests.workstation.keys.test_command_line import answer, enter, placed
from tui.engine.rows import OrderRow, Table
from tui.interface.families.orders import PLACE_ORDER, PlaceOrder
from tui.interface.request import read_arguments
from tui.workstation.features.order_texts.texts import write_line, write_python, write_rest, write_stream
from tui.workstation.input.scopes import Scope

KINDS: dict[str, dict[str, Any]] = {
    "post-only buy": {
        "side": "BUY",
        "position_side": "LONG",
        "time_in_force": "GTX",
        "price": "63990.0",
        "qty": "0.25",
    },
    "leg of a hedge": {
        "side": "SELL",
        "position_side": "LONG",
        "time_in_force": "GTC",
        "price": "64100.5",
        "qty": "0.1",
    },
    "reduce-only": {"side": "SELL", "time_in_force": "IOC", "price": "63900.0", "qty": "0.05", "reduce_only": True},
    "market": {
        "side": "BUY",
        "position_side": "LONG",
        "order_type": "MARKET",
        "time_in_force": "",
        "price": "",
        "qty": "0.3",
    },
}
ORDERS = pytest.mark.parametrize("terms", KINDS.values(), ids=KINDS)


def order_of(at: Desk, terms: dict[str, Any]) -> OrderRow:
    row = next(row for row in at.app.mirror.orders.values() if row.sym == "BINANCE_PERP_BTC_USDT")
    usual: dict[str, Any] = {"order_type": "LIMIT", "position_side": "NONE", "reduce_only": False}
    return msgspec.structs.replace(row, **{**usual, **terms})


@pytest.mark.parametrize("name", [name for name in KINDS if name != "reduce-only"])
async def test_an_order_copied_as_command_line_places_the_same_order(name: str) -> None:
    """On legs, as this account holds them: a closing leg is what reduces."""
    async with desk(160, 45) as at:
        order = order_of(at, KINDS[name])
        await enter(at, write_line(order))
        await answer(at, "enter")
        await answer(at, "y")
        [sent] = at.port.intents
        side, size, price = placed(at)[0]
        assert (side, Decimal(size)) == (order.side, Decimal(order.qty)), at.text()
        assert not order.price or Decimal(price) == Decimal(order.price)
        assert sent.position_side == order.position_side and sent.reduce_only == order.reduce_only  # type: ignore[union-attr]


@ORDERS
async def test_an_order_copied_as_rest_or_stream_text_keeps_its_terms(terms: dict[str, Any]) -> None:
    async with desk() as at:
        order = order_of(at, terms)
        method, path, body = write_rest(order).split(" ", 2)
        message = json.loads(write_stream(order))
        assert (method, path) == ("POST", PLACE_ORDER.path) and message["action"] == "place_order"
        assert json.loads(body) == message["args"]
        request = read_arguments(PlaceOrder, message["args"])
        assert (request.sym, request.side, request.order_qty, request.limit_price) == (
            order.sym, order.side, order.qty, order.price,
        )  # fmt: skip
        assert (request.position_side or "NONE", request.time_in_force, bool(request.reduce_only)) == (
            order.position_side, order.time_in_force, order.reduce_only,
        )  # fmt: skip


@ORDERS
async def test_an_order_copied_as_a_python_call_keeps_its_terms(terms: dict[str, Any]) -> None:
    async with desk() as at:
        order = order_of(at, terms)
        call = ast.parse(write_python(order), mode="eval").body
        assert isinstance(call, ast.Call)
        assert [ast.literal_eval(word) for word in call.args] == [
            word for word in (order.side, order.sym, order.qty, order.price) if word
        ]
        named = {word.arg: ast.literal_eval(word.value) for word in call.keywords}
        assert named.pop("reason") == ""
        assert (named.get("position_side", "NONE"), named.get("reduce_only", False)) == (
            order.position_side, order.reduce_only,
        )  # fmt: skip
        assert named.get("time_in_force", "GTC") == (order.time_in_force or "GTC")


@pytest.mark.parametrize("size", [(80, 24), (160, 45)])
async def test_the_chosen_text_form_of_an_order_is_copied(
    size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with desk(*size) as at:
        copied: list[str] = []
        monkeypatch.setattr(at.app, "copy_to_clipboard", copied.append)
        at.port.put(Table.ORDERS, "o3", at.app.mirror.orders["o3"])
        await at.press("2", "g", "Y")
        await at.settle()
        assert at.scope() is Scope.TEXTS and "Copy the order as" in at.text() and "WebSocket" in at.text()
        await at.press("j", "enter")
        await at.settle()
        assert copied[0].startswith('desk.propose("') and "as Python" in at.events()[-1]
        assert at.scope() is not Scope.TEXTS and at.port.intents == []


async def test_the_copy_order_key_says_that_no_order_is_at_the_cursor() -> None:
    async with desk() as at:
        await at.press("4", "Y")
        assert "no order is under the cursor" in at.text()


@pytest.mark.parametrize(
    ("terms", "why"), [({"time_in_force": "GTD"}, "time in force GTD"), ({"position_side": "NET"}, "NET")]
)
async def test_an_order_of_unknown_terms_cannot_be_copied_as_text(terms: dict[str, str], why: str) -> None:
    async with desk(160, 45) as at:
        await at.press("2", "g")
        key = at.app.main_screen.tables["orders"].selected or ""
        at.port.put(Table.ORDERS, key, msgspec.structs.replace(at.app.mirror.orders[key], **terms))
        await at.settle()
        await at.press("Y")
        assert at.scope() is Scope.ORDERS and why in at.events()[-1]
        assert "of the order is unknown to this program" in at.events()[-1]
