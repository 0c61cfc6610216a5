"""When an alert tells and when it is silent, on a clock that is handed in."""

from __future__ import annotations

from decimal import Decimal

import msgspec
import pytest

from tests.engine.order_rig import CID, Told
from tests.workstation.scripted import ScriptedClock, ScriptedPort, fill_desk
from tui.engine.rows import Fact, Table, TickerRow
from tui.engine.status_rows import ENGINE, LinkRow, LinkState, RateUse
from tui.interface import decimals
from tui.interface.decimals import half_up
from tui.workstation.command_line.grammar.parser import parse
from tui.workstation.command_line.grammar.scene import Scene
from tui.workstation.command_line.grammar.syntax import Alert
from tui.workstation.features.alerts.book import QUIET_S, AlertBook
from tui.workstation.features.alerts.figures import describe_now, read_figure
from tui.workstation.features.alerts.kept import read_alerts
from tui.workstation.features.orders import cells
from tui.workstation.features.positions import cells as positions
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.mirror import Mirror
from tui.workstation.model.position_metrics import liquidation_distances
from tui.workstation.model.screen_preferences import ScreenPreferences
from tui.workstation.settings import WorkstationSettings

BTC = "BINANCE_PERP_BTC_USDT"


class Watch:
    """Alerts over a scripted desk."""

    def __init__(self, *lines: str) -> None:
        decimals.setup()
        self.clock = ScriptedClock()
        self.port = ScriptedPort(self.clock)
        fill_desk(self.port)
        self.mirror = Mirror(self.clock)
        self.view = DisplayContext(self.mirror, self.clock, WorkstationSettings())
        self.book = AlertBook(self.view)
        self.take()
        self.book.check()
        for line in lines:
            self.book.add(self.alert(line))

    def alert(self, line: str) -> Alert:
        [step] = parse(line, Scene(self.mirror.symbols)).steps
        assert isinstance(step.command, Alert)
        return step.command

    def take(self) -> None:
        self.mirror.apply(self.port.updates.take())

    def told(self, seconds: float = 0.0) -> list[str]:
        """What is told now, after some time."""
        self.clock.pass_by(seconds)
        self.take()
        return [told.text for told in self.book.check()]

    def mark(self, price: str) -> None:
        self.port.quote(BTC, "64001.0", "64001.2", mark=price)


def test_an_alert_text_gives_the_values_of_both_conditions() -> None:
    """Only the first was told; why the second held could not be seen."""
    watch = Watch(f"alert when {BTC} mark > 50000 and {BTC} spread < 5t", f"alert when {BTC} mark > 1 and fill")
    watch.mark("59990")
    assert [text.partition(": now ")[2] for text in watch.told()] == ["mark 59,990.0, spread 2t"]
    pair = f"alert when {BTC} mark > 50000 or BINANCE_PERP_ETH_USDT mark > 99"
    assert describe_now(watch.alert(pair).tests, watch.view).startswith(
        "BINANCE BTC perp mark 59,990.0, BINANCE ETH perp"
    )


def test_an_alert_fires_once_when_its_threshold_is_crossed() -> None:
    watch = Watch(f"alert when {BTC} mark < 60000")
    assert watch.told() == []
    watch.mark("59990")
    [text] = watch.told()
    assert "mark < 60,000" in text and "59,990" in text
    assert watch.told(1.0) == []


@pytest.mark.parametrize(
    ("line", "price", "end"),
    [
        ("mark < 60000", "59940", "(0.10 % below)"),
        ("mark >= 65000", "65065", "(0.10 % above)"),
        ("mark > 6500", "65000", "(900.00 % above)"),
        ("mark >= 65000", "65000", ""),
    ],
)
def test_an_alert_shows_its_distance_from_the_threshold(line: str, price: str, end: str) -> None:
    watch = Watch(f"alert when {BTC} {line}")
    watch.mark(price)
    [text] = watch.told()
    assert text.endswith(f"now {int(price):,}.0 {end}".strip())


