"""Keys of the ladder: what is staged, cancelled and replaced is what stands on the cursor's line."""

from __future__ import annotations

import re
from decimal import Decimal

import msgspec
import pytest

from tests.workstation.driver import desk
from tests.workstation.ladder.ladder import cursor_price, ladder, open_ladder, rest_three, stand
from tui.engine.intents import Cancel, Outcome, PlaceAlgo, Replace, Verdict
from tui.engine.orders.pre_trade_checks import check_painted
from tui.engine.rows import Table
from tui.interface.families.orders import TimeInForce
from tui.workstation.features.ladder.axis import Axis
from tui.workstation.input.scopes import Scope

BTC = "BINANCE_PERP_BTC_USDT"
ACCEPTED = Outcome(verdict=Verdict.ACCEPTED, key="new")


@pytest.mark.drawn
async def test_in_the_ladder_b_stages_a_buy_at_the_cursor_price() -> None:
    async with desk(120, 36) as at:
        at.port.outcomes = [ACCEPTED]
        await open_ladder(at)
        await at.press("j", "j")
        await stand(at)
        shown = cursor_price(at)
        await at.press("b")
        assert at.scope() is Scope.PREVIEW
        await stand(at)
        await at.press("enter")
        await at.settle()
        [order] = at.sent_orders()
        assert (order.price, order.side, order.time_in_force) == (shown, "BUY", TimeInForce.GTX)
        painted = order.painted
        assert painted is not None and painted.price == shown and painted.stood_ms >= 100 and painted.bid == "64001.0"


@pytest.mark.drawn
async def test_on_the_ladder_only_y_sends_at_a_price_that_now_takes() -> None:
    async with desk(120, 36) as at:
        at.port.outcomes = [ACCEPTED]
        await open_ladder(at)
        await at.press("j", "j")
        await stand(at)
        at.port.quote(BTC, "63990.0", "63990.2")
        await stand(at)
        await at.press("b")
        await stand(at)
        await at.press("enter", "enter")
        assert at.sent_orders() == [] and "this price takes at once: press y to send" in at.text()
        assert " y sends" in at.text()
        await stand(at)
        await at.press("y")
        await at.settle()
        assert [order.time_in_force for order in at.sent_orders()] == [TimeInForce.GTC]


@pytest.mark.drawn
@pytest.mark.parametrize("key", ["enter", "y"])
async def test_on_the_ladder_enter_sends_once_the_price_would_rest(key: str) -> None:
    """The shown key follows the market; `y`, shown a moment before, sends too."""
    async with desk(120, 36) as at:
        at.port.outcomes = [ACCEPTED]
        await open_ladder(at)
        await at.press("j", "j")
        await stand(at)
        shown = cursor_price(at)
        at.port.quote(BTC, "63990.0", "63990.2")
        await stand(at)
        await at.press("b")
        await stand(at)
        assert " y sends" in at.text() and "y send" in at.text().splitlines()[-1]
        at.port.quote(BTC, "64001.0", "64001.2")
        await stand(at)
        assert " Enter sends" in at.text() and "Enter send" in at.text().splitlines()[-1]
        at.port.quote(BTC, "63990.0", "63990.2")
        await stand(at)
        assert " y sends" in at.text()
        await at.press("enter")
        assert at.sent_orders() == [] and "this price takes at once: press y to send" in at.text()
        at.port.quote(BTC, "64001.0", "64001.2")
        await stand(at)
        at.clock.pass_by(2.0)
        await at.press(key)
        await at.settle()
        assert [order.price for order in at.sent_orders()] == [shown]


@pytest.mark.drawn
@pytest.mark.parametrize("before", [(), ("enter",)])
async def test_on_the_ladder_y_sends_a_taking_order_of_a_typed_size(before: tuple[str, ...]) -> None:
    async with desk(120, 36) as at:
        at.port.outcomes = [ACCEPTED]
        await open_ladder(at)
        await at.press("k", "k", "k", "k")
        await stand(at)
        await at.press("b", *"0.3")
        await stand(at)
        await at.press(*before)
        assert at.sent_orders() == [] and " y sends" in at.text()
        await stand(at)
        await at.press("y")
        await at.settle()
        assert [(order.qty, order.time_in_force) for order in at.sent_orders()] == [("0.3", TimeInForce.GTC)]


