"""Script of the tour: seven steps, what each asks for, and what of the desk shows that it was done."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from tui.engine.modes import SENDS, TradingState
from tui.workstation.features.tour.sight import TICKET, Sight
from tui.workstation.input.scopes import QUESTIONS, Scope

ORDERS, POSITIONS, QUOTES = "orders", "positions", "quotes"


class Task(NamedTuple):
    """Part of a tour step: a sentence, the actions whose keys do it, and a test whether it is done."""

    say: str
    """Sentence in which `{0}`, `{1}` stand for the keys of the actions."""
    actions: tuple[str, ...]
    """Actions in the order in which they are done."""
    is_done: Callable[[Sight], bool]
    others: tuple[str, ...] = ()
    """Further actions that the sentence names and that need not be done."""


class Step(NamedTuple):
    """Step of the tour: title, parts, and a test whether it is done."""

    title: str
    tasks: tuple[Task, ...]
    is_reached: Callable[[Sight], bool]
    """Return whether the step is done, whatever keys led there."""
    seen: str
    """Sentence that says so."""
    armed: bool = False
    """Whether it needs an armed desk."""
    begin: Callable[[Sight], None] = lambda _: None
    """Note what the step is compared with."""
    misses: Callable[[Sight], str] = lambda _: ""
    """Return what ended the order before the step was done, so that another one must be sent; empty while nothing did."""
    stages: str = ""
    """What a ticket may be for during the step; empty: none belongs to it."""


def _begin_order(sight: Sight) -> None:
    sight.forget_order()


def _begin_purchase(sight: Sight) -> None:
    sight.begin_purchase()


def _miss_order(sight: Sight) -> str:
    """Return how the tour's order ended too early, as a sentence; empty if it has not ended."""
    return f"the order was {sight.early_end}" if sight.early_end else ""


def _has_bought(sight: Sight) -> bool:
    sight.bought = sight.bought or sight.grown
    return bool(sight.bought)


_TO_QUOTES = Task("{0} goes to the quotes", ("pane.1",), lambda sight: sight.place in (QUOTES, TICKET))

STEPS = (
    Step(
        "Move",
        (
            Task("{0} goes to the quotes", ("pane.1",), lambda sight: sight.moved or sight.place == QUOTES),
            Task(
                "{0} moves to the next pair, {1} back. Go to another pair", ("list.down",),
                lambda sight: sight.moved, ("list.up",),
            ),
            Task("{0} goes to the orders", ("pane.2",), lambda sight: sight.been_in_orders),
            Task("{0} goes back to the quotes", ("pane.1",), lambda sight: sight.place == QUOTES),
        ),
        lambda sight: sight.moved and sight.been_in_orders and sight.place == QUOTES,
        "you moved between pairs and lists",
    ),
    Step(
        "Arm",
        (Task("Nothing is sent in VIEW. {0} arms the desk", ("state.arm",), lambda sight: sight.state in SENDS),),
        lambda sight: sight.state in SENDS,
        "the desk is armed",
    ),
    Step(
        "Send a limit order",
        (
            _TO_QUOTES,
            Task(
                "{0} stages a buy at the best bid, with the smallest size. Nothing is sent yet", ("stage.buy",),
                lambda sight: sight.stages == "buy",
            ),
            Task(
                "Digits type another size. {0} lowers the price by ten ticks, so that the order rests", ("step.down10",),
                lambda sight: sight.below_touch,
            ),
            Task("Read the preview, then {0} sends", ("ticket.send",), lambda sight: sight.order is not None),
        ),
        lambda sight: sight.order is not None,
        "the order is at the venue",
        armed=True,
        begin=_begin_order,
        misses=_miss_order,
        stages="buy",
    ),
    Step(
        "Change its price",
        (
            Task("{0} goes to the orders", ("pane.2",), lambda sight: sight.place in (ORDERS, TICKET)),
            Task(
                "{0} and {1} move to your order", ("list.down",),
                lambda sight: sight.order_picked or sight.stages == "replace", ("list.up",),
            ),
            Task("{0} lowers the price by a tick; presses add up", ("price.down",), lambda sight: sight.repriced),
            Task("{0} sends the change", ("ticket.send",), lambda sight: sight.order_moved),
        ),
        lambda sight: sight.order_moved,
        "the venue has taken the new price",
        armed=True,
        misses=_miss_order,
        stages="replace",
    ),
    Step(
        "Cancel it",
        (
            Task("{0} goes to the orders", ("pane.2",), lambda sight: sight.place == ORDERS),
            Task("{0} and {1} move to your order", ("list.down",), lambda sight: sight.order_picked, ("list.up",)),
            Task("{0} cancels it at once, without a question", ("order.cancel",), lambda sight: sight.order_cancelled),
        ),
        lambda sight: sight.order_cancelled,
        "the order is cancelled",
        armed=True,
        misses=_miss_order,
    ),
    Step(
        "Buy at once",
        (
            _TO_QUOTES,
            Task(
                "{0} stages a buy at the best ask: it takes what is offered", ("stage.take_buy",),
                lambda sight: sight.stages == "take",
            ),
            Task("Read the fee, then {0} sends", ("ticket.send",), _has_bought),
        ),
        _has_bought,
        "you hold a position",
        armed=True,
        begin=_begin_purchase,
        stages="take",
    ),
    Step(
        "Close it, and disarm",
        (
            Task("{0} goes to the positions", ("pane.3",), lambda sight: sight.flat or sight.place in (POSITIONS, TICKET)),
            Task(
                "{0} and {1} move to the position", ("list.down",),
                lambda sight: sight.flat or sight.picked == sight.bought or sight.stages == "close", ("list.up",),
            ),
            Task(
                "{0} stages the close of the whole position at market", ("position.flatten",),
                lambda sight: sight.flat or sight.stages == "close",
            ),
            Task("{0} sends", ("ticket.send",), lambda sight: sight.flat),
            Task(
                "The position is closed. {0} disarms the desk", ("state.arm",),
                lambda sight: sight.state is TradingState.VIEW,
            ),
        ),
        lambda sight: sight.flat and sight.state is TradingState.VIEW,
        "what you bought is closed, and nothing can be sent",
        stages="close",
    ),
)  # fmt: skip


