"""Names of pairs and positions in a line: positions held come first, and a refusal says what chooses."""

from __future__ import annotations

from decimal import Decimal

import msgspec
import pytest

from tests.workstation.command_line.test_order_plan import BTC, ETH, OKX, read_desk
from tests.workstation.driver import desk
from tests.workstation.keys.test_command_line import enter, said
from tui.engine.intents import Place, PlaceAlgo, ReplaceAlgo
from tui.engine.modes import RiskMode, TradingState
from tui.engine.rows import AlgoRow, PendingAction, Table
from tui.interface.families.algo import AlgoRecord
from tui.workstation.command_line.grammar.parser import parse
from tui.workstation.command_line.grammar.refusals import Code, LineRefused
from tui.workstation.command_line.grammar.scene import Scene
from tui.workstation.command_line.levels import list_held
from tui.workstation.command_line.named_rows import Cursor
from tui.workstation.command_line.outlook import LineOutlook, expand_closes, look_ahead
from tui.workstation.command_line.requests import asks_once
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.mirror import Mirror

SPOT = "BINANCE_SPOT_BTC_USDT"


def look(line: str, view: DisplayContext, in_view: str = "") -> LineOutlook:
    """What a line would do with the cursor on the row of a pair, or without a cursor."""
    scene = Scene(view.mirror.symbols, in_view, held=list_held(view), has_cursor=bool(in_view))
    return look_ahead(parse(line, scene), view, Cursor(sym=in_view, has_rows=bool(in_view)))


def refusal(line: str, view: DisplayContext, in_view: str = "") -> str:
    with pytest.raises(LineRefused) as refused:
        look(line, view, in_view)
    return str(refused.value)


def test_the_test_desk_holds_the_positions_that_its_tests_need() -> None:
    assert list_held(read_desk()) == {BTC: "LONG", OKX: "SHORT", ETH: "LONG"}


@pytest.mark.parametrize("line", ["close 50% ETH", "flat eth", "rev ETH", "sl move ETH entry-1%", "protect ETH 1%"])
@pytest.mark.parametrize("in_view", ["", BTC, "OKX_PERP_ETH_USDT"])
def test_a_coin_in_a_closing_or_stop_line_means_the_pair_held(line: str, in_view: str) -> None:
    view = read_desk()
    assert len(Scene(view.mirror.symbols).matches("ETH")) > 1
    outlook = look(line, view, in_view)
    assert ETH in outlook.canonical


@pytest.mark.parametrize(
    ("hedge", "line", "effect", "ends"),
    [
        (False, f"rev {BTC}", "closes LONG 2.5, opens SHORT 2.5", True),
        (False, f"sell 4 BTC {BTC} mkt", "closes LONG 2.5, opens SHORT 1.5", True),
        (False, f"sell 4 BTC {BTC} mkt ro", "", True),
        (False, f"flat {BTC}", "", True),
        (True, f"flat {BTC}", "", True),
        (True, f"close 100% {BTC} join", "", True),
        (True, f"close 50% {BTC}", "", False),
        (False, f"buy 4 BTC {BTC} mkt", "", False),
    ],
)
def test_a_line_that_reverses_a_position_or_ends_its_stops_asks(
    hedge: bool, line: str, effect: str, ends: bool
) -> None:
    view = read_desk(hedge=hedge)
    stop = AlgoRecord(
        algo_order_id="7001", sym=BTC, side="SELL", position_side="LONG" if hedge else "NONE", order_state="NEW",
        condition_type="ENTIRE_CLOSE_POSITION", sl_trigger_price="60000", sl_trigger_type="MARK_PRICE",
    )  # fmt: skip
    view.mirror.algos["7001"] = AlgoRow(key="7001", record=stop, stamp=next(iter(view.mirror.positions.values())).stamp)
    outlook = look(line, view)
    [step] = outlook.steps
    assert step.effects == (effect,) and (" will end: " in step.note) == ends
    assert asks_once(outlook) == bool(effect or ends)