def test_a_price_that_flickers_at_a_threshold_fires_once() -> None:
    watch = Watch(f"alert when {BTC} mark < 60000")
    watch.mark("59900")
    assert len(watch.told()) == 1
    for price in ("60001", "59999", "60002", "59998"):
        watch.mark(price)
        assert watch.told(0.5) == []


def test_an_alert_fires_again_after_the_price_has_gone_back() -> None:
    watch = Watch(f"alert when {BTC} mark < 60000")
    watch.mark("59900")
    watch.told()
    watch.mark("60011")
    assert watch.told() == []
    watch.mark("59999")
    assert len(watch.told()) == 1, "it had left by more than a tenth of the distance"
    watch.mark("60000.001")
    assert watch.told() == [] and watch.told(QUIET_S) == []
    watch.mark("59999")
    assert len(watch.told()) == 1, "it had been false for five seconds"


def test_an_alert_tells_once_that_its_figure_is_missing_for_10_s() -> None:
    watch = Watch(f"alert when {BTC} mark < 60000")
    watch.mark("")
    assert watch.told() == [] and watch.told(5.0) == []
    [text] = watch.told(5.5)
    assert text.endswith("no data for 10 s")
    assert watch.told(60.0) == []


def test_an_alert_on_an_open_loss_tells_value_and_distance() -> None:
    watch = Watch(f"alert when {BTC} upnl < -500")
    assert watch.told() == []
    fact = watch.mirror.positions[f"{BTC}/LONG"]
    loss = msgspec.structs.replace(fact.record, unrealized_pnl="-510")
    watch.port.put(Table.POSITIONS, f"{BTC}/LONG", Fact(loss, fact.stamp))
    [text] = watch.told()
    assert text.endswith("upnl < -500: now -510 USDT (2.00 % below)")


def test_an_alert_of_all_pairs_sums_their_open_results() -> None:
    watch = Watch("alert when all upnl < -500 and upnl > -2000", f"alert when {BTC} mark > 1 and all upnl < -500")
    assert watch.told() == []
    positions = dict(watch.mirror.positions)
    for key, fact in positions.items():
        loss = msgspec.structs.replace(fact.record, unrealized_pnl="-400")
        watch.port.put(Table.POSITIONS, key, Fact(loss, fact.stamp))
    assert len(positions) > 1
    text, other = watch.told()
    assert text.startswith(f"all upnl < -500 and all upnl > -2,000: now -{400 * len(positions):,} ")
    assert other.startswith("BINANCE BTC perp mark > 1 and all upnl < -500")


def test_an_alert_on_all_results_says_no_data_if_any_is_unknown() -> None:
    watch = Watch("alert when all upnl < -1")
    for key, loss in zip(dict(watch.mirror.positions), ("-400", "", "-400"), strict=False):
        fact = watch.mirror.positions[key]
        watch.port.put(
            Table.POSITIONS, key, Fact(msgspec.structs.replace(fact.record, unrealized_pnl=loss), fact.stamp)
        )
    assert watch.told() == []
    assert [text.rpartition(": ")[2] for text in (*watch.told(), *watch.told(10.0))] == ["no data for 10 s"]


@pytest.mark.parametrize("line", ["upnl < -5", "liqdist < 5%", "adl > 3", "orderage > 5m"])
def test_a_position_alert_on_a_pair_not_held_shows_none(line: str) -> None:
    watch = Watch(f"alert when BINANCE_SPOT_BTC_USDT {line}")
    assert watch.told() == watch.told(60.0) == []
    shown = describe_now(
        watch.alert(f"alert when BINANCE_SPOT_BTC_USDT {line}").tests,
        DisplayContext(watch.mirror, watch.clock, WorkstationSettings()),
    )
    assert shown == "none"