ORDER_STEP = next(index for index, step in enumerate(STEPS) if step.begin is _begin_order)
"""Step that sends the order of the later ones."""


class Hint(NamedTuple):
    """Sentence that tells the trader how to get from a wrong place or state back to the tour's step."""

    say: str
    actions: tuple[str, ...] = ()


def find_task(step: Step, sight: Sight) -> Task:
    """Return the first part of the step that is not done; the last if all are."""
    task = next((task for task in step.tasks if not task.is_done(sight)), step.tasks[-1])
    return task._replace(actions=(sight.sender,)) if task.actions == ("ticket.send",) else task


def find_hint(step: Step, sight: Sight) -> Hint | None:
    """Return a hint how to remove what prevents the step, such as a frozen screen; None if nothing does."""
    if sight.read_only:
        return Hint(sight.read_only)
    if not sight.synced:
        return Hint("Wait: the desk is not in sync with the venue yet")
    if sight.frozen:
        return Hint("The screen is frozen: {0} goes on", ("paint.freeze",))
    if not sight.is_on_desk:
        return Hint("The tour is on the desk: {0} goes back to it", ("screen.close",))
    return _find_place_hint(sight) or _find_state_hint(step, sight) or _find_ticket_hint(step, sight)


def _find_place_hint(sight: Sight) -> Hint | None:
    if sight.asks:
        return Hint("The desk asks about what is unusual: {0} answers yes, {1} goes back", _ANSWERS)
    if sight.scope is Scope.KILL:
        return Hint(
            "This is the kill prompt: {0} goes back. Its choices cancel orders and stop trading", ("kill.close",)
        )
    if sight.scope is Scope.WORD:
        return Hint("A typed word is asked for: {0} goes back and does nothing", ("word.leave",))
    if sight.scope in QUESTIONS:
        return Hint("A question is open: {0} goes back and does nothing", ("ticket.unask",))
    if sight.scope in (Scope.LINE, Scope.FILTER):
        return Hint("Letters are typed here: {0} goes back", ("filter.leave",))
    if not sight.place:
        return Hint("{0} closes this and goes back to the desk", ("help.close",))
    return None


_ANSWERS = ("ticket.confirm", "ticket.unask")


def _find_state_hint(step: Step, sight: Sight) -> Hint | None:
    if sight.state is TradingState.HOT:
        return Hint("HOT: one key sends without a preview. {0} ends it", ("state.arm",))
    if step.armed and sight.halted:
        return Hint("The risk mode lets nothing open: {0} leads back to NORMAL", ("mode.choose",))
    if step.armed and sight.state not in SENDS:
        return Hint("The desk is in VIEW: {0} arms it again", ("state.arm",))
    return None


def _find_ticket_hint(step: Step, sight: Sight) -> Hint | None:
    """Return a hint how to leave or send the open ticket if it blocks the step; None if it does not."""
    staged = sight.stages
    if staged and staged != step.stages:
        return Hint(
            _OTHER_TICKET.get(staged, "This ticket does not belong to the step: {0} drops it"), ("ticket.drop",)
        )
    if staged and sight.blocked:
        return Hint("A key was refused: {0} continues", ("ticket.unblock",))
    if sight.scope is Scope.CHOOSER:
        return Hint("This is a choice of the form: {0} goes on to its last line", ("stop.next",))
    if sight.scope is Scope.FIELD and sight.sender == "ticket.send_form":
        return Hint("This is a field of the form: {0} goes on to its last line", ("field.next",))
    return None


_OTHER_TICKET = {
    "sell": "This ticket sells: {0} drops it",
    "take": "This ticket takes the best ask: {0} drops it",
    "buy": "This ticket rests at the best bid: {0} drops it",
    "form": "This ticket has no side: {0} drops it",
    "close": "This ticket closes a position: {0} drops it",
    "replace": "This ticket changes an order: {0} drops it",
}