def test_stops_of_several_positions_are_named_with_their_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    """What ended was one text without a space between, and without a pair."""
    view = read_desk()
    status = view.mirror.engine_status
    assert status is not None
    monkeypatch.setattr(Mirror, "engine_status", msgspec.structs.replace(status, algo_error="no answer"))
    note = expand_closes(look("flat longs", view), view).steps[0].note
    ends = "closes the position; its stops and targets are not known now: no answer"
    assert note == f"BINANCE BTC perp LONG {ends}; BINANCE ETH perp LONG {ends}"


def test_stops_of_both_legs_of_a_pair_are_named() -> None:
    view = read_desk(hedge=True)
    [(key, long)] = [(key, fact) for key, fact in view.mirror.positions.items() if fact.record.sym == BTC]
    short = msgspec.structs.replace(long.record, position_side="SHORT", position_qty="1")
    view.mirror.positions[key.replace("LONG", "SHORT")] = msgspec.structs.replace(long, record=short)
    for leg, side, trigger in (("LONG", "SELL", "60000"), ("SHORT", "BUY", "70000")):
        stop = AlgoRecord(
            algo_order_id=leg, sym=BTC, side=side, position_side=leg, order_state="NEW",
            condition_type="ENTIRE_CLOSE_POSITION", sl_trigger_price=trigger, sl_trigger_type="MARK_PRICE",
        )  # fmt: skip
        view.mirror.algos[leg] = AlgoRow(key=leg, record=stop, stamp=long.stamp)
    note = expand_closes(look("flat all", view), view).steps[0].note
    for leg, trigger in (("LONG", "60,000.0"), ("SHORT", "70,000.0")):
        assert f"BINANCE BTC perp {leg} closes the position; will end: SL {trigger}" in note


@pytest.mark.parametrize(
    ("line", "opens"), [("flat all", "2.500"), (f"flat {BTC}", "2.500"), (f"sell 1 BTC {BTC} mkt", "1.000")]
)
def test_a_close_asks_if_a_remaining_conditional_would_open(line: str, opens: str) -> None:
    view = read_desk(hedge=False)
    stamp = next(iter(view.mirror.positions.values())).stamp
    waiting = AlgoRecord(
        algo_order_id="7001", sym=BTC, side="SELL", order_state="NEW", condition_type="CONDITIONAL", order_qty="2.5",
        conditional_trigger_price="60000", conditional_trigger_type="LAST_PRICE",
    )  # fmt: skip
    view.mirror.algos["7001"] = AlgoRow(key="7001", record=waiting, stamp=stamp)
    outlook = expand_closes(look(line, view), view)
    assert f"would open SHORT {opens}: conditional SELL 2.500 at 60,000.0 stays" in outlook.steps[0].note
    assert asks_once(outlook)


@pytest.mark.parametrize(
    ("line", "effect"),
    [("re #o9 tot 4 BTC", "closes LONG 2.5, opens SHORT 1.3"), ("re #o9 tot 2 BTC", ""), ("nudge #o9 +2t", "")],
)
def test_a_replace_line_that_would_reverse_the_position_asks(line: str, effect: str) -> None:
    view = read_desk(hedge=False)
    view.mirror.orders["o9"] = msgspec.structs.replace(
        view.mirror.orders["o3"], key="o9", side="SELL", position_side="NONE", qty="3", executed="0.2",
        client_order_id="order-o9xx", price="64100.0",
    )  # fmt: skip
    outlook = look(line.replace("#o9", "#o9xx"), view)
    assert outlook.steps[0].effects == (effect,) and asks_once(outlook) == bool(effect)


def test_while_stops_are_unread_closing_asks_and_stop_lines_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    """The shell closed a position before the list of its stops was read, and did not ask."""
    view = read_desk()
    status = view.mirror.engine_status
    assert status is not None and not asks_once(look(f"flat {BTC}", view))
    status = msgspec.structs.replace(status, algo_error="not read yet")
    monkeypatch.setattr(Mirror, "engine_status", status)
    closing = look(f"flat {BTC}", view)
    assert closing.steps[0].note == "closes the position; its stops and targets are not known now: not read yet"
    assert asks_once(closing) and not asks_once(look(f"close 50% {BTC}", view))
    for line in ("protect all 1%", f"sl move {BTC} mark-2%", f"be {BTC}"):
        assert refusal(line, view) == "stops and targets are not known now: not read yet"


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("chase", "cannot yet split an order over time"),
        ("chase buy 1 ETH", "cannot yet split an order over time"),
        ("chase buy 1 ETH join to 4000", "cannot yet split an order over time"),
        ("twap buy 1 ETH 7 over", "cannot yet split an order over time"),
        ("trail", "no trailing stop"),
        ("trail ETH 1%", "no trailing stop"),
        ("set leverage 5", "read at the start"),
    ],
)
def test_an_unsupported_command_is_refused_for_that_alone(line: str, why: str) -> None:
    """A line that was made whole by several hints was refused at its end all the same."""
    text = refusal(line, read_desk())
    assert text.startswith(f"{line.split()[0]} is not carried out here: ") and why in text