async def test_a_price_staged_on_the_ladder_does_not_follow_the_market() -> None:
    async with desk(120, 36) as at:
        at.port.outcomes = [ACCEPTED]
        await open_ladder(at)
        await at.press("j", "j")
        await stand(at)
        shown = cursor_price(at)
        await at.press("b")
        at.port.quote(BTC, "63990.0", "63990.2")
        await at.settle()
        await at.press("=", "J")
        assert any("the price is the one you chose on the ladder" in text for text in at.events()) or (
            "the price is the one you chose on the ladder" in at.text()
        )
        assert f"{shown[:2]},{shown[2:]}" in at.text()


@pytest.mark.drawn
async def test_a_ladder_price_just_come_under_the_cursor_is_not_staged() -> None:
    async with desk(120, 36) as at:
        await open_ladder(at)
        await at.press("j", "b")
        assert at.scope() is Scope.LADDER and at.sent_orders() == []
        assert any("stands under the cursor for" in text for text in at.events())


async def test_quotes_move_neither_cursor_nor_rows_of_the_ladder() -> None:
    async with desk(120, 36) as at:
        await open_ladder(at)
        await at.press("k", "k", "k")
        price, top = cursor_price(at), ladder(at).axis and ladder(at).axis.top  # type: ignore[union-attr]
        for step in range(40):
            at.port.quote(BTC, f"{64001 + step * 7}.0", f"{64001 + step * 7}.2")
            await at.settle()
            assert cursor_price(at) == price
        axis = ladder(at).axis
        assert axis is not None and axis.top == top and "↑" in at.text()
        await at.press("'")
        assert cursor_price(at) == f"{64001 + 39 * 7}.0"


async def test_centering_the_ladder_keeps_the_cursor_price() -> None:
    async with desk(120, 36) as at:
        await open_ladder(at)
        await at.press("k", "k", "k")
        price = cursor_price(at)
        await at.press("'")
        assert cursor_price(at) == price


async def test_ladder_keys_move_the_cursor_to_bid_or_ask_and_by_tens() -> None:
    async with desk(120, 36) as at:
        await open_ladder(at)
        await at.press("G")
        assert cursor_price(at) == "64001.2"
        await at.press("g")
        assert cursor_price(at) == "64001.0"
        await at.press("]")
        assert cursor_price(at) == "64002.0"
        await at.press("[", "[")
        assert cursor_price(at) == "64000.0"


async def test_a_ladder_order_with_a_price_not_shown_is_denied() -> None:
    async with desk(120, 36) as at:
        at.port.outcomes = [ACCEPTED]
        await open_ladder(at)
        await at.press("b")
        panel = at.app.main_screen.panel
        assert panel.ticket is not None
        panel.ticket = msgspec.structs.replace(panel.ticket, price="63000.0")
        panel.refresh()
        await stand(at)
        await at.press("enter")
        await at.settle()
        [order] = at.sent_orders()
        refusal = check_painted(order)
        assert order.price == "63000.0" and refusal is not None and refusal.guard == "LADDER"


async def test_an_order_stepped_off_its_ladder_price_records_none() -> None:
    async with desk(120, 36) as at:
        at.port.outcomes = [ACCEPTED]
        await open_ladder(at)
        await at.press("j", "j")
        await stand(at)
        await at.press("b", "down")
        await stand(at)
        await at.press("enter")
        await at.settle()
        [order] = at.sent_orders()
        assert order.painted is None


async def test_a_repeated_ladder_order_records_no_price_seen_there() -> None:
    async with desk(120, 36) as at:
        at.port.outcomes = [ACCEPTED, ACCEPTED]
        await open_ladder(at)
        await at.press("b")
        await stand(at)
        await at.press("enter")
        await at.settle()
        at.app.main_screen.show_pane("quotes")
        await at.settle()
        await at.press("full_stop")
        await stand(at)
        await at.press("enter")
        await at.settle()
        first, again = at.sent_orders()
        assert first.price == again.price and first.painted is not None and again.painted is None


@pytest.mark.drawn
async def test_a_ladder_key_for_a_price_not_shown_stages_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    edge = Axis.edge
    monkeypatch.setattr(Axis, "edge", lambda axis, row, *, buys: edge(axis, row, buys=buys) + 1)
    async with desk(120, 36) as at:
        await open_ladder(at)
        shown = cursor_price(at)
        await at.press("b")
        assert at.scope() is Scope.LADDER and f"the screen showed BUY {shown}" in at.events()[-1]


