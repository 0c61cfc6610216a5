"""Account commands of the trader: transfers, loans, withdrawals, locks in custody, portfolios and their names."""

from __future__ import annotations

from tests.simulation.floor import Floor
from tui.engine.intents import AccountCommand, Decision
from tui.venue.core.funds.addresses import address_book

EVERY_QUESTION = frozenset(("DUPLICATE", "FAR_TRIGGER", "TRIGGER_PRICE", "FIRST_OF_DAY", "SOFT_NOTIONAL"))


class RandomAccountCommands:
    """Draws one command of a kind; what the service knows no id of has an amount or a name that is drawn once."""

    def __init__(self, floor: Floor) -> None:
        self._floor = floor
        self._count = 0

    def next(self, kind: str, decision: Decision) -> AccountCommand | None:
        """A command of a field of the rates, or None where none can be made now."""
        make = {
            "transfers": self._transfer, "loans": self._loan, "withdrawals": self._withdrawal, "custody": self._custody,
            "portfolios": self._portfolio,
        }[kind]  # fmt: skip
        self._count += 1
        endpoint, args = make()
        title = f"{endpoint} {' '.join(args.values())}"
        return AccountCommand(
            decision=decision, endpoint=endpoint, args=tuple(args.items()), title=title, confirmed=EVERY_QUESTION
        )

    def _transfer(self) -> tuple[str, dict[str, str]]:
        """A little money from one own venue to another: the rapid way, the slow one, or more than there is."""
        source, portfolio = self._floor.of_account["transfers"], self._floor.portfolio
        here, there = source.sample(("BINANCE", "OKX", "EDX"), 2)
        amount = source.choice(("2", "50.5", "300", "90000000"))
        return "transfer", {
            "fromTradeAccountId": portfolio, "fromAccountType": here, "toTradeAccountId": portfolio,
            "toAccountType": there, "currency": "USDT", "network": "TRC20", "amount": amount,
            "rapidTransfer": source.choice(("true", "false")),
        }  # fmt: skip

    def _loan(self) -> tuple[str, dict[str, str]]:
        """Borrow or repay a little, or more than there is."""
        source = self._floor.of_account["loans"]
        what = source.choice(("borrow", "borrow", "repay"))
        coin, amount = source.choice(
            (("USDT", "25"), ("USDT", "0.01"), ("BTC", "0.01"), ("USDT", "90000000"), ("XRP", "1"))
        )
        return f"portfolio_loan_{what}", {"exchange": "BINANCE", "coin": coin, "amount": amount}

    def _withdrawal(self) -> tuple[str, dict[str, str]]:
        """A little money, less than the least, more than there is, or to an address that is in no book."""
        source = self._floor.of_account["withdrawals"]
        book = next(one for one in address_book(0) if (one.currency, one.network) == ("USDT", "TRC20"))
        amount = source.choice(("10", "12.5", "40", "1", "90000000"))
        return "withdraw", {
            "accountId": self._floor.portfolio, "fromAccountType": source.choice(("BINANCE", "OKX")), "currency": "USDT",
            "network": "TRC20", "address": source.choice((book.address, book.address, book.address, "elsewhere")),
            "amount": amount,
        }  # fmt: skip

    def _custody(self) -> tuple[str, dict[str, str]]:
        """A lock or unlock of an amount that no other one has."""
        source = self._floor.of_account["custody"]
        accounts = self._floor.exchange.funds.accounts(self._floor.portfolio)
        account = source.choice([one for one in accounts if one.label == "DMA"])
        amount = f"{source.choice((1, 20, 90_000_000))}.{self._count:06d}1"
        endpoint = source.choice(("custody_lock", "custody_unlock"))
        return endpoint, {"accountId": str(account.account_id), "currency": "USDT", "amount": amount}

    def _portfolio(self) -> tuple[str, dict[str, str]]:
        """A new portfolio, or another name of one; a name that no other one had, or one that is not accepted."""
        source = self._floor.of_account["portfolios"]
        name = f"night{self._count:05d}" if source.random() < 0.9 else "123"
        others = [one.id for one in self._floor.exchange.queries.portfolios.values() if not one.is_main]
        if not others or source.random() < 0.5:
            return "create_portfolio", {"name": name}
        return "rename_portfolio", {"portfolioId": source.choice(sorted(others)), "name": name}
