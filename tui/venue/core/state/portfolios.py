"""Portfolios of the user, and their API keys."""

from __future__ import annotations

import msgspec

from tui.interface.families.portfolios import ApiKeyRecord, BelongingTo, KeyStatus, PortfolioRecord


class Portfolio(msgspec.Struct, frozen=True):
    """Main or sub portfolio; times in ms, 0 when an older version did not store them."""

    id: str
    name: str
    level: str
    """`main` or `sub`."""
    created: int = 0
    updated: int = 0
    venues: tuple[str, ...] = ()
    """Venues with an account before the first coin."""

    @property
    def is_main(self) -> bool:
        """Whether it is the main portfolio of the user; every other one is a sub portfolio."""
        return self.level == "main"

    def record(self, unknown_ms: int) -> PortfolioRecord:
        """Build the row that portfolio lists return; `unknown_ms` replaces a time that was not stored."""
        created = self.created or unknown_ms
        return PortfolioRecord(
            portfolio_id=int(self.id),
            name=self.name,
            belonging_to=BelongingTo.MAIN if self.is_main else BelongingTo.OTHER,
            create_at=created,
            update_at=self.updated or created,
        )


class ApiKey(msgspec.Struct, frozen=True, kw_only=True):
    """API key of a portfolio. Its secret is not stored: the venue computes it from the access key."""

    access_key: str
    portfolio: str
    number: int
    """Order of creation."""
    name: str
    addresses: tuple[str, ...] = ()
    """Accepted addresses; empty accepts any."""
    permissions: tuple[str, ...]
    status: KeyStatus = KeyStatus.NORMAL
    created: int
    updated: int

    def record(self) -> ApiKeyRecord:
        """Build the row that API key lists return."""
        return ApiKeyRecord(
            portfolio_id=int(self.portfolio),
            api_name=self.name,
            access_key=self.access_key,
            status=self.status,
            ip=",".join(self.addresses),
            permission=",".join(self.permissions),
            created_at=self.created,
            updated_at=self.updated,
        )