@pytest.mark.drawn
async def test_a_key_60_ms_after_a_ladder_row_is_drawn_stages_nothing() -> None:
    async with desk(120, 36) as at:
        await open_ladder(at)
        await at.pause(60)
        at.send_now("j")
        await at.settle()
        drawn = ladder(at).written.since
        await stand(at)
        at._send("b", drawn + 0.0605)
        await at.settle()
        assert at.scope() is Scope.LADDER and "under the cursor for 60 ms" in at.events()[-1]


@pytest.mark.drawn
async def test_a_ladder_hidden_and_shown_again_counts_as_newly_drawn() -> None:
    async with desk(80, 24) as at:
        await open_ladder(at)
        since = ladder(at).written.since
        await at.press("right")
        await at.settle()
        assert ladder(at).drawn is None and not at.app.main_screen.boxes["ladder"].display
        await at.press("(")
        await at.settle()
        assert at.scope() is Scope.LADDER and since < ladder(at).written.since < float("inf")


async def test_paging_the_ladder_keeps_its_cursor_row_selected() -> None:
    async with desk(120, 36) as at:
        await open_ladder(at)
        table = at.app.main_screen.tables["ladder"]
        moved = table.cursor.moved_at
        for key in ("pagedown", "pageup", "pageup", ">", "<", "'"):
            await at.press(key)
            assert table.selected == ladder(at).cursor_key and table.cursor.moved_at == moved and not table.cursor.slid


@pytest.mark.drawn
async def test_a_changed_tick_size_rebuilds_the_ladder_on_that_tick() -> None:
    async with desk(120, 36) as at:
        await open_ladder(at)
        await at.press("j", "j", "j")
        info = at.app.mirror.symbols[BTC]
        at.port.put(Table.SYMBOLS, BTC, msgspec.structs.replace(info, tick_size="0.5"))
        await at.settle()
        axis = ladder(at).axis
        assert axis is not None and axis.tick == Decimal("0.5")
        assert cursor_price(at) == ladder(at).cursor_key and axis.price_of(axis.cursor or 0) == Decimal("64000.5")


async def test_the_ladder_grouping_is_kept_per_pair_and_over_starts() -> None:
    """Another pair or layout, or the next start, began with the desk's own choice."""
    stored: list[bytes] = []
    async with desk(160, 45, save_preferences=stored.append) as at:
        await open_ladder(at)
        await at.press(">", ">")
        at.app.main_screen.pair.show("OKX_PERP_BTC_USDT")
        await at.settle()
        await at.press("<", "<", "<", "<", "<")
        at.app.main_screen.pair.show(BTC)
        await at.settle()
        axis = ladder(at).axis
        assert axis is not None and axis.group == 10
    async with desk(160, 45, preferences=stored[-1]) as at:
        await at.press("1", "g", "j", "d")
        await at.settle()
        axis = ladder(at).axis
        assert axis is not None and axis.chosen == 10, "it has no line yet"


async def test_own_orders_are_on_their_ladder_rows_and_c_cancels_them() -> None:
    async with desk(120, 36) as at:
        await rest_three(at)
        await at.press("g", "j", "j", "j", "j", "j")
        assert cursor_price(at) == "64000.5"
        await at.press("c")
        await at.settle()
        assert sorted(intent.key for intent in at.port.intents if isinstance(intent, Cancel)) == ["n1", "n2"]


async def test_key_c_on_a_ladder_row_without_own_orders_says_so() -> None:
    async with desk(120, 36) as at:
        await open_ladder(at)
        await at.press("c")
        assert at.port.intents == [] and "no order of yours is working at this price" in at.events()[-1]


@pytest.mark.drawn
async def test_an_order_picked_on_the_ladder_goes_to_the_cursor_by_y() -> None:
    async with desk(120, 36) as at:
        at.port.outcomes = [ACCEPTED]
        await open_ladder(at)
        at.port.order("n1", BTC, "BUY", "64000.5", "0.300", position_side="LONG")
        await at.settle()
        await at.press("g", "j", "j", "j", "j", "j", "space", "j", "j")
        await stand(at)
        shown = cursor_price(at)
        await at.press("enter")
        assert at.port.intents == [] and at.scope() is not Scope.LADDER
        await stand(at)
        await at.press("y")
        await at.settle()
        [replace] = [intent for intent in at.port.intents if isinstance(intent, Replace)]
        assert (replace.key, replace.price, replace.qty) == ("n1", shown, "0.300")
        assert replace.painted is not None and (replace.painted.price, replace.painted.side) == (shown, "BUY")
        at.port.order("n1", BTC, "BUY", shown, "0.300", position_side="LONG")
        await at.settle()
        assert "◆" not in at.text()


