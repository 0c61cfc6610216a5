"""Commands of a walk that are about no order: money, settings, portfolios and keys."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

from tests.venue.stateful.drawing import NAMES, OWNERS, PERPS, SIDES, WHICH, drawn
from tests.venue.stateful.machine import Twin
from tests.venue.stateful.terms import No
from tests.venue.stateful.transfers import Movement, Place
from tui.venue.core.commands import (
    Accepted,
    ApplyTransfer,
    ChangeApiKey,
    CreateApiKey,
    CreatePortfolio,
    DeleteApiKey,
    RenamePortfolio,
    SetLeverage,
    SetPositionMode,
)


class AccountCommands:
    """A part of the machine that walks."""

    twin: Twin

    def who(self, name: str) -> str:
        """The id of an owner by name."""
        return self.twin.main if name == "main" else self.twin.sub

    # -- money -----------------------------------------------------------------------------------------------------

    @drawn("money", 8, source=range(10), target=range(10), amount=("5", "250.25", "1000", "999.9999999", "0.5", "90000000"),
          coin=("USDT", "USDT", "BTC"), network=("TRC20", "TRC20", "BSC", "", "SWIFT"), rapid=SIDES,
          named=(False, True), again=(False, False, True), gap=(0, 0, 1, 500))  # fmt: skip
    def transfer(self, source: int, target: int, amount: str, coin: str, network: str, rapid: bool, named: bool,
                 again: bool, gap: int) -> None:  # fmt: skip
        self.twin.pass_time(gap)
        places = self.twin.places()
        asked = Movement(places[source % len(places)], places[target % len(places)], coin,
                         Decimal(amount), network, rapid)  # fmt: skip
        if coin == "BTC":
            asked.amount, asked.network = asked.amount / 10_000, "BTC" if network else ""
        used = [one.client for one in self.twin.model.movements.all if one.client]
        if named:
            asked.client = used[-1] if again and used else f"t{self.twin.steps}"
        most = self.twin.transferable(asked.source, coin)

        def expected() -> Callable[[Accepted], None]:
            if asked.source == asked.target:
                raise No(404903)
            self.twin.model.movements.judge(asked, most)
            return lambda reply: self.twin.model.movements.start(asked, reply.transfer_id, self.twin.now)

        self.twin.do(self._transfer_command(asked), expected)

    def _transfer_command(self, asked: Movement) -> ApplyTransfer:
        def kind(place: Place) -> str:
            return place.venue if place.kind == "portfolio" else ""

        return ApplyTransfer(
            portfolio=self.twin.main,
            from_trade_account_id=asked.source.owner, from_account_type=kind(asked.source),
            to_trade_account_id=asked.target.owner, to_account_type=kind(asked.target),
            currency=asked.coin, network=asked.network, amount=format(asked.amount, "f"),
            rapid_transfer=str(asked.rapid).lower(), client_order_id=asked.client,
        )  # fmt: skip

    @drawn("money", 3, ms=(1, 5_000, 19_999, 20_000, 60_000))
    def wait_for_money(self, ms: int) -> None:
        self.twin.pass_time(ms)
        self.twin.compare()

    # -- settings, portfolios, keys ---------------------------------------------------------------------------------

    @drawn("account", 1, owner=OWNERS, sym=PERPS, leverage=(10, 20, 50, 100, 101, 0))
    def set_leverage(self, owner: str, sym: str, leverage: int) -> None:
        who = self.who(owner)
        command = SetLeverage(portfolio=who, sym=sym, leverage=str(leverage))
        self.twin.do(command, lambda: self.twin.model.set_leverage(who, sym, leverage))

    @drawn("account", 1, owner=OWNERS, venue=("BINANCE", "OKX"), mode=("NET", "BOTH"))
    def set_position_mode(self, owner: str, venue: str, mode: str) -> None:
        who = self.who(owner)
        command = SetPositionMode(portfolio=who, exchange=venue, position_mode=mode)
        self.twin.do(command, lambda: self.twin.model.set_mode(who, venue, mode))

    @drawn("account", 1, name=NAMES, number=range(4), other=SIDES)
    def manage_portfolios(self, name: str, number: int, other: bool) -> None:
        """A new portfolio, or another name for one; sometimes of none."""
        owners = self.twin.owners
        if not number:

            def expected() -> Callable[[Accepted], None]:
                owners.create(name)
                return owners.created

            self.twin.do(CreatePortfolio(portfolio=self.twin.main, name=name), expected)
            return
        whose = "2000000000000001" if number == 3 else list(owners.names)[-1] if other else self.twin.sub
        command = RenamePortfolio(portfolio=self.twin.main, portfolio_id=whose, name=name)

        def renamed() -> Callable[[Accepted], None]:
            owners.rename(whose, name)
            return lambda _: owners.names.update({whose: name})

        self.twin.do(command, renamed)

    @drawn("account", 1, number=WHICH, permission=("", "TRADE", "TRADE,READ,TRANSFER", "ALL"), act=range(6), own=SIDES)
    def manage_keys(self, number: int, permission: str, act: int, own: bool) -> None:
        """A new key, a change of one, or its end."""
        owners = self.twin.owners
        key = list(owners.keys.values())[number % len(owners.keys)] if owners.keys else None
        if act < 3 or key is None:
            whose = list(owners.names)[number % len(owners.names)]

            def expected() -> Callable[[Accepted], None]:
                owners.make_key(whose, permission)
                return lambda reply: owners.key_made(permission, reply)

            command = CreateApiKey(portfolio=self.twin.main, portfolio_id=whose, api_name="key", permission=permission)
            self.twin.do(command, expected)
            return
        whose, access = key.portfolio if own else self.twin.main, key.access

        def ended(_: Accepted) -> None:
            del owners.keys[access]
            owners.gone.add(access)

        def changed(_: Accepted) -> None:
            owners.keys[access].status = 2

        def found() -> Callable[[Accepted], None]:
            owners.find_key(whose, access)
            return ended if act == 3 else changed

        delete = DeleteApiKey(portfolio=self.twin.main, portfolio_id=whose, access_key=access)
        freeze = ChangeApiKey(portfolio=self.twin.main, portfolio_id=whose, access_key=access, status="2")
        self.twin.do(delete if act == 3 else freeze, found)