def test_closing_a_coin_with_two_positions_names_both_pairs() -> None:
    view = read_desk()
    text = refusal("close 50% BTC", view, ETH)
    assert text == f"BTC fits 2 symbols; the cursor chooses: put it on one of them, or write {BTC} or {OKX}"
    assert "put it on" not in refusal("close 50% BTC", view)
    assert OKX in look("close 50% BTC", view, OKX).canonical


@pytest.mark.parametrize("line", ["buy 25ct BTC join", "buy 0.25 BTC join"])
def test_an_order_for_a_coin_of_several_pairs_says_how_to_choose(line: str) -> None:
    view = read_desk()
    count = len(Scene(view.mirror.symbols).matches("BTC"))
    text = refusal(line, view, ETH)
    assert text.startswith(f"BTC fits {count} symbols; the cursor chooses: put it on one of them, or write ")
    assert text.endswith(f"_USDT; {count - 3} more: ⟦line.complete⟧ behind BTC lists all")
    plain = refusal(line, view)
    assert "cursor" not in plain and "write one of them, or such as" in plain


@pytest.mark.parametrize(
    ("line", "in_view", "same", "canonical"),
    [
        ("sl 1%", BTC, "sl move here to entry-1%", "sl move here 1%"),
        ("sl 1% ETH", "", f"sl move {ETH} to entry-1%", f"sl move {ETH} 1%"),
        (f"tp move {BTC} long 4000t", "", f"tp move {BTC} to entry+4000t", f"tp move {BTC} long 4000t"),
        ("sl move here 300bp", OKX, "sl move here to entry+300bp", "sl move here 300bp"),
        ("tp move BTC short 3%", OKX, f"tp move {OKX} to entry-3%", f"tp move {OKX} short 3%"),
    ],
)
def test_a_stop_or_target_distance_counts_from_the_entry_price(
    line: str, in_view: str, same: str, canonical: str
) -> None:
    """An order took `sl 1%`, its position did not."""
    view = read_desk()
    one, other = look(line, view, in_view), look(same, view, in_view)
    assert one.canonical == canonical
    assert [algo.command for algo in one.steps[0].algos] == [algo.command for algo in other.steps[0].algos]


def test_a_distance_that_gives_no_valid_trigger_is_refused() -> None:
    view = read_desk()
    assert refusal("tp 2r", view, BTC) == "the unit r is only for the target of an order"
    assert refusal("sl 100%", view, BTC) == "the trigger would be 0 or less"
    assert "would trigger immediately" in refusal("tp 1t", view, BTC)


def test_sl_move_with_an_offset_from_the_mark_plans_a_stop() -> None:
    view = read_desk()
    [stop] = look("sl move here mark-1%", view, BTC).steps[0].algos
    assert isinstance(stop.command, PlaceAlgo)


def test_protect_here_plans_one_stop_and_protect_all_several() -> None:
    view = read_desk()
    [step] = look("protect here 1%", view, ETH).steps
    [stop] = step.algos
    assert "BINANCE ETH" in stop.text and "BTC" not in step.text
    assert len(look("protect all 1%", view, ETH).steps[0].algos) > 1


def test_an_unknown_pair_in_words_is_named_in_the_refusal() -> None:
    assert refusal("flat okx doge perp", read_desk()) == "no pair is named OKX DOGE perp"


def test_close_without_a_share_says_what_it_takes() -> None:
    assert refusal("close BTC", read_desk(), BTC) == (
        "close takes a share first, such as 50% or half; flat closes the whole"
    )