async def test_enter_is_offered_while_an_order_is_picked_up() -> None:
    """The line of keys said `Enter put here` also without an order that Enter could put anywhere."""
    async with desk(160, 45) as at:
        await open_ladder(at)
        at.port.order("n1", BTC, "BUY", "64000.5", "0.300", position_side="LONG")
        await at.settle()
        await at.press("g", "j", "j", "j", "j", "j")
        foot = at.text().splitlines()[-1]
        assert "b buy" in foot and "put here" not in foot, foot
        await at.press("space")
        assert "Enter put here" in at.text().splitlines()[-1], at.text()
        at.port.order("n1", BTC, "BUY", "64000.5", "0.300", position_side="LONG", state="CANCELLED", final=True)
        await at.settle()
        assert "put here" not in at.text().splitlines()[-1], at.text()
        await at.press("j")
        assert "put here" not in at.text().splitlines()[-1], at.text()


@pytest.mark.drawn
@pytest.mark.parametrize("key", ["enter", "p", "t"])
async def test_a_ladder_stop_right_after_a_cursor_move_is_refused(key: str) -> None:
    async with desk(120, 36) as at:
        await open_ladder(at)
        at.port.order("n1", BTC, "BUY", "64000.5", "0.300", position_side="LONG")
        await at.settle()
        await at.press("g", "j", "j", "j", "j", "j", "space", "j", "j", key)
        await at.settle()
        assert at.scope() is Scope.LADDER and "stands under the cursor for" in at.events()[-1]


@pytest.mark.parametrize("key", ["p", "t"])
async def test_stop_and_target_of_a_long_on_a_grouped_row_take_its_top(key: str) -> None:
    """The stop of a long below it triggers earlier at the high end, the target above it sells for more there."""
    async with desk(120, 36) as at:
        at.port.outcomes = [ACCEPTED]
        await open_ladder(at)
        await at.press(*("g", ">", ">", *(("[", "[") if key == "p" else ("]", "]"))))
        await stand(at)
        low = Decimal(ladder(at).cursor_key)
        await at.press(key)
        assert at.scope() is Scope.PROMPT
        at.clock.pass_by(1.0)
        await at.press("y")
        await at.settle()
        [level] = [intent for intent in at.port.intents if isinstance(intent, PlaceAlgo)]
        trigger = level.stop_loss or level.take_profit
        assert trigger is not None and Decimal(trigger.trigger) == low + Decimal("0.9")
        high = at.app.context.view.price_of(BTC, low + Decimal("0.9"))
        assert any(f"{high} is the high end of the row" in event for event in at.events())


async def test_a_held_enter_on_the_ladder_replaces_nothing() -> None:
    async with desk(120, 36) as at:
        await open_ladder(at)
        at.port.order("n1", BTC, "BUY", "64000.5", "0.300", position_side="LONG")
        await at.settle()
        await at.press("g", "j", "j", "j", "j", "j", "space", "j", "j")
        await at.hold("enter", 2.0)
        await at.settle()
        assert at.port.intents == []


async def test_prices_in_ladder_messages_have_thousands_separators() -> None:
    async with desk(120, 36) as at:
        await open_ladder(at)
        at.port.order("mine", BTC, "BUY", "64000.0", "0.1")
        await at.settle()
        pane = ladder(at)
        while cursor_price(at) != "64000.0":
            await at.press("j" if Decimal(cursor_price(at)) > 64000 else "k")
        await stand(at)
        await at.press("space")
        assert at.events()[-1] == "picked up BUY 0.100 BINANCE BTC perp @ 64,000.0: Enter on another row moves it there"
        await at.press(">", "g")
        await stand(at)
        await at.press("b")
        assert pane.axis is not None and pane.axis.group > 1
        assert any(re.match(r"64,\d{3}\.\d is the low end of the row", text) for text in at.events())


