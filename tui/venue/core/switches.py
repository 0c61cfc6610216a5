"""Named behaviours that can be set when the venue starts and while it runs; only what works is listed."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec


class BadSwitch(ValueError):
    """An unknown switch, or a value it does not have."""


class SwitchSpec(msgspec.Struct, frozen=True):
    """One switch; the first value is the default."""

    name: str
    values: tuple[str, ...]
    meaning: str


SPECS: tuple[SwitchSpec, ...] = (
    SwitchSpec("agents", ("on", "still", "off"), "the market: lively, deep but motionless, or empty"),
    SwitchSpec("speed", ("1", "0.25", "0.5", "2", "4", "10"), "how often agents act, as a factor"),
    SwitchSpec("client_ids", ("lenient", "strict"), "characters and length of a clientOrderId"),
    SwitchSpec("duplicate_client_id", ("reject", "reject_open", "accept"), "what a used clientOrderId does"),
    SwitchSpec("self_trade", ("taker", "maker", "both", "decrement", "allow"), "who ends when own orders meet"),
    SwitchSpec("gtx_outcome", ("reject", "cancel"), "how a post-only order that would take ends"),
    SwitchSpec("gtx_amend_cross", ("cancel", "refuse"), "what an amend of a post-only order into crossing does"),
    SwitchSpec("amend_below_filled", ("cancel", "refuse"), "a new total that is not above the executed quantity"),
    SwitchSpec("amend_priority", ("cut_keeps", "requeue"), "whether a smaller quantity keeps its place"),
    SwitchSpec("replace_qty", ("total", "remaining"), "what replaceQty means"),
    SwitchSpec("cancel_finished", ("error", "silent"), "answer to the cancel of a finished order"),
    SwitchSpec("cancel_all_scope", ("portfolio", "user"), "how far a cancel-all of the main portfolio reaches"),
    SwitchSpec("reject_state", ("REJECT", "REJECTED"), "spelling of the refused state"),
    SwitchSpec("spot_leverage", ("null", "1"), "leverage of a spot order"),
    SwitchSpec("no_risk_mmr", ("999999", "99999999"), "uniMMR of a row without risk"),
    SwitchSpec("none_in_both_mode", ("both", "refuse"), "closing several positions with NONE in hedge mode"),
    SwitchSpec("funding_interval", ("8h", "4h", "1h"), "time between two funding payments, from 00:00 UTC"),
    SwitchSpec("tier_margin", ("flat", "cumulative"), "maintenance margin over several tiers"),
)


class Switches:
    """The current value of every switch of a set."""

    def __init__(self, values: Mapping[str, str] | None = None, specs: tuple[SwitchSpec, ...] = SPECS) -> None:
        self._specs = {spec.name: spec for spec in specs}
        self._values = {spec.name: spec.values[0] for spec in specs}
        for name, value in (values or {}).items():
            self.set(name, value)

    def __getitem__(self, name: str) -> str:
        return self._values[name]

    def __contains__(self, name: object) -> bool:
        return name in self._values

    def set(self, name: str, value: str) -> None:
        """Change one switch.

        Raises:
            BadSwitch: with a sentence that names what is accepted.
        """
        spec = self._specs.get(name)
        if spec is None:
            raise BadSwitch(f"no switch {name[:40]!r}; known: {', '.join(sorted(self._specs))}")
        if value not in spec.values:
            raise BadSwitch(f"{name} = {value[:40]!r} is not accepted; it takes {', '.join(spec.values)}")
        self._values[name] = value

    def all(self) -> dict[str, str]:
        """Name and value of every switch."""
        return dict(self._values)
