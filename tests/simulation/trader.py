"""A trader with no plan: places, changes, cancels, closes and dismisses at random, about once a second; at any window."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from tests.simulation.account_commands import EVERY_QUESTION, RandomAccountCommands
from tests.simulation.floor import ABROAD, SYM, Floor
from tests.simulation.points import COMMANDS
from tests.simulation.rates import ACCOUNT_COMMANDS, Rates
from tui.engine.intents import (
    AlgoIntent,
    Cancel,
    CancelAlgo,
    CancelAll,
    Decision,
    Intent,
    Outcome,
    Place,
    PlaceAlgo,
    Protection,
    Replace,
    ReplaceAlgo,
    SetLeverage,
    SetMarginLeverage,
    SetPositionMode,
    SettingIntent,
    Verdict,
)
from tui.engine.modes import Environment, RiskMode, TradingState
from tui.engine.orders.dismissal import dismissal_block_reason
from tui.engine.rows import LocalOrderState, OrderRow
from tui.interface.families.algo import Condition
from tui.interface.families.orders import OrderType, Side, TimeInForce
from tui.workstation.features.leverage.forecast import leverage_of, margin_leverage_of

if TYPE_CHECKING:
    from tests.simulation.desks.window import Window

GAP_S, WINDOW_GAP_S = 0.75, 2.0
"""Mean virtual seconds between two attempts: at the screen of the desk, and at an attached window."""
CALM = "EDX"
"""A venue on which nothing is traded."""
CROWDED = 14
"""Working orders from which on more is cancelled than placed."""


class Trader:
    """Drives one floor until told to stop, at its own screen or at an attached window."""

    def __init__(self, floor: Floor, source: random.Random, window: Window | None = None) -> None:
        self.floor = floor
        self.desk: Floor | Window = floor if window is None else window
        """What shows the rows and takes the commands."""
        self._window = "" if window is None else window.name
        self.rates = floor.rates if window is None else Rates()
        self._gap = GAP_S if window is None else WINDOW_GAP_S
        self.source = source
        self.verdicts: Counter[str] = Counter()
        self.trading = True
        self.ended = False
        self._count = self._kills = 0
        self._tasks: dict[asyncio.Task[None], None] = {}
        self._account_commands = RandomAccountCommands(floor)
        shares = ((name, getattr(self.rates, name)) for name in ACCOUNT_COMMANDS)
        self._account_shares = [(name, share) for name, share in shares if share]

    async def run(self) -> None:
        """Trade until `trading` is false, then wait for what is under way."""
        while self.trading:
            self._look_up()
            intent = self._next()
            if intent is not None:
                task = asyncio.ensure_future(self._try(intent))
                self._tasks[task] = None
                task.add_done_callback(lambda done: self._tasks.pop(done, None))
            await asyncio.sleep(self.source.expovariate(1 / self._gap))
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self.ended = True

    def _look_up(self) -> None:
        """Arm, take back what a limit made stricter, and grant what programs ask for."""
        desk = self.desk.mirror.engine_status
        if desk is not None and desk.synced and desk.trading_state is TradingState.VIEW:
            self.desk.engine.set_trading_state(TradingState.ARMED)
        if desk is not None and desk.risk_mode is not RiskMode.NORMAL:
            self.desk.engine.set_risk_mode(RiskMode.NORMAL)
        for row in list(self.desk.mirror.mandates.values()):
            if not row.granted and not self._window:
                self.floor.history.add("trader", "grant", life=self.floor.life, intent=row.key)
                self.floor.engine.grant(row.key)

    async def _try(self, intent: Intent) -> None:
        kind = {"CancelAll": "cancel_all"}.get(type(intent).__name__, type(intent).__name__.lower())
        number = getattr(intent, "preview", "")
        self.floor.history.add(
            "trader", kind, life=self.floor.life, intent=number, cid=getattr(intent, "key", ""), source=self._window
        )
        self._during_outage(kind)
        kill = self._before_kill() if isinstance(intent, CancelAll) and intent.kill else ""
        try:
            outcome = await self.desk.submit(intent)
        except ConnectionAbortedError:
            return
        if kill and outcome.verdict is Verdict.ACCEPTED:
            self.floor.sometimes["kill_accepted"] += 1
            self.floor.history.add("trader", "killed", life=self.floor.life, intent=kill)
        self._ended(kind, number, outcome)

    def _before_kill(self) -> str:
        """Write down every order that works on any venue; returns the number of the kill."""
        self._kills += 1
        number = f"kill {self._window}{self._kills}"
        for order in self.floor.exchange.queries.open_orders(self.floor.portfolio):
            self.floor.history.add("venue", "before kill", oid=order.order_id, intent=number)
        return number

    def _during_outage(self, command: str) -> None:
        """An attempt while the link is down fills a cell of its outage."""
        floor = self.floor
        desk = floor.mirror.engine_status
        if floor.tried is None or command not in COMMANDS:
            return
        if desk is not None and not desk.synced:
            point, kind = floor.tried
            floor.matrix[f"{point}/{kind}/{command}"] += 1
            floor.proxy.fault(point)

    def _ended(self, kind: str, number: str, outcome: Outcome) -> None:
        self.verdicts[outcome.verdict.value] += 1
        self.floor.history.add(
            "trader", "outcome", life=self.floor.life, cid=outcome.key, text=outcome.verdict.value, intent=number,
            source=self._window,
        )  # fmt: skip
        if outcome.guard == "IN_FLIGHT" and kind == "replace":
            self.floor.proxy.fault("F28")
        if outcome.guard and outcome.guard not in ("LINK", "JOURNAL"):
            self.verdicts[f"{outcome.verdict.value} {outcome.guard}"] += 1

    # -- what next -------------------------------------------------------------------------------------------------

    def _next(self) -> Intent | None:
        orders = self.desk.mirror.working()
        rates, elsewhere = self.rates, self.floor.elsewhere
        if rates.kill and elsewhere.random() < rates.kill:
            return CancelAll(decision=self._decision(), kill=True)
        if rates.abroad and elsewhere.random() < rates.abroad:
            return self._place_abroad()
        if rates.settings and self.floor.of_settings.random() < rates.settings:
            return self._change_setting()
        for name, share in self._account_shares:
            if self.floor.of_account[name].random() < share:
                return self._account_commands.next(name, self._decision())
        if rates.algos and self.floor.of_algos.random() < rates.algos:
            return self._algo_command()
        return self._next_order(orders)

    def _next_order(self, orders: list[OrderRow]) -> Intent | None:
        source = self.source
        choice = source.random()
        if self.floor.armed is not None and choice < 0.3 and (wanted := self._for(self.floor.armed)) is not None:
            return wanted
        if len(orders) > CROWDED and choice < 0.35:
            choice = source.choice((0.60, 0.60, 0.77, 0.93))
        if choice < 0.55 or not orders:
            return self._place()
        if choice < 0.75:
            return Cancel(decision=self._decision(), key=source.choice(orders).key)
        if choice < 0.90:
            return self._replace(source.choice(orders))
        if choice < 0.94:
            kill = source.random() < 0.1
            return CancelAll(decision=self._decision(), exchange="" if kill else "BINANCE", kill=kill)
        if choice < 0.97:
            return self._close()
        if not self._window:
            self._dismiss(orders)
        return None

    def _for(self, armed: tuple[str, str, str]) -> Intent | None:
        """The command of a point that chance alone would seldom meet."""
        point, _, command = armed
        if point == "F13":
            return self._close()
        return CancelAll(decision=self._decision(), exchange="BINANCE") if command == "cancel_all" else None

    def _algo_command(self) -> AlgoIntent | None:
        """A stop or target of a position, a conditional order far away, or a change or cancel of one that is open."""
        source, mirror = self.floor.of_algos, self.floor.mirror
        quote = mirror.quotes.get(SYM)
        near = Decimal(quote.mark) if quote is not None and quote.mark else None
        choice, rows = source.random(), list(mirror.algos.values())
        if near is None:
            return None
        if rows and choice < 0.4:
            row = source.choice(rows)
            if choice < 0.2:
                return CancelAlgo(decision=self._decision(), key=row.key)
            down = row.record.side == "SELL"
            return ReplaceAlgo(decision=self._decision(), key=row.key, stop_loss=self._trigger(near, down=down))
        fact = mirror.positions.get(f"{SYM}/NONE")
        held = Decimal(fact.record.position_qty) if fact is not None else Decimal(0)
        if not held or choice > 0.9:
            return PlaceAlgo(
                decision=self._decision(), sym=SYM, side=Side.BUY, condition=Condition.CONDITIONAL, qty="0.010",
                conditional=self._trigger(near, down=False), confirmed=EVERY_QUESTION,
            )  # fmt: skip
        return PlaceAlgo(
            decision=self._decision(), sym=SYM, side=Side.SELL if held > 0 else Side.BUY, reduce_only=True,
            condition=Condition.ENTIRE_CLOSE_POSITION, stop_loss=self._trigger(near, down=held > 0),
            confirmed=EVERY_QUESTION,
        )  # fmt: skip

    def _trigger(self, near: Decimal, *, down: bool) -> Protection:
        """A trigger 4 to 8 % away."""
        share = Decimal(self.floor.of_algos.randrange(40, 81)) / 1000
        return Protection(trigger=str(round(near * (1 - share if down else 1 + share), 1)), source="MARK_PRICE")

    def _change_setting(self) -> SettingIntent | None:
        """Another leverage, margin leverage or position mode than the screen shows; the mode of a venue without trades."""
        source, mirror, decision = self.floor.of_settings, self.floor.mirror, self._decision()
        kind, wanted = source.random(), str(source.choice((2, 5, 10, 20, 50, 125)))
        if kind < 0.6:
            return SetLeverage(decision=decision, sym=SYM, leverage=wanted, before=leverage_of(mirror, SYM))
        if kind < 0.8:
            before = margin_leverage_of(mirror, "BINANCE", "USDT")
            return SetMarginLeverage(
                decision=decision, exchange="BINANCE", coin="USDT", leverage=source.choice("1234"), before=before
            )
        account = mirror.accounts.get(CALM)
        if account is None:
            return None
        mode = account.record.position_mode
        return SetPositionMode(decision=decision, exchange=CALM, mode="NET" if mode == "BOTH" else "BOTH", before=mode)

    def _decision(self) -> Decision:
        return Decision(
            environment=Environment.PAPER, portfolio=self.floor.portfolio, state=TradingState.ARMED, source="campaign"
        )

    def _place(self) -> Place | None:
        source = self.source
        quote = self.desk.mirror.quotes.get(SYM)
        if quote is None or not quote.bid or not quote.ask:
            return None
        side = source.choice((Side.BUY, Side.SELL))
        near = Decimal(quote.bid if side is Side.BUY else quote.ask)
        far = Decimal(quote.ask if side is Side.BUY else quote.bid)
        kind = source.random()
        away = Decimal(source.randrange(1, 80)) / 10_000
        more: dict[str, Any] = {}
        order_type, price = OrderType.LIMIT, near * (1 - away if side is Side.BUY else 1 + away)
        if kind < 0.25:
            price = far
            more["time_in_force"] = source.choice((TimeInForce.GTC, TimeInForce.IOC, TimeInForce.FOK))
        elif kind < 0.32:
            order_type = OrderType.MARKET
        elif kind < 0.40:
            more["time_in_force"] = TimeInForce.GTX
        elif kind < 0.50:
            more.update(self._protection(side, near))
        return self._intent(side, order_type, self._qty(), price, **more)

    def _place_abroad(self) -> Place | None:
        """A contract on the second venue: near, so that the market can fill it, or at the other side of the book."""
        quote, source = self.floor.mirror.quotes.get(ABROAD), self.floor.elsewhere
        if quote is None or not quote.bid or not quote.ask:
            return None
        side = source.choice((Side.BUY, Side.SELL))
        near, far = (quote.bid, quote.ask) if side is Side.BUY else (quote.ask, quote.bid)
        away = Decimal(source.randrange(1, 80)) / 10_000
        price = Decimal(far) if source.random() < 0.2 else Decimal(near) * (1 - away if side is Side.BUY else 1 + away)
        return self._intent(side, OrderType.LIMIT, str(source.randrange(1, 5)), price, sym=ABROAD)

    def _qty(self) -> str:
        return str(Decimal(self.source.choice((1, 2, 3, 5, 10, 40))) / 1000)

    def _intent(
        self, side: Side, order_type: OrderType, qty: str, price: Decimal, *, sym: str = SYM, **more: Any
    ) -> Place:
        self._count += 1
        text = str(round(price, 1)) if order_type is OrderType.LIMIT else ""
        return Place(
            decision=self._decision(),
            sym=sym,
            side=side,
            order_type=order_type,
            qty=qty,
            price=text,
            preview=f"#{self._window}{self._count}",
            confirmed=frozenset(("DUPLICATE", "UNKNOWN_BESIDE", "STALE", "CROSS", "NOTIONAL", "FAR", "WIDE")),
            **more,
        )

    def _protection(self, side: Side, near: Decimal) -> dict[str, Any]:
        above = Protection(trigger=str(round(near * Decimal("1.05"), 1)), source="LAST_PRICE")
        below = Protection(trigger=str(round(near * Decimal("0.95"), 1)), source="LAST_PRICE")
        profit, loss = (above, below) if side is Side.BUY else (below, above)
        return {"take_profit": profit, "stop_loss": loss}

    def _replace(self, row: OrderRow) -> Replace | None:
        if not row.price or not row.qty:
            return None
        step = Decimal(self.source.randrange(-40, 41)) / 10_000
        price = str(round(Decimal(row.price) * (1 + step), 1))
        qty = row.qty if self.source.random() < 0.6 or row.sym == ABROAD else self._qty()
        return Replace(decision=self._decision(), key=row.key, price=price, qty=qty)

    def _close(self) -> Place | None:
        fact = self.desk.mirror.positions.get(f"{SYM}/NONE")
        held = Decimal(fact.record.position_qty) if fact is not None else Decimal(0)
        if not held:
            return None
        side = Side.SELL if held > 0 else Side.BUY
        return self._intent(side, OrderType.MARKET, str(abs(held)), Decimal(0), reduce_only=True)

    def _dismiss(self, orders: list[OrderRow]) -> None:
        unknown = [row for row in orders if row.state == LocalOrderState.UNKNOWN]
        if unknown:
            row, engine = self.source.choice(unknown), self.floor.engine
            now = engine.state.orders.rows.get(row.key, row)
            if not dismissal_block_reason(now, engine.settings.limits, engine.state.clock.mono()):
                self.floor.history.add("trader", "dismiss", life=self.floor.life, cid=row.key)
            engine.dismiss(row.key)
