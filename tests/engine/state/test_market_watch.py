"""A service with more pairs than it takes subscriptions for: what is held or worked is watched, then what is looked at."""

from __future__ import annotations

import msgspec

from tests.client.fakes import order
from tests.engine.conftest import StateRig
from tests.workstation.scripted import info
from tui.client.settings import Timings
from tui.engine.market.market_watch import MarketWatch
from tui.engine.rows import Fact, QuoteRow, Source, Table
from tui.engine.settings import EngineSettings
from tui.interface.families.orders import OrderRecord
from tui.interface.families.positions import PositionRecord

MANY = tuple(f"BINANCE_PERP_C{number:04}_USDT" for number in range(2_143))


class Watched(StateRig):
    """The pairs that are subscribed, of a service that takes 6 x 50."""

    def __init__(self, *, has_login: bool = True) -> None:
        super().__init__()
        self.state.settings = EngineSettings(timings=Timings(public_connections=6))
        self.subscribed: list[tuple[str, ...]] = []
        self.watch = MarketWatch(self.state, has_login=has_login, watch=self.subscribed.append)

    def quotes(self) -> dict[str, QuoteRow]:
        rows = self.screen.look().tables[Table.QUOTES]
        return {sym: row for sym, row in rows.items() if isinstance(row, QuoteRow)}


def test_pairs_over_the_subscription_limit_are_reported() -> None:
    rig = Watched()
    rig.watch.want(MANY)
    assert rig.subscribed == [MANY[:300]]
    shown = rig.quotes()
    assert [sym for sym in MANY if shown[sym].watched] == list(MANY[:300]) and len(shown) == 2_143
    assert rig.screen.said("the service offers 2143 pairs and takes 300 at once: 1,843 are not watched")


def test_pairs_with_a_position_or_order_are_subscribed_first() -> None:
    rig = Watched()
    rig.watch.want(MANY)
    stamp = rig.state.stamp(Source.PUSH)
    record = PositionRecord(portfolio_id="", sym=MANY[2_000], position_side="NONE", position_qty="1")
    rig.state.facts.positions.rows["p"] = Fact(record, stamp)
    rig.state.fold_order(msgspec.convert(order(sym=MANY[1_999]), OrderRecord), Source.PUSH)
    rig.watch.follow()
    assert rig.subscribed[-1] == (MANY[2_000], MANY[1_999], *MANY[:298])
    shown = rig.quotes()
    assert shown[MANY[2_000]].watched and not shown[MANY[299]].watched
    rig.watch.follow()
    assert len(rig.subscribed) == 2, "nothing changed"


def test_without_login_fewer_pairs_are_subscribed() -> None:
    rig = Watched(has_login=False)
    rig.watch.want(MANY)
    assert rig.subscribed == [MANY[:30]]


def test_all_pairs_are_subscribed_if_they_fit_the_limit() -> None:
    rig = Watched()
    rig.watch.want(MANY[:300])
    rig.watch.follow()
    assert rig.subscribed == [MANY[:300]] and not rig.screen.look().events
    rig.watch.want(MANY[:2])
    assert set(rig.quotes()) == set(MANY[:2])


def test_pairs_unknown_to_the_service_are_not_subscribed() -> None:
    """Anybody who may read could watch thousands: each was refused with a line, and took the place of a pair."""
    rig = Watched()
    rig.state.symbols[MANY[0]] = info(MANY[0], "0.1", "0.001")
    rig.watch.want((*(f"BINANCE_PERP_X{number}_USDT" for number in range(2_000)), MANY[0]))
    assert rig.subscribed == [MANY[:1]] and not rig.screen.said("the service offers")