def test_an_alert_reads_the_result_of_the_day() -> None:
    watch = Watch(f"alert when {BTC} pnl > -0.5", "alert when all pnl > -0.5", "alert when EDX_PERP_BTC_USDT pnl = 0")
    assert [text.rpartition("now ")[2] for text in watch.told()] == ["0 USDT"], "the first two are below"
    [(key, row)] = watch.mirror.days.items()
    sums = msgspec.structs.replace(row.sums, fee=Decimal("0.1"))
    watch.port.put(Table.DAYS, key, msgspec.structs.replace(row, sums=sums))
    texts = watch.told()
    assert [text.rpartition("now ")[2] for text in texts] == ["-0.1 USDT (80.00 % above)", "-0.1 (80.00 % above)"], (
        texts
    )


def test_an_alert_on_an_incomplete_day_result_says_no_data() -> None:
    watch = Watch("alert when all pnl < 0")
    watch.port.set_desk(day_is_whole=False)
    assert watch.told() == []
    assert watch.told(10.0) == ["all pnl < 0: no data for 10 s"]


def test_an_alert_reads_how_much_of_the_order_rate_is_used() -> None:
    watch = Watch(f"alert when {BTC} rate >= 80%")
    assert watch.told() == []
    watch.port.set_desk(rates=(RateUse("new orders", 86, 100, 60),))
    assert watch.told() == ["rate >= 80%: now 86% (7.50 % above)"]


def test_an_alert_reads_the_index_price_of_an_open_pair() -> None:
    watch = Watch(f"alert when {BTC} index > 64000")
    assert watch.told() == []
    watch.port.put(Table.TICKERS, BTC, TickerRow(sym=BTC, index="64000.5"))
    assert watch.told() == ["BINANCE BTC perp index > 64,000: now 64,000.5 (0.00 % above)"]


@pytest.mark.parametrize("line", ["unimmr < 2", "unimmr > 100"])
def test_a_unimmr_alert_ignores_an_account_with_nothing_at_risk(line: str) -> None:
    """The service sends 999,999 for it; no figure is missing then, nor is that one to compare."""
    watch = Watch(f"alert when EDX_PERP_BTC_USDT {line}", "alert when BINANCE_PERP_BTC_USDT unimmr < 2")
    assert watch.told() == watch.told(5.0) == watch.told(60.0) == []
    account = watch.mirror.accounts["BINANCE"]
    for ratio, margin, told in (("1.5", "9000", 1), ("999999", "0", 0), ("1.5", "9000", 1), ("", "9000", 0)):
        record = msgspec.structs.replace(account.record, uni_mmr=ratio, maintain_margin=margin)
        watch.port.put(Table.ACCOUNTS, "BINANCE", Fact(record, account.stamp))
        assert len(watch.told()) == told
        assert watch.told(QUIET_S) == []
    [missing] = watch.told(60.0)
    assert missing.endswith("no data for 10 s")


def test_a_silenced_alert_does_not_fire_until_its_time_is_over() -> None:
    watch = Watch(f"alert when {BTC} mark < 60000")
    assert watch.book.snooze(1, 60.0) and not watch.book.snooze(9, 60.0)
    watch.mark("59990")
    assert watch.told() == []
    watch.mark("60100")
    assert watch.told(61.0) == [] and watch.told(QUIET_S) == []
    watch.mark("59990")
    assert len(watch.told()) == 1


def test_an_alert_true_while_silenced_is_told_after_the_silence() -> None:
    watch = Watch(f"alert when {BTC} mark < 60000")
    watch.book.snooze(1, 60.0)
    watch.mark("59990")
    assert watch.told() == [] and watch.told(30.0) == []
    assert len(watch.told(31.0)) == 1 and watch.told(1.0) == []


def test_an_alert_fired_before_its_silence_stays_quiet_after_it() -> None:
    watch = Watch(f"alert when {BTC} mark < 60000")
    watch.mark("59990")
    assert len(watch.told()) == 1
    watch.book.snooze(1, 60.0)
    assert watch.told(30.0) == [] and watch.told(31.0) == []