def test_an_unknown_first_word_is_refused_with_a_command_like_it() -> None:
    with pytest.raises(LineRefused) as refused:
        look("quotes BTC", read_desk())
    assert refused.value.code is Code.UNKNOWN_WORD and "did you mean show quotes?" in str(refused.value)


async def test_close_half_sends_half_of_the_position() -> None:
    async with desk() as at:
        await enter(at, "close half", "enter")
        [order] = at.port.intents
        assert isinstance(order, Place) and order.qty == "1.25"


async def test_editing_a_refused_line_removes_its_refusal_message() -> None:
    async with desk(120, 36) as at:
        await enter(at, "long 0.02 btc", "enter")
        assert "; the line is not carried" in at.text()
        await at.press(" ")
        await at.settle()
        assert "; the line is not carried" not in at.text()
        assert "the price is missing" in said(at), "why it is refused stays beside the line"


async def test_in_state_view_a_refusal_names_the_risk_mode_halt_too() -> None:
    async with desk(armed=False) as at:
        context = at.app.context
        assert context.not_armed_reason() == "nothing is sent in state VIEW; press a to arm"
        at.port.set_desk(risk_mode=RiskMode.HALT)
        await at.settle()
        await at.press("b")
        why = "nothing is sent in state VIEW; press a to arm; the risk mode is HALT: to open, then Ctrl+T and resume"
        assert at.port.desk.trading_state is TradingState.VIEW and any(why in text for text in at.events())


@pytest.mark.parametrize("size", [(80, 24), (160, 45)])
async def test_the_adl_pane_says_that_rank_5_is_closed_first(size: tuple[int, int]) -> None:
    async with desk(*size) as at:
        await at.press("5")
        await at.settle()
        assert "●5 first" in at.text()
        await at.press("0")
        await at.settle()
        assert "●●●●● is closed first" in at.text()


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("buy 100 DOGEE join", "DOGEE is no coin or pair here; did you mean 100 DOGE?"),
        ("buy 100 ETTH join", "ETTH is no coin or pair here; did you mean 100 ETH?"),
        ("buy 5 QQQQQ join", "QQQQQ is no coin or pair here; write 5ct, $5, or the coin behind it"),
        ("buy 100 join", "100 what? write 100 BTC, or $100"),
        ("buy 1 BTC bid", "bid is not known here; did you mean at bid?"),
        ("buy 1 BTC mark", "mark is not known here; did you mean at mark?"),
        ("buy 0.01 BTC @ 60000", "'@' belongs to no command; did you mean at?"),
        ("buy 100 OKX_PERP_BTC_USDT join", "100 what? write 100ct, 100 BTC, or $100"),
    ],
)
def test_a_refused_word_in_an_order_line_is_named_with_a_fix(line: str, said: str) -> None:
    view = read_desk()
    symbols = [*view.mirror.symbols, "BINANCE_PERP_DOGE_USDT"]
    with pytest.raises(LineRefused) as refused:
        parse(line, Scene(symbols, BTC, has_cursor=True))
    assert str(refused.value) == said


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            "buy 0.01 BTC join ; c last",
            "command 2 of 2: none of your orders is working: last is one that works already",
        ),
        ("buy 0.01 BTC join & c here ; c last", "command 2 of 3: no order is under the cursor"),
        ("c last ; buy 0.01 BTC join", "command 1 of 2: none of your orders is working"),
        ("buy 0.01 BTC join ; buy 5 join", "command 2 of 2: 5 what? write 5 BTC"),
        ("c last", "none of your orders is working: last is one that works already"),
    ],
)
def test_a_refused_line_of_several_commands_tells_which_failed(line: str, said: str) -> None:
    assert refusal(line, read_desk(), BTC).startswith(said)


async def test_typing_a_line_shows_which_command_of_it_is_refused() -> None:
    async with desk(80, 24) as at:
        for key in list(at.app.mirror.orders):
            at.port.put(Table.ORDERS, key, None)
        await at.press("1", "g", "j", ":")
        await at.type("buy 0.01 BTC at ask-100t ; c last")
        shown = " ".join(at.text().replace("│", " ").split())
        assert "command 2 of 2: none of your orders is working" in shown


