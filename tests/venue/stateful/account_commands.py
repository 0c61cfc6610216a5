"""Commands of a walk that are about no order: money, settings, portfolios and keys."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from tests.venue.stateful.crossings import Crossing
from tests.venue.stateful.drawing import COINS, LOAN_UNITS, NAMES, ODD_AMOUNTS, OWNERS, PERPS, SIDES, WHICH, drawn
from tests.venue.stateful.machine import Twin
from tests.venue.stateful.terms import No
from tests.venue.stateful.transfers import Movement, Place
from tui.interface.families.accounts import LockCustody, UnlockCustody
from tui.interface.families.deposits import ApplyWithdrawal
from tui.interface.families.portfolio_loans import Borrow, Repay
from tui.interface.families.portfolios import ChangeApiKey, CreateApiKey, CreatePortfolio, DeleteApiKey, RenamePortfolio
from tui.interface.families.positions import SetLeverage, SetPositionMode
from tui.interface.families.transfers import ApplyTransfer
from tui.venue.core.commands import ArriveDeposit


def _kind(place: Place) -> str:
    return place.venue if place.kind == "portfolio" else ""


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

        def expected() -> Callable[[Any], None]:
            if asked.source == asked.target:
                raise No(404903)
            self.twin.model.movements.judge(asked, most)
            return lambda reply: self.twin.model.movements.start(asked, str(reply.transfer_id), self.twin.now)

        self.twin.do(self._transfer_command(asked), expected)

    def _transfer_command(self, asked: Movement) -> ApplyTransfer:
        return ApplyTransfer(
            portfolio=self.twin.main,
            from_trade_account_id=asked.source.owner, from_account_type=_kind(asked.source),
            to_trade_account_id=asked.target.owner, to_account_type=_kind(asked.target),
            currency=asked.coin, network=asked.network, amount=format(asked.amount, "f"),
            rapid_transfer=str(asked.rapid).lower(), client_order_id=asked.client,
        )  # fmt: skip

    @drawn("money", 4, source=range(10), amount=("10", "250.25", "1000", "9.9", "99.9999999", "90000000"),
           coin=("USDT", "USDT", "BTC"), network=("TRC20", "TRC20", "BSC", "SWIFT"), named=(False, True),
           again=(False, False, True), known=(True, True, True, False))  # fmt: skip
    def withdraw(self, source: int, amount: str, coin: str, network: str, named: bool, again: bool,
                 known: bool) -> None:  # fmt: skip
        places = self.twin.places()
        asked = Crossing(places[source % len(places)], coin, Decimal(amount), network, out=True, known=known)
        if coin == "BTC":
            asked.amount, asked.network = asked.amount / 10_000, "BTC"
        used = [one.client for one in self.twin.model.crossings.all if one.client]
        if named:
            asked.client = used[-1] if again and used else f"w{self.twin.steps}"
        most = self.twin.transferable(asked.place, coin)
        listed = {(row.currency, row.network): row.address for row in self.twin.exchange.funds.addresses()}

        def expected() -> None:
            self.twin.model.crossings.judge_leaving(asked, most)
            self.twin.model.crossings.start(asked, self.twin.now)

        command = ApplyWithdrawal(
            portfolio=self.twin.main, account_id=asked.place.owner, from_account_type=_kind(asked.place),
            currency=coin, network=asked.network, amount=format(asked.amount, "f"), client_order_id=asked.client,
            address=listed.get((coin, asked.network), "") if known else "elsewhere",
        )  # fmt: skip
        self.twin.do(command, expected)

    @drawn("money", 3, owner=("main", "sub", "FUNDING"), amount=("25", "1000.5", "0.5"), coin=("USDT", "USDT", "BTC"),
           network=("TRC20", "BSC", "SWIFT"))  # fmt: skip
    def deposit(self, owner: str, amount: str, coin: str, network: str) -> None:
        """Money comes from outside; a portfolio gets it on the venue that it did not choose, the first."""
        funding = next(one for one in self.twin.places() if one.kind == "FUNDING")
        place = funding if owner == "FUNDING" else Place(self.who(owner), "BINANCE", "portfolio")
        asked = Crossing(place, coin, Decimal(amount), network, out=False)
        if coin == "BTC":
            asked.amount, asked.network = asked.amount / 10_000, "BTC"

        def expected() -> None:
            self.twin.model.crossings.judge_coming(asked)
            self.twin.model.crossings.start(asked, self.twin.now)

        account = "FUNDING" if place is funding else place.owner
        amount = format(asked.amount, "f")
        self.twin.do(ArriveDeposit(currency=coin, amount=amount, network=asked.network, account=account), expected)

    @drawn("money", 3, locks=SIDES, number=range(2), amount=("100", "500.5", "90000000"), coin=("USDT", "BTC"))
    def custody(self, locks: bool, number: int, amount: str, coin: str) -> None:
        dma = [one for one in self.twin.places() if one.kind == "DMA"][number]
        held = next(one for one in self.twin.places() if one.kind == "CUSTODY")
        size = Decimal(amount) if coin == "USDT" else Decimal(amount) / 10_000
        asked = Movement(*((held, dma) if locks else (dma, held)), coin, size, "", rapid=False)
        most = self.twin.transferable(asked.source, coin)

        def expected() -> Callable[[Any], None]:
            self.twin.model.movements.judge_custody(asked, most)
            self.twin.model.movements.start_custody(asked, self.twin.now)
            return lambda reply: setattr(asked, "id", str(reply.action_id))

        command = LockCustody if locks else UnlockCustody
        size_text = format(size, "f")
        moved = command(portfolio=self.twin.main, account_id=dma.owner, currency=coin, amount=size_text)
        self.twin.do(moved, expected)

    @drawn("money", 3, ms=(1, 5_000, 19_999, 20_000, 60_000))
    def wait_for_money(self, ms: int) -> None:
        self.twin.pass_time(ms)
        self.twin.compare()

    @drawn("account", 1, owner=OWNERS, coin=COINS, units=(0, 1, 2, 40), odd=ODD_AMOUNTS, hours=(0, 0, 1, 9))
    def borrow(self, owner: str, coin: str, units: int, odd: str, hours: int) -> None:
        """A loan of a portfolio, and some hours of its interest."""
        who, amount = self.who(owner), LOAN_UNITS[coin] * units + Decimal(odd)
        command = Borrow(portfolio=who, exchange="BINANCE", coin=coin, amount=format(amount, "f"))
        self.twin.do(command, lambda: self.twin.model.borrow(who, "BINANCE", coin, amount))
        self.twin.compare_money()
        self.twin.pass_time(hours * 3_600_000)
        self.twin.compare()

    @drawn("account", 2, owner=OWNERS, coin=COINS, part=(0, 1, 1, 1, 2), odd=ODD_AMOUNTS)
    def repay(self, owner: str, coin: str, part: int, odd: str) -> None:
        """A part of what is owed, all of it, or a little more than that."""
        who = self.who(owner)
        owed = self.twin.model.loans.get((who, "BINANCE", coin), Decimal(0))
        amount = (owed / part).quantize(Decimal("0.01")) + Decimal(odd) if part else Decimal(odd)
        command = Repay(portfolio=who, exchange="BINANCE", coin=coin, amount=format(amount, "f"))
        self.twin.do(command, lambda: self.twin.model.repay(who, "BINANCE", coin, amount))
        self.twin.compare_money()

    # -- settings, portfolios, keys ---------------------------------------------------------------------------------

    @drawn("account", 1, owner=OWNERS, sym=PERPS, leverage=(10, 20, 50, 100, 101, 0))
    def set_leverage(self, owner: str, sym: str, leverage: int) -> None:
        who = self.who(owner)
        command = SetLeverage(portfolio=who, sym=sym, leverage=str(leverage))
        self.twin.do(command, lambda: self.twin.model.set_leverage(who, sym, leverage))

    @drawn("account", 1, owner=OWNERS, venue=("BINANCE", "OKX"), mode=("NET", "BOTH"))
    def set_position_mode(self, owner: str, venue: str, mode: str) -> None:
        who = self.who(owner)
        command = SetPositionMode(portfolio=who, exchange_type=venue, position_mode=mode)
        self.twin.do(command, lambda: self.twin.model.set_mode(who, venue, mode))

    @drawn("account", 1, name=NAMES, number=range(4), other=SIDES)
    def manage_portfolios(self, name: str, number: int, other: bool) -> None:
        """A new portfolio, or another name for one; sometimes of none."""
        owners = self.twin.owners
        if not number:

            def expected() -> Callable[[Any], None]:
                owners.create(name)
                return owners.created

            self.twin.do(CreatePortfolio(portfolio=self.twin.main, name=name), expected)
            return
        whose = "2000000000000001" if number == 3 else list(owners.names)[-1] if other else self.twin.sub
        command = RenamePortfolio(portfolio=self.twin.main, portfolio_id=whose, name=name)

        def renamed() -> Callable[[Any], None]:
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

            def expected() -> Callable[[Any], None]:
                owners.make_key(whose, permission)
                return lambda reply: owners.key_made(permission, reply)

            command = CreateApiKey(portfolio=self.twin.main, portfolio_id=whose, api_name="key", permission=permission)
            self.twin.do(command, expected)
            return
        whose, access = key.portfolio if own else self.twin.main, key.access

        def ended(_: Any) -> None:
            del owners.keys[access]
            owners.gone.add(access)

        def changed(_: Any) -> None:
            owners.keys[access].status = 2

        def found() -> Callable[[Any], None]:
            owners.find_key(whose, access)
            return ended if act == 3 else changed

        delete = DeleteApiKey(portfolio=self.twin.main, portfolio_id=whose, access_key=access)
        freeze = ChangeApiKey(portfolio=self.twin.main, portfolio_id=whose, access_key=access, status="2")
        self.twin.do(delete if act == 3 else freeze, found)