@pytest.mark.parametrize("field", ["bid", "ask", "mark", "mid", "basis"])
def test_a_price_of_zero_does_not_fire_an_alert_on_a_lower_price(field: str) -> None:
    """An empty side of the book is sent as 0 by some services."""
    watch = Watch(f"alert when {BTC} {field} < 60000")
    watch.told()
    watch.port.quote(BTC, "0", "0", mark="0")
    assert watch.told() == []


def test_two_windows_renumber_two_alerts_with_one_number_alike() -> None:
    """Two windows that set one each at the same moment give both the same number."""
    lines = [f"alert when {BTC} mark < {price}" for price in (21000, 22000)]
    watches = [Watch(line) for line in lines]
    numbers = dict.fromkeys(lines, 1)
    for watch in watches:
        watch.book.follow([watch.alert(line) for line in lines], {}, numbers)
        assert watch.book.numbers() == {lines[0]: 1, lines[1]: 2}
        assert [active.key for active in watch.book.active.values()] == ["1", "2"]
    watches[0].book.follow([watches[0].alert(lines[1])], {}, {lines[1]: 2})
    assert watches[0].book.add(watches[0].alert(f"alert when {BTC} mark < 9")).number == 3, "no number is given twice"


def test_an_and_alert_does_not_repeat_after_a_missing_figure() -> None:
    """After 15 s without the figure the condition counted as left, and the alert rang for what it had told."""
    watch = Watch(f"alert when {BTC} mark > 1 and all pnl > -1000000")
    assert len(watch.told()) == 1
    watch.port.set_desk(day_is_whole=False)
    [missing] = [*watch.told(), *watch.told(11.0)]
    assert missing.endswith("no data for 10 s")
    assert watch.told(QUIET_S + 1) == watch.told(QUIET_S + 1) == []
    watch.port.set_desk(day_is_whole=True)
    assert watch.told() == []
    watch.mark("0.5")
    assert watch.told() == watch.told(QUIET_S) == []
    watch.mark("60000")
    assert len(watch.told()) == 1, "it had left"


def test_an_or_alert_fires_by_one_figure_if_the_other_is_missing() -> None:
    """A pair that nobody has open has no index price here; the other price is watched all the same."""
    eth = "BINANCE_SPOT_ETH_USDT"
    watch = Watch(
        f"alert when {eth} index < 5 or {BTC} mark < 60000", f"alert when {BTC} mark < 60000 and {eth} index < 5"
    )
    assert watch.told() == []
    watch.mark("59990")
    [text] = watch.told()
    assert text.endswith("now BINANCE ETH spot index no data, BINANCE BTC perp mark 59,990.0") and watch.told(1.0) == []
    watch.mark("61000")
    assert [text.endswith("no data for 10 s") for text in (*watch.told(), *watch.told(11.0))] == [True] * 2
    assert watch.told(1.0) == watch.told(QUIET_S) == []
    watch.mark("59990")
    assert len(watch.told()) == 1, "it had left, as far as its figures are known"


@pytest.mark.parametrize("lost", ["quote", "account"])
def test_the_distance_to_liquidation_needs_no_quote_or_account(lost: str) -> None:
    """A position on a pair that is not subscribed brings its own mark price, and the service its liquidation price."""
    watch = Watch()
    if lost == "quote":
        watch.mark("")
    else:
        watch.port.put(Table.ACCOUNTS, "BINANCE", None)
    watch.take()
    view = DisplayContext(watch.mirror, watch.clock, WorkstationSettings())
    [test] = watch.alert(f"alert when {BTC} liqdist < 20%").tests
    value = read_figure(test, view)
    assert value is not None and 15 < value < 25