def add_stop(view: DisplayContext, overlay: PendingAction = PendingAction.NOTHING, **fields: str) -> None:
    """Put a stop of the long position into the list of algo orders."""
    values = {
        "sym": BTC, "side": "SELL", "position_side": "LONG", "order_state": "NEW", "sl_trigger_price": "60000",
        "condition_type": "ENTIRE_CLOSE_POSITION", "sl_trigger_type": "MARK_PRICE", **fields,
    }  # fmt: skip
    stamp = view.mirror.positions[f"{BTC}/LONG"].stamp
    stop = AlgoRecord(algo_order_id="7001", **values)
    view.mirror.algos["7001"] = AlgoRow(key="7001", record=stop, overlay=overlay, stamp=stamp)


@pytest.mark.parametrize(
    ("line", "trigger", "limit"),
    [("sl move here 59500", "59500", "59400"), ("sl move here +20t", "60002", "59902"), ("be here", "", "")],
)
def test_a_moved_stop_limit_keeps_its_limit_at_the_same_distance(line: str, trigger: str, limit: str) -> None:
    view = read_desk()
    add_stop(view, sl_price="59900")
    [moved] = look(line, view, BTC).steps[0].algos
    assert isinstance(moved.command, ReplaceAlgo) and moved.command.stop_loss is not None
    now = moved.command.stop_loss
    assert Decimal(now.trigger) - Decimal(now.price) == 100
    assert not trigger or (Decimal(now.trigger), Decimal(now.price)) == (Decimal(trigger), Decimal(limit))


def test_sl_move_is_refused_while_that_stop_is_being_changed() -> None:
    view = read_desk()
    add_stop(view, PendingAction.AMEND)
    text = refusal("sl move here 59500", view, BTC)
    assert text.startswith("the stop of BINANCE BTC perp cannot be moved now: a command for it is pending")


def test_a_cancel_all_line_for_another_portfolio_is_refused() -> None:
    view = read_desk()
    assert "this desk trades portfolio" in refusal("c all pf hedge", view)
    assert look("c all pf", view).steps[0].keys
    assert refusal("c all venue", view).startswith("cancel all orders of which venue?")


def test_a_cancel_all_line_counts_orders_and_algo_orders() -> None:
    view = read_desk()
    add_stop(view)
    assert look("c all pf", view).text.endswith(" orders and 1 algo order")
    idle = "BINANCE_PERP_SOL_USDT"
    assert refusal(f"c all sym {idle}", view) == "no order of BINANCE SOL perp works; 4 other orders do"
    add_stop(view, sym=idle)
    assert look(f"c all sym {idle}", view).text == "would ask, then cancel 1 algo order"


@pytest.mark.parametrize(
    ("line", "trigger"),
    [
        (f"sl move {BTC} to mark-2%", "62721"), (f"tp move {BTC} to mark+2.01%", "65287.4"),
        (f"sl move {OKX} to mark+2.01%", "65287.4"), (f"tp move {OKX} to mark-2%", "62721"),
    ],
)  # fmt: skip
def test_a_computed_position_trigger_is_rounded_to_fire_earlier(line: str, trigger: str) -> None:
    [planned] = look(line, read_desk()).steps[0].algos
    assert isinstance(planned.command, PlaceAlgo)
    protection = planned.command.stop_loss or planned.command.take_profit
    assert protection is not None and protection.trigger == trigger


def test_a_target_moved_by_percent_is_rounded_to_fire_earlier() -> None:
    view = read_desk()
    record = AlgoRecord(
        algo_order_id="9", sym=BTC, side="SELL", position_side="LONG", order_state="NEW", reduce_only="true",
        condition_type="ENTIRE_CLOSE_POSITION", tp_trigger_price="65000.1", tp_trigger_type="LAST_PRICE",
    )  # fmt: skip
    stamp = view.mirror.positions[f"{BTC}/LONG"].stamp
    view.mirror.algos["9"] = AlgoRow(key="9", record=record, stamp=stamp)
    [planned] = look(f"tp move {BTC} +1.01%", view).steps[0].algos
    assert isinstance(planned.command, ReplaceAlgo) and planned.command.take_profit is not None
    assert planned.command.take_profit.trigger == "65656.6"
