"""Scopes of a cancel-all for algo orders only: by pair, kind and venue of the selected row."""

from __future__ import annotations

import msgspec

from tui.engine.intents import CancelAllAlgos, Decision
from tui.interface.families.algo import AlgoRecord, Condition
from tui.interface.symbols import BusinessType, try_parse
from tui.interface.text import how_many
from tui.workstation.features.trading.kill_plan import describe_bare, find_unprotected_legs
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.model.instruments import full_name
from tui.workstation.model.mirror import Mirror
from tui.workstation.widgets.question import Option

_CONDITIONS = {
    Condition.CONDITIONAL.value: "conditional orders",
    Condition.OCO.value: "OCO orders",
    Condition.ENTIRE_CLOSE_POSITION.value: "stops and targets of whole positions",
    Condition.PARTIAL_CLOSE_POSITION.value: "stops and targets of a part of a position",
}
_BUSINESS = {
    BusinessType.PERP.value: "perpetuals",
    BusinessType.SPOT.value: "spot pairs",
    BusinessType.MARGIN.value: "margin pairs",
}


class AlgoScope(msgspec.Struct, frozen=True, kw_only=True):
    """Filters that choose which algo orders a cancel-all cancels, with a description."""

    id: str
    label: str
    exchange: str
    sym: str = ""
    business: str = ""
    algo_type: str = ""
    condition: str = ""

    def matches(self, record: AlgoRecord) -> bool:
        """Return whether the cancel-all would cancel an algo order."""
        pair = try_parse(record.sym)
        exchange, business = (pair.exchange, pair.business_type) if pair is not None else ("", "")
        return (
            exchange == self.exchange
            and self.sym in ("", record.sym)
            and self.business in ("", business)
            and self.algo_type in ("", record.algo_order_type)
            and self.condition in ("", record.condition_type)
        )

    def option(self, mirror: Mirror, view: DisplayContext) -> Option:
        """Build the choice of this scope in a question; it names the positions that would be left without a stop."""
        rows = [row for row in mirror.algos.values() if self.matches(row.record)]
        bare = describe_bare(find_unprotected_legs(rows, mirror), view)
        return Option(
            self.id, f"{self.label}: cancel {how_many(len(rows), 'algo order')}, orders stay{bare}", bool(rows)
        )

    def command(self, decision: Decision) -> CancelAllAlgos:
        """Build the cancel-all intent."""
        return CancelAllAlgos(
            decision=decision, exchange=self.exchange, sym=self.sym, business=self.business,
            algo_type=self.algo_type, condition=self.condition,
        )  # fmt: skip


def list_distinct_scopes(record: AlgoRecord, mirror: Mirror) -> list[AlgoScope]:
    """List the cancel scopes of an algo order, narrowest first, without wider ones that now cancel the same orders."""
    distinct: dict[frozenset[str], AlgoScope] = {}
    for scope in scopes_of(record):
        distinct.setdefault(frozenset(key for key, row in mirror.algos.items() if scope.matches(row.record)), scope)
    return list(distinct.values())


def scopes_of(record: AlgoRecord) -> list[AlgoScope]:
    """Return the scopes that include an algo order, the narrowest first; none if its pair cannot be parsed."""
    pair = try_parse(record.sym)
    if pair is None:
        return []
    venue, where = pair.exchange, f"{pair.exchange} {_BUSINESS.get(pair.business_type, pair.business_type)}"
    kind, condition, algo_type = _CONDITIONS.get(record.condition_type, ""), record.condition_type, ""
    if not kind:
        kind, condition, algo_type = f"{record.algo_order_type} orders", "", record.algo_order_type
    here = AlgoScope(id="algos sym", label=full_name(record.sym), exchange=venue, sym=record.sym)
    all_there = AlgoScope(id="algos business", label=where, exchange=venue, business=pair.business_type)
    if not condition and not algo_type:
        return [here, all_there]
    alike = [
        msgspec.structs.replace(
            scope, id=f"{scope.id} kind", label=f"{kind} of {scope.label}", condition=condition, algo_type=algo_type
        )
        for scope in (here, all_there)
    ]
    return [alike[0], here, alike[1], all_there]