@pytest.mark.parametrize(
    ("leg", "reported", "mark", "value"),
    [
        ("LONG", "62000", "64001", "3.13"),
        ("LONG", "62000", "62000", "0.00"),
        ("LONG", "62000", "61999.9", "0.00"),
        ("LONG", "62000", "60000", "-3.33"),
        ("SHORT", "66000", "64000", "3.12"),
        ("SHORT", "66000", "70000", "-5.71"),
    ],
)
def test_the_distance_to_liquidation_is_negative_beyond_it(leg: str, reported: str, mark: str, value: str) -> None:
    """It grew again behind the liquidation price: an alert on it fell silent, and the list looked calm."""
    watch = Watch()
    watch.port.put(Table.ACCOUNTS, "BINANCE", None)
    key, fact = f"{BTC}/LONG", watch.mirror.positions[f"{BTC}/LONG"]
    record = msgspec.structs.replace(fact.record, position_side=leg, liq_price=reported)
    watch.port.put(Table.POSITIONS, key, Fact(record, fact.stamp))
    watch.mark(mark)
    watch.take()
    view = DisplayContext(watch.mirror, watch.clock, WorkstationSettings())
    [test] = watch.alert(f"alert when {BTC} liqdist < 20%").tests
    distance = read_figure(test, view)
    assert distance is not None and f"{distance:.2f}".replace("-0.00", "0.00") == value
    row = Fact(record, fact.stamp)
    text, bar = positions.distance(row, view)[0], positions.bar(row, view)[0]
    assert text.removeprefix("!!!").removeprefix("!!") == f"{half_up(Decimal(value), 1)}%" and len(bar.strip()) == 6


@pytest.mark.parametrize(("pushed_at", "past"), [("64000", False), ("61000", True)])
def test_the_mark_of_a_hedge_leg_tells_its_liquidation_side(pushed_at: str, past: bool) -> None:
    """The pair is short on the whole, and the service reports a price below the mark for its long leg."""
    watch = Watch()
    watch.port.put(Table.ACCOUNTS, "BINANCE", None)
    key, fact = f"{BTC}/LONG", watch.mirror.positions[f"{BTC}/LONG"]
    record = msgspec.structs.replace(fact.record, liq_price="62000", mark_price=pushed_at)
    other = msgspec.structs.replace(record, position_side="SHORT", position_qty="90", liq_price="")
    watch.port.put(Table.POSITIONS, key, Fact(record, fact.stamp))
    watch.port.put(Table.POSITIONS, f"{BTC}/SHORT", Fact(other, fact.stamp))
    watch.mark("64000")
    watch.take()
    view = DisplayContext(watch.mirror, watch.clock, WorkstationSettings())
    [distance] = liquidation_distances(record, view)
    assert (distance < 0) is past


def test_an_alert_on_the_adl_rank_leaves_out_closed_positions() -> None:
    """The rank of a closed position counted until the ranks were read again."""
    watch = Watch()
    view = DisplayContext(watch.mirror, watch.clock, WorkstationSettings())
    [test] = watch.alert("alert when all adl > 3").tests
    fact = watch.mirror.adl["BINANCE_PERP_ETH_USDT/LONG"]
    record = msgspec.structs.replace(fact.record, adl_rank="9", position_id="")
    watch.port.put(Table.ADL, "BINANCE_PERP_ETH_USDT/LONG", msgspec.structs.replace(fact, record=record))
    watch.take()
    assert read_figure(test, view) == 9
    for key in [key for key in watch.mirror.positions if "PERP_ETH" in key]:
        watch.port.put(Table.POSITIONS, key, None)
    watch.take()
    rank = read_figure(test, view)
    assert rank is None or rank < 9


def test_the_age_of_an_order_is_read_on_the_clock_of_the_service() -> None:
    watch = Watch()
    status = watch.mirror.engine_status
    assert status is not None
    watch.port.put(Table.ENGINE_STATUS, ENGINE, msgspec.structs.replace(status, skew_ms=-600_000.0))
    watch.take()
    for order in watch.mirror.working():
        made = int(watch.mirror.server_wall * 1000) - 5_000
        watch.port.put(Table.ORDERS, order.key, msgspec.structs.replace(order, create_at=made))
    watch.take()
    view = DisplayContext(watch.mirror, watch.clock, WorkstationSettings())
    [test] = watch.alert(f"alert when {BTC} orderage > 60s").tests
    assert read_figure(test, view) == 5
    order = next(order for order in watch.mirror.working() if order.sym == BTC)
    assert cells.by_age(order, view) == pytest.approx(5)


