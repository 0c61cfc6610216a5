"""Portfolios and their keys as the reference texts describe them: two dictionaries."""

from __future__ import annotations

from dataclasses import dataclass

from tests.venue.stateful.terms import No
from tui.interface.families.portfolios import ApiKeyRecord, PortfolioName
from tui.venue.core.exchange import Exchange

WORDS = ("READ", "TRANSFER", "WITHDRAW", "TRADE")


@dataclass
class ModelKey:
    """One key."""

    portfolio: str
    access: str
    permissions: tuple[str, ...] = ("READ",)
    status: int = 1


class Owners:
    """What exists, by what was accepted."""

    def __init__(self, main: str, sub: str) -> None:
        self.main = main
        self.names = {main: "MainPortfolio", sub: "SubPortfolio"}
        self.keys: dict[str, ModelKey] = {}
        self.gone: set[str] = set()

    def create(self, name: str) -> None:
        self._judge(name, "")
        if len(self.names) > 50:
            raise No(404901)

    def created(self, reply: PortfolioName) -> None:
        made = str(reply.portfolio_id)
        assert made not in self.names and len(made) == 16, "ids of one kind never repeat"
        self.names[made] = reply.name

    def rename(self, portfolio: str, name: str) -> None:
        if portfolio not in self.names:
            raise No(100001)
        if portfolio == self.main:
            raise No(400000)
        self._judge(name, portfolio)

    def _judge(self, name: str, own: str) -> None:
        if not (6 <= len(name) <= 20 and name.isascii() and name.isalnum() and not name.isdigit()):
            raise No(400000)
        if any(taken == name and other != own for other, taken in self.names.items()):
            raise No(404911)

    def make_key(self, portfolio: str, permission: str) -> None:
        if portfolio not in self.names:
            raise No(100001)
        if set(filter(None, permission.split(","))) - set(WORDS):
            raise No(400000)
        if sum(key.portfolio == portfolio for key in self.keys.values()) >= 10:
            raise No(405901)

    def key_made(self, permission: str, made: ApiKeyRecord) -> None:
        assert made.access_key not in self.gone | set(self.keys), "an access key came back"
        words = tuple(word for word in WORDS if word == "READ" or word in permission.split(","))
        assert made.permission == ",".join(words)
        self.keys[made.access_key] = ModelKey(str(made.portfolio_id), made.access_key, words)

    def find_key(self, portfolio: str, access: str) -> ModelKey:
        if portfolio not in self.names:
            raise No(100001)
        found = self.keys.get(access)
        if found is None or found.portfolio != portfolio:
            raise No(100018)
        return found

    def compare(self, exchange: Exchange) -> None:
        """Both list the same."""
        queries = exchange.queries
        assert {one.id: one.name for one in queries.portfolios.values()} == self.names
        found = {
            key.access_key: ModelKey(key.portfolio, key.access_key, key.permissions, key.status)
            for key in queries.api_keys.values()
        }
        assert found == self.keys
        for portfolio in self.names:
            assert queries.accounts(portfolio), "a portfolio without an account"