async def test_key_p_on_the_ladder_places_a_stop_at_the_cursor_price() -> None:
    async with desk(120, 36) as at:
        at.port.outcomes = [ACCEPTED]
        await open_ladder(at)
        await at.press("[", "[", "[")
        await stand(at)
        shown = cursor_price(at)
        await at.press("p")
        assert at.scope() is Scope.PROMPT
        at.clock.pass_by(1.0)
        await at.press("y")
        await at.settle()
        [stop] = [intent for intent in at.port.intents if isinstance(intent, PlaceAlgo)]
        assert stop.stop_loss is not None and Decimal(stop.stop_loss.trigger) == Decimal(shown)


@pytest.mark.parametrize(("key", "chosen", "leg", "up"), [("p", 0, "LONG", False), ("t", 1, "SHORT", False),
                                                         ("p", 1, "SHORT", True), ("t", 0, "LONG", True)])  # fmt: skip
async def test_a_ladder_stop_or_target_of_two_legs_asks_for_the_leg(key: str, chosen: int, leg: str, up: bool) -> None:
    async with desk(120, 36) as at:
        at.port.outcomes = [ACCEPTED]
        long = at.app.mirror.positions[f"{BTC}/LONG"]
        short = msgspec.structs.replace(long.record, position_side="SHORT", position_qty="0.2")
        at.port.put(Table.POSITIONS, f"{BTC}/SHORT", msgspec.structs.replace(long, record=short))
        await at.settle()
        await open_ladder(at)
        await at.press("g", ">", ">", *(("]", "]") if up else ("[", "[")))
        await stand(at)
        low = Decimal(ladder(at).cursor_key)
        await at.press(key)
        assert at.scope() is Scope.PROMPT and "has a long and a short position" in at.text()
        assert "Enter opens the question" in at.text() and "BTC perp SHORT 0.200 at 6" in at.text()
        at.clock.pass_by(1.0)
        await at.press(*["down"] * chosen, "enter")
        assert at.scope() is Scope.PROMPT and at.port.intents == [], "the question that sends is another one"
        assert "y confirms the selected line" in at.text()
        at.clock.pass_by(1.0)
        await at.press("y")
        await at.settle()
        [level] = [intent for intent in at.port.intents if isinstance(intent, PlaceAlgo)]
        trigger = level.stop_loss if key == "p" else level.take_profit
        assert trigger is not None and level.position_side == leg
        # The stop triggers at the end that comes first, the target at the one that comes last.
        assert Decimal(trigger.trigger) == low + (0 if leg == "SHORT" else Decimal("0.9"))


async def test_a_ladder_that_gets_the_focus_keeps_its_pair() -> None:
    async with desk(120, 36) as at:
        await open_ladder(at)
        at.app.main_screen.show_pane("quotes")
        await at.settle()
        await at.app_takes("j")
        await at.app_takes("shift+tab")
        assert at.scope() is Scope.LADDER
        pair = at.app.main_screen.pair.sym
        for _ in range(10):
            await at.pause(0.05)
            assert (at.scope(), at.app.main_screen.pair.sym) == (Scope.LADDER, pair)
        assert pair == "EDX_PERP_BTC_USDT"


async def test_clicks_in_the_ladder_move_the_cursor_and_send_nothing() -> None:
    async with desk(120, 36) as at:
        await open_ladder(at)
        table = at.app.main_screen.tables["ladder"]
        for line in range(3, 20):
            await at.click(table.region.x + 20, table.region.y + line)
        assert at.port.intents == [] and at.scope() is Scope.LADDER
        assert ladder(at).cursor_key == table.selected


@pytest.mark.drawn
@pytest.mark.parametrize("keys", [[], ["tab"], [*"0.002"]])
async def test_a_ladder_ticket_that_would_take_names_y_in_the_key_line(keys: list[str]) -> None:
    async with desk(120, 36) as at:
        await open_ladder(at)
        while float(cursor_price(at)) < 64001.2:
            await at.press("k")
        await stand(at)
        await at.press("b")
        await stand(at)
        await at.press(*keys)
        for _ in range(2):
            await stand(at)
            footer = at.text().split("\n")[-1]
            assert "y sends" in at.text() and "y send" in footer and "Enter send" not in footer, footer
            await at.press("enter")
        assert at.sent_orders() == [] and "press y to send" in at.text()
        await at.press("y")
        assert len(at.sent_orders()) == 1