@pytest.mark.parametrize(
    ("line", "price", "tells"),
    [
        (f"alert when {BTC} mark < 60000 and {BTC} bid > 70000", "59000", False),
        (f"alert when {BTC} mark < 60000 and {BTC} bid > 60000", "59000", True),
        (f"alert when {BTC} mark < 60000 or {BTC} bid > 60000", "65000", True),
        (f"alert when {BTC} mark >= 65000", "65000", True),
        (f"alert when {BTC} mark > 65000", "65000", False),
    ],
)
def test_conditions_of_an_alert_are_joined_from_left_to_right(line: str, price: str, tells: bool) -> None:
    watch = Watch(line)
    watch.mark(price)
    assert bool(watch.told()) is tells


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("bid > 64000", "64001"), ("ask < 64002", "64001.2"), ("mid > 64001", "64001.1"), ("spread >= 2t", "2"),
        ("spread > 0.01bp", "0.03"), ("upnl > 300", "327.5"), ("liqdist < 20%", "18"),
    ],
)  # fmt: skip
def test_an_alert_can_test_quotes_spread_result_and_liquidation(field: str, value: str) -> None:
    name, *rest = field.split()
    watch = Watch(f"alert when {BTC} {name} {' '.join(rest)}")
    [text] = watch.told()
    shown = Decimal(text.rpartition("now ")[2].split()[0].replace(",", "").rstrip("%tbp"))
    assert str(shown.normalize()).startswith(value[:4]), text


@pytest.mark.parametrize(
    ("state", "said"),
    [
        ("REJECT", "rejected: BUY 0.1"),
        ("REJECTED", "rejected: BUY 0.1"),
        ("FAIL", "fail: BUY 0.1"),
        ("EXPIRED", "expired: BUY 0.1"),
        ("NOT SENT", "not sent: BUY 0.1"),
        ("CANCELLED", ""),
        ("FILLED", ""),
        ("UNKNOWN", ""),
    ],
)
def test_a_reject_alert_fires_at_every_bad_end_of_an_order(state: str, said: str) -> None:
    watch = Watch("alert when reject")
    assert watch.told() == []
    watch.port.order("r1", BTC, "BUY", "64000.0", "0.1", state=state, reason="no margin")
    texts = watch.told()
    assert [text.startswith(said) and text.endswith("(no margin)") for text in texts] == [True] * bool(said)
    assert watch.told() == []


@pytest.mark.parametrize("by", ["reply", "reply, then push", "push", "late fail"])
def test_a_reject_alert_fires_once_however_the_reject_is_learned(by: str) -> None:
    watch, orders = Watch("alert when reject"), Told()
    orders.sent(state="SENT")
    watch.mirror.apply(orders.updates.take())
    assert watch.told() == []
    if by.startswith("reply"):
        assert orders.orders.apply_rejection(CID, "post-only order would take", orders.stamp())
    if by.endswith("push"):
        orders.fold("REJECT")
    if by == "late fail":
        orders.reply()
        orders.fold("FAIL")
    watch.mirror.apply(orders.updates.take())
    assert len(watch.told()) == 1
    watch.mirror.apply(orders.updates.take())
    assert watch.told() == []


def test_a_disconnect_alert_fires_once_for_a_lost_link() -> None:
    watch = Watch("alert when disconnect")
    watch.port.put(Table.LINKS, "private", LinkRow(name="private", state=LinkState.DOWN))
    assert watch.told() == ["disconnected: private"]
    assert watch.told(5.0) == []


