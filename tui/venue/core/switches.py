"""Behaviour switches of the venue, set at the start or at run time; only implemented ones are listed."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec

from tui.crossdesk_error import CrossdeskError
from tui.venue.core.market.symbols import SHIPPED
from tui.venue.core.state.risk_ladder import is_ladder

EDITION, LENIENT = "edition", "lenient"


class BadSwitch(CrossdeskError, ValueError):
    """Error for an unknown switch, or for a value the switch does not accept."""

    title = "Switch not accepted"


class SwitchSpec(msgspec.Struct, frozen=True):
    """Switch of the venue with its accepted values; the first is the default."""

    name: str
    values: tuple[str, ...]
    meaning: str
    check_form: Callable[[str], bool] | None = None
    """Check of further values, which have the form of the first one."""
    lenient: str = ""
    """Value under `edition=lenient`; empty when it is the first value too."""

    @property
    def line(self) -> str:
        """Name, values and meaning; a switch that depends on the API edition shows its value for each edition."""
        by_edition = f" (edition documents: {self.values[0]}, {LENIENT}: {self.lenient})" if self.lenient else ""
        return f"{self.name}={'|'.join(self.values)}: {self.meaning}{by_edition}"

    def accepts(self, value: str) -> bool:
        return value in self.values or (self.check_form is not None and self.check_form(value))


NO_PAIRS = "none"


def parse_pairs(text: str) -> list[str]:
    """List the pairs in the value of a switch."""
    return [] if text == NO_PAIRS else text.split(",")


def _are_pairs(text: str) -> bool:
    return all(part in SHIPPED for part in text.split(","))


_SOME_PAIRS = (NO_PAIRS, "BINANCE_PERP_BTC_USDT,OKX_SPOT_ETH_USDT")

SPEEDS = ("1", "0.25", "0.5", "2", "4", "10")

SPECS: tuple[SwitchSpec, ...] = (
    SwitchSpec(
        EDITION,
        ("documents", LENIENT),
        "exactly as documented, or as existing clients expect; switches set by name take precedence",
    ),
    SwitchSpec("agents", ("on", "still", "off"), "simulated market: active, deep but without price moves, or empty"),
    SwitchSpec(
        "replay_end", ("stand", "loop"), "at the end of a recording the market stops, or the recording restarts"
    ),
    SwitchSpec("speed", SPEEDS, "pace of the simulated market, as a factor"),
    SwitchSpec("suspended", _SOME_PAIRS, "pairs whose trading is suspended; their orders stay open", _are_pairs),
    SwitchSpec(
        "delisted", _SOME_PAIRS, "delisted pairs; their orders are cancelled, their positions closed", _are_pairs
    ),
    SwitchSpec(
        "client_ids",
        ("strict", LENIENT),
        "accepted characters of a clientOrderId: a-z and 0-9, or letters, digits, - and _",
        lenient=LENIENT,
    ),
    SwitchSpec(
        "duplicate_client_id", ("reject", "reject_open", "accept"), "response to a clientOrderId that was used before"
    ),
    SwitchSpec(
        "self_trade",
        ("taker", "maker", "both", "decrement", "allow"),
        "self-trade prevention: which order ends when own orders match",
    ),
    SwitchSpec("gtx_outcome", ("reject", "cancel"), "response to a post-only order that would trade at once"),
    SwitchSpec("gtx_amend_cross", ("cancel", "refuse"), "response to an amend that makes a post-only order cross"),
    SwitchSpec(
        "amend_below_filled",
        ("cancel", "refuse"),
        "response to an amend whose new total is not above the executed quantity",
    ),
    SwitchSpec(
        "amend_priority",
        ("cut_keeps", "requeue"),
        "whether an order keeps its queue position when its quantity is reduced",
    ),
    SwitchSpec("replace_qty", ("total", "remaining"), "whether replaceQty is the new total or the remaining quantity"),
    SwitchSpec(
        "reduce_only_excess",
        ("clip", "cut", "reject", "cancel_others"),
        "reduce-only quantity above the position: trimmed at the fill or at once, rejected, or older orders cancelled",
    ),
    SwitchSpec(
        "reduce_only_scope",
        ("symbol", "leg"),
        "reduce-only orders that the close of a leg cancels and counts for error 401129",
        lenient="leg",
    ),
    SwitchSpec(
        "adl_delisted", ("401011", "empty"), "response to a query for the ADL rank of a delisted pair", lenient="empty"
    ),
    SwitchSpec("replace_as_new", ("off", "spot", "all"), "pairs on which an amend creates a new order"),
    SwitchSpec("loan_pools", ("full", "empty"), "whether the lending pools have coins"),
    SwitchSpec("past", ("on", "off"), "whether a new venue has a history of 90 days before its first start"),
    SwitchSpec("trade_statements", ("on", "off"), "whether the account statement has rows for fills"),
    SwitchSpec(
        "zero_positions",
        ("false", "true"),
        "whether position lists contain pairs with a leverage setting but no position",
    ),
    SwitchSpec("cancel_finished", ("error", "silent"), "response to a cancel of an ended order"),
    SwitchSpec(
        "cancel_race",
        ("cancel_first", "fill_first", "mixed"),
        "fault: a resting order is filled before its pending cancel",
    ),
    SwitchSpec(
        "cancel_all_scope",
        ("portfolio", "user"),
        "whether a cancel-all by the main portfolio covers its own or all orders of the user",
    ),
    SwitchSpec("reject_state", ("REJECT", "REJECTED"), "name of the state of a rejected order"),
    SwitchSpec("spot_leverage", ("null", "1"), "leverage shown on spot orders"),
    SwitchSpec("no_risk_mmr", ("999999", "99999999"), "uniMMR shown for an account without risk"),
    SwitchSpec(
        "none_in_both_mode",
        ("both", "refuse"),
        "positionSide NONE in a close of several positions in hedge mode: both legs, or rejected",
    ),
    SwitchSpec(
        "network_delay",
        ("20", "0"),
        "seconds that a transfer, deposit or withdrawal over a network takes",
        str.isdecimal,
    ),
    SwitchSpec(
        "unlock_bound", ("locked", "held"), "largest amount of a custody unlock: the locked coins, or all coins held"
    ),
    SwitchSpec("withdrawals", ("approved", "rejected"), "whether withdrawals are approved or rejected"),
    SwitchSpec(
        "deposit_account_type",
        ("both", "portfolio", "venue"),
        "accepted account types in a query for a deposit address",
    ),
    SwitchSpec("funding_interval", ("8h", "4h", "1h"), "time between two funding payments, from 00:00 UTC"),
    SwitchSpec(
        "tier_margin", ("flat", "cumulative"), "maintenance margin at one tier's rate, or cumulative over the tiers"
    ),
    SwitchSpec("risk_ladder", ("2.0 1.5 1.2 1.0",), "uniMMR thresholds of the account risk levels", is_ladder),
    SwitchSpec(
        "insurance_fund",
        ("pays", "empty"),
        "whether the fund covers takeover losses; when empty, opposite positions are deleveraged (ADL)",
    ),
)


class Switches:
    """Current value of every switch of a set."""

    def __init__(self, values: Mapping[str, str] | None = None, specs: tuple[SwitchSpec, ...] = SPECS) -> None:
        self._specs = {spec.name: spec for spec in specs}
        self._values = {spec.name: spec.values[0] for spec in specs}
        self._chosen: set[str] = set()
        for name, value in (values or {}).items():
            self.set(name, value)

    def __getitem__(self, name: str) -> str:
        return self._values[name]

    def __contains__(self, name: object) -> bool:
        return name in self._values

    def set(self, name: str, value: str) -> None:
        """Change the value of a switch.

        Raises:
            BadSwitch: The switch or value is unknown; the message names what is accepted.
        """
        spec = self._specs.get(name)
        if spec is None:
            raise BadSwitch(f"no switch {name[:40]!r}; known: {', '.join(sorted(self._specs))}")
        if not spec.accepts(value):
            form = "values of the form " if spec.check_form is not None else ""
            raise BadSwitch(f"{name} = {value[:40]!r} is not accepted; it takes {form}{', '.join(spec.values)}")
        self._values[name] = value
        if name == EDITION:
            self.set_edition(value)
        else:
            self._chosen.add(name)

    def set_edition(self, edition: str) -> None:
        """Set the API edition and each switch that depends on it, except those that the user has set."""
        for spec in self._specs.values():
            if spec.lenient and spec.name not in self._chosen:
                self._values[spec.name] = spec.lenient if edition == LENIENT else spec.values[0]

    def all(self) -> dict[str, str]:
        """Return name and value of every switch."""
        return dict(self._values)
