"""Tools with which an agent sends orders itself, within a mandate that the trader granted at the desk."""

from __future__ import annotations

import msgspec

from tui.agents.answers import Answer
from tui.agents.desk_link import DeskLink
from tui.agents.tool import NoArguments, Tool, make_tool
from tui.desk_protocol.messages import AskMandate, OrderTerms

WITHIN = "within the mandate alone; without one nothing is sent"


class ReplaceQuery(msgspec.Struct, frozen=True, kw_only=True):
    """Arguments of `replace_order`."""

    order: str
    """Key of an order that this agent placed."""
    qty: str
    """New total size, what is filled included."""
    price: str
    """New limit price."""


class CancelQuery(msgspec.Struct, frozen=True, kw_only=True):
    """Arguments of `cancel_order`."""

    order: str
    """Key of an order that this agent placed."""


class CommandQuery(msgspec.Struct, frozen=True, kw_only=True):
    """Arguments of `command_outcome`."""

    command: str
    """Id of a place, replace or cancel of this agent, from its answer or from the refusal that said that it was lost."""


class MandateTools:
    """Tools for an agent that request a mandate from the trader and send, replace and cancel orders within it."""

    def __init__(self, link: DeskLink) -> None:
        self._link = link

    def tools(self) -> list[Tool]:
        """List the tools."""
        return [
            make_tool("ask_mandate", "Ask the trader to let you send limit orders yourself, within these terms. Waits for"
                      " the answer, which the trader types at the desk.", AskMandate, self._ask, reads=False),
            make_tool("mandate", "The mandate of this agent, and what of it is used; null without one.", NoArguments,
                      self._show),
            make_tool("place_order", f"Send a limit order, {WITHIN}.", OrderTerms, self._place, reads=False),
            make_tool("replace_order", f"Give an order of this agent a new total size and price, {WITHIN}.", ReplaceQuery,
                      self._replace, reads=False),
            make_tool("cancel_order", f"Cancel an order of this agent, {WITHIN}.", CancelQuery, self._cancel, reads=False),
            make_tool("command_outcome", "What became of a place, replace or cancel of this agent, also before the desk was"
                      " started again; null: it never reached the desk.", CommandQuery, self._tell_outcome),
        ]  # fmt: skip

    async def _ask(self, wanted: AskMandate) -> Answer:
        terms = msgspec.structs.asdict(wanted)
        async with self._link.desk() as desk:
            return Answer(await desk.ask_mandate(*terms.pop("pairs"), **terms))

    async def _show(self, _: NoArguments) -> Answer:
        async with self._link.desk() as desk:
            return Answer(desk.mandate)

    async def _place(self, terms: OrderTerms) -> Answer:
        async with self._link.desk() as desk:
            return Answer(
                await desk.place(
                    terms.side, terms.sym, terms.qty, terms.price, time_in_force=terms.time_in_force,
                    position_side=terms.position_side, reduce_only=terms.reduce_only,
                )
            )  # fmt: skip

    async def _replace(self, query: ReplaceQuery) -> Answer:
        async with self._link.desk() as desk:
            return Answer(await desk.replace(query.order, query.qty, query.price))

    async def _cancel(self, query: CancelQuery) -> Answer:
        async with self._link.desk() as desk:
            return Answer(await desk.cancel(query.order))

    async def _tell_outcome(self, query: CommandQuery) -> Answer:
        async with self._link.desk() as desk:
            return Answer(await desk.outcome(query.command))