@pytest.mark.parametrize(("leg", "name"), [("LONG", "perp LONG"), ("NONE", "perp")])
def test_an_adl_alert_fires_only_when_the_rank_rises(leg: str, name: str) -> None:
    watch = Watch("alert when adlrise")
    key = f"{BTC}/{leg}"
    fact = watch.mirror.adl["BINANCE_PERP_ETH_USDT/LONG"]

    def rank(text: str) -> None:
        watch.port.put(
            Table.ADL, key, msgspec.structs.replace(fact, record=msgspec.structs.replace(fact.record, adl_rank=text))
        )

    rank("1")
    watch.told()
    rank("3")
    assert [text.endswith(f"BTC {name} rose from 1 to 3") for text in watch.told()] == [True]
    rank("2")
    assert watch.told() == []


@pytest.mark.parametrize(("first", "second"), [("1", "2"), ("1", ""), ("", "")])
def test_an_adl_alert_ignores_the_rank_of_an_earlier_position(first: str, second: str) -> None:
    """Without ids the rank must have been away between them."""
    watch = Watch("alert when adlrise")
    key, fact = f"{BTC}/LONG", watch.mirror.adl["BINANCE_PERP_ETH_USDT/LONG"]

    def rank(text: str, position: str) -> None:
        record = msgspec.structs.replace(fact.record, sym=BTC, adl_rank=text, position_id=position)
        watch.port.put(Table.ADL, key, msgspec.structs.replace(fact, record=record))

    rank("1", first)
    watch.told()
    if not (first and second):
        watch.port.put(Table.ADL, key, None)
        watch.told()
    rank("3", second)
    assert watch.told() == []
    rank("4", second)
    assert [text.endswith("rose from 3 to 4") for text in watch.told()] == [True]


def test_saved_alert_lines_are_read_again_and_bad_lines_reported() -> None:
    watch = Watch(f"alert when {BTC} mark < 60000 and {BTC} spread > 3t", "alert when fill")
    lines = watch.book.texts()
    alerts, warnings = read_alerts([*lines, "alert when NOSUCH mark < 1", "buy 1 BTC join"], watch.mirror.symbols)
    again = AlertBook(DisplayContext(watch.mirror, watch.clock, WorkstationSettings()))
    for alert in alerts:
        again.add(alert)
    assert again.texts() == lines and len(warnings) == 2


def restarted(watch: Watch) -> Watch:
    """The desk that follows, with what was kept."""
    stored = ScreenPreferences({}, [], b"")
    stored.alerts, stored.alert_states = watch.book.texts(), watch.book.states()
    kept = ScreenPreferences({}, [], stored.encode())
    again = Watch()
    again.port, again.mirror, again.clock = watch.port, watch.mirror, watch.clock
    again.book = AlertBook(DisplayContext(watch.mirror, watch.clock, WorkstationSettings()))
    for line in kept.alerts:
        again.book.add(again.alert(line), kept.alert_states.get(line))
    return again


def test_an_alert_that_fired_does_not_fire_again_by_a_restart() -> None:
    watch = Watch(f"alert when {BTC} mark < 60000")
    watch.mark("59900")
    watch.told()
    again = restarted(watch)
    assert again.told() == [] and again.told(60.0) == []
    [active] = again.book.active.values()
    assert active.count == 1 and active.fired_ms
    again.mark("60011")
    again.told()
    again.mark("59999")
    assert len(again.told()) == 1, "the price had left"


def test_an_alert_whose_price_went_back_fires_after_a_restart() -> None:
    watch = Watch(f"alert when {BTC} mark < 60000")
    watch.mark("59900")
    watch.told()
    watch.mark("64000")
    watch.told()
    again = restarted(watch)
    again.mark("59000")
    assert len(again.told()) == 1


def test_an_alert_line_entered_twice_makes_one_alert() -> None:
    watch = Watch("alert when fill", "alert when fill")
    assert len(watch.book.active) == 1 and watch.book.delete(1) and not watch.book.delete(1)


def test_price_alerts_of_a_pair_are_listed_with_their_prices() -> None:
    watch = Watch("alert BINANCE_PERP_BTC_USDT last > 70000", "alert BINANCE_PERP_ETH_USDT last > 5000")
    assert watch.book.prices(BTC) == [Decimal(70_000)]
