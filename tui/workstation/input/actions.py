"""Table of all actions: the source of key bindings, footer, help, keymap validation and documented key tables."""

from __future__ import annotations

from tui.workstation.input.action import Action, Reach, Risk
from tui.workstation.input.scopes import (
    DESK,
    DIALOGS,
    EVERYWHERE,
    LETTERS_FREE,
    LISTS,
    PRICES,
    SCREENS,
    TICKET,
    VIEWS,
    Scope,
)

_Q, _O, _P = Scope.QUOTES, Scope.ORDERS, Scope.POSITIONS
_PREVIEW = frozenset([Scope.PREVIEW])
_PART = frozenset([Scope.PART])
_PREVIEW_ORDER = frozenset([Scope.PREVIEW, _O])
_FIELDS = frozenset([Scope.FIELD])
_ROWS = LISTS | SCREENS
_CURSORS = _ROWS | PRICES
"""Everything with a cursor."""
_PANES = _CURSORS | {Scope.NOWHERE}
_TYPING = frozenset([Scope.FILTER])
_LINE = frozenset([Scope.LINE])
_LADDER = frozenset([Scope.LADDER])
_CHART = frozenset([Scope.CHART])
_COLUMNS = frozenset([Scope.COLUMNS])
_SCREEN = frozenset([Scope.SCREEN])
_PALETTE = frozenset([Scope.PALETTE])
_CHOICES = frozenset([Scope.PROMPT, Scope.KILL])
_ALL_LISTS = _PANES | TICKET
"""Everywhere except text fields and dialogs."""
_FINDS = DESK | SCREENS | _FIELDS | _TYPING | {Scope.HELP, Scope.COLUMNS, Scope.PRACTICE, Scope.TEXTS, Scope.THEMES}
"""Everywhere except questions."""
_PRACTICE = frozenset([Scope.PRACTICE])
_TEXTS = frozenset([Scope.TEXTS])
_THEMES = frozenset([Scope.THEMES])
_WELCOME = frozenset([Scope.WELCOME])
_MODES = frozenset([Scope.MODES])
_FORM = frozenset([Scope.FORM])
_FORM_END = frozenset([Scope.FORM_END])
_SECRET = frozenset([Scope.SECRET])
_TEXT_EDITING = _FORM | _FORM_END | _PALETTE | _FIELDS | _TYPING | _LINE | {Scope.WORD, Scope.KILL}
"""Scopes with text input."""
_READ = "read on demand"
"""Kind of screens whose lists are read when they are shown."""
_CARDS = frozenset([_P, Scope.ASSETS, Scope.ADL, Scope.PNL, Scope.RISK])


_REACH_OF_RISK = {Risk.LOOK: Reach.NONE, Risk.STAGE: Reach.NONE, Risk.SEND: Reach.ACTS, Risk.KILL: Reach.WIDE}
"""Default reach of an action by its risk."""


def _a(
    name: str,
    title: str,
    keys: str,
    scopes: frozenset[Scope],
    *,
    risk: Risk = Risk.LOOK,
    group: str = "desk",
    hint: str = "",
    armed: bool = False,
    hot: bool = False,
    why: str = "",
    fixed: bool = False,
    at: int = 50,
    paneless: bool = False,
    by_key: bool = False,
    only_on: str = "",
    reach: Reach | None = None,
) -> Action:
    reach = _REACH_OF_RISK[risk] if reach is None else reach
    return Action(
        id=name, title=title, keys=tuple(keys.split()), scopes=scopes, risk=risk, group=group, hint=hint, armed=armed,
        hot=hot, why=why, fixed=fixed, priority=at, paneless=paneless, by_key=by_key, only_on=only_on, reach=reach,
    )  # fmt: skip


ACTIONS: tuple[Action, ...] = (
    # Staging and sending
    _a("stage.buy", "buy at best bid (join the queue)", "b", frozenset([_Q, _P]), risk=Risk.STAGE,
       group="trade", hint="buy", armed=True, why="mnemonic; sends nothing", at=1),
    _a("stage.sell", "sell at best ask (join the queue)", "s", frozenset([_Q, _P]), risk=Risk.STAGE,
       group="trade", hint="sell", armed=True, why="mnemonic; sends nothing", at=2),
    _a("ticket.open", "open the form", "enter", frozenset([_Q]), risk=Risk.STAGE, group="trade", hint="form",
       why="Enter also moves through its fields", at=6),
    _a("ticket.send", "send the staged order", "enter", _PREVIEW, risk=Risk.SEND, group="trade", hint="send",
       armed=True, why="a staged order needs this one Enter", at=0, by_key=True),
    _a("ticket.send_form", "send the ticket opened with Enter", "y", _PREVIEW, risk=Risk.SEND, group="trade", armed=True,
       why="a key that opened the ticket or moved between its fields does not send it", by_key=True),
    _a("ticket.unblock", "continue after a refused key", "backspace ctrl+u", TICKET, group="trade"),
    _a("ticket.confirm", "answer a question with yes", "y", frozenset([Scope.ASK]), risk=Risk.SEND, group="trade",
       hint="yes, send", armed=True, why="never the key that opened the question", at=0, by_key=True),
    _a("ticket.unask", "go back to the ticket", "escape", frozenset([Scope.ASK]), group="trade", hint="back", at=1),
    _a("ticket.drop", "drop the ticket", "escape q", TICKET, group="trade", hint="drop", at=5),
    _a("order.edit", "replace the order", "e", frozenset([_O]), risk=Risk.STAGE, group="trade", hint="edit",
       armed=True, at=3),
    _a("ticket.fields", "open all fields", "e", _PREVIEW, risk=Risk.STAGE, group="trade", hint="fields", at=3),
    _a("order.cancel", "cancel now", "c", frozenset([_O]), risk=Risk.SEND, group="trade", hint="cancel", armed=True,
       why="lowers risk: no question, unless several orders are marked", at=2),
    _a("cancel.scope", "cancel by pair, venue or portfolio (asks)", "C", frozenset([_O, _Q, Scope.SCREEN]),
       risk=Risk.STAGE, group="trade", hint="cancel…", armed=True, why="affects several orders: asks, with counts", at=7,
       reach=Reach.WIDE),
    _a("cancel.last", "cancel my last working order", "u", _CURSORS | TICKET, risk=Risk.SEND, group="trade",
       hint="cancel last", armed=True, at=20, paneless=True),
    _a("position.flatten", "flatten the position at market (preview; HOT: sends)", "f", frozenset([_P]), risk=Risk.STAGE,
       group="trade", hint="flatten", armed=True, at=3, reach=Reach.ACTS),
    _a("position.part", "close a part: then 1-4 for 25, 50, 75, 100 %", "%", frozenset([_P]), risk=Risk.STAGE,
       group="trade", hint="part", armed=True, at=4, reach=Reach.ACTS),
    _a("part.1", "close 25 %", "1", _PART, risk=Risk.STAGE, group="trade", hint="25 %", armed=True, at=0,
       reach=Reach.ACTS),
    _a("part.2", "close 50 %", "2", _PART, risk=Risk.STAGE, group="trade", hint="50 %", armed=True, at=1,
       reach=Reach.ACTS),
    _a("part.3", "close 75 %", "3", _PART, risk=Risk.STAGE, group="trade", hint="75 %", armed=True, at=2,
       reach=Reach.ACTS),
    _a("part.4", "close the whole position", "4", _PART, risk=Risk.STAGE, group="trade", hint="100 %", armed=True, at=3,
       reach=Reach.ACTS),
    _a("part.leave", "close nothing", "escape q", _PART, group="trade", hint="back", at=4),
    _a("position.exit", "exit at best ask/bid, post-only (preview; HOT: sends)", "o", frozenset([_P]), risk=Risk.STAGE,
       group="trade", hint="exit", armed=True, at=5),
    _a("position.break_even", "move the stop to net break-even (asks)", "n", frozenset([_P]),
       risk=Risk.STAGE, group="trade",
       armed=True, why="n for net: fees and funding are counted; a stop that is there is moved"),
    _a("position.reverse", "reverse the position (asks)", "r", frozenset([_P]), risk=Risk.STAGE, group="trade",
       armed=True, why="closes it and opens the same size on the other side", reach=Reach.ACTS),
    _a("position.protect_all", "place a stop on every position without one (asks)", "N", frozenset([_P]), risk=Risk.STAGE,
       group="trade", armed=True, why="2 % from the mark price; `protect all 1%` on the command line sets another distance"),
    _a("stage.take_buy", "buy at best ask (takes); HOT: sends as hot_send says", "B",
       frozenset([_Q, _P]), risk=Risk.STAGE, group="trade", armed=True, hot=True, reach=Reach.ACTS,
       why="the setting hot_send says join or take; in HOT it sends only on a quote"),
    _a("stage.take_sell", "sell at best bid (takes); HOT: sends as hot_send says", "S",
       frozenset([_Q, _P]), risk=Risk.STAGE, group="trade", armed=True, hot=True, reach=Reach.ACTS),
    _a("stage.again", "stage the last sent order again", ".", LISTS, risk=Risk.STAGE, group="trade", armed=True,
       why="never sends"),
    _a("order.details", "order details: state and reason", "enter", frozenset([_O]), group="look", hint="why", at=8),
    _a("order.story", "order timeline", "#", frozenset([_O]), group="look"),
    _a("fills.open", "show or hide the fills of an order", "enter", frozenset([Scope.FILLS]), group="look",
       hint="open", at=8),
    _a("row.details", "all fields of the row as the service sent them", "m", _ROWS, group="look", hint="all", at=31),
    _a("row.card", "all fields of the row as the service sent them", "enter", _CARDS, group="look", at=31),
    _a("row.mark", "mark the row, go to the next", "space", _ROWS, group="look"),
    _a("row.range", "begin a range of marked rows, or end it", "v", _ROWS - {Scope.ALERTS}, group="look"),
    _a("away.seen", "read and confirm what changed while disconnected", "!", _PANES, group="look",
       why="the status line counts the changes until then"),
    _a("event.details", "full text of the event", "enter", frozenset([Scope.EVENTS]), group="look", hint="read", at=8),
    _a("order.dismiss", "dismiss an UNKNOWN order or command (asks)", "delete", frozenset([_O]) | _SCREEN, risk=Risk.STAGE,
       group="trade", at=40),
    # Ladder
    _a("ladder.down", "one price down", "j down", _LADDER, group="ladder"),
    _a("ladder.up", "one price up", "k up", _LADDER, group="ladder"),
    _a("ladder.down10", "ten prices down", "[", _LADDER, group="ladder"),
    _a("ladder.up10", "ten prices up", "]", _LADDER, group="ladder"),
    _a("ladder.page_down", "page of prices down", "pagedown", _LADDER, group="ladder"),
    _a("ladder.page_up", "page of prices up", "pageup", _LADDER, group="ladder"),
    _a("ladder.bid", "move the cursor to the best bid", "g home", _LADDER, group="ladder", hint="bid", at=8),
    _a("ladder.ask", "move the cursor to the best ask", "G end", _LADDER, group="ladder", hint="ask", at=8),
    _a("ladder.centre", "move the best prices to the middle of the ladder", "'", _LADDER, group="ladder", hint="centre",
       at=7,
       why="quotes move the rows only with the setting ladder_recentre_s"),
    _a("ladder.coarser", "more ticks in one row: 1, 5, 10, 25, 50, 100", ">", _LADDER, group="ladder"),
    _a("ladder.finer", "fewer ticks in one row", "<", _LADDER, group="ladder"),
    _a("ladder.buy", "buy at the price under the cursor", "b", _LADDER, risk=Risk.STAGE, group="ladder", hint="buy",
       armed=True, at=1, why="the ticket keeps this price and does not follow the market"),
    _a("ladder.sell", "sell at the price under the cursor", "s", _LADDER, risk=Risk.STAGE, group="ladder", hint="sell",
       armed=True, at=2),
    _a("ladder.fire_buy", "in HOT: send a post-only buy at the price under the cursor", "B", _LADDER, risk=Risk.STAGE,
       group="ladder", armed=True, hot=True, why="outside HOT it does nothing", reach=Reach.ACTS),
    _a("ladder.fire_sell", "in HOT: send a post-only sell at the price under the cursor", "S", _LADDER, risk=Risk.STAGE,
       group="ladder", armed=True, hot=True, reach=Reach.ACTS),
    _a("ladder.cancel", "cancel my orders at this price now", "c", _LADDER, risk=Risk.SEND, group="ladder",
       hint="cancel row", armed=True, at=3, why="lowers risk: one key, no question"),
    _a("ladder.cancel_pair", "cancel my orders of the pair (asks)", "C", _LADDER, risk=Risk.STAGE, group="ladder",
       armed=True, reach=Reach.WIDE),
    _a("ladder.pick", "pick up my order to move it; again: let it go unchanged", "space", _LADDER, group="ladder",
       hint="pick up", at=4),
    _a("ladder.put", "replace the picked order at this price (preview)", "enter", _LADDER, risk=Risk.STAGE,
       group="ladder", hint="put here", armed=True, at=5, why="then y sends it"),
    _a("ladder.target", "target of the position at this price (asks)", "t", _LADDER, risk=Risk.STAGE, group="ladder",
       armed=True),
    _a("ladder.stop", "stop of the position at this price (asks)", "p", _LADDER, risk=Risk.STAGE, group="ladder",
       armed=True, hint="stop", at=6),
    _a("ladder.alert", "alert at this price (opens the command line)", "i", _LADDER, group="ladder"),
    _a("ladder.venues", "all venues of the pair; then the next view", ")", _LADDER, group="ladder", hint="venues", at=6),
    _a("ladder.one_venue", "one venue again; then the previous view", "(", _LADDER, group="ladder"),
    _a("ladder.right", "all venues: to the next venue; one: next view", "right", _LADDER, group="ladder"),
    _a("ladder.left", "all venues: to the previous venue; one: previous view", "left", _LADDER, group="ladder"),
    # Chart
    _a("chart.left", "crosshair one bar to the left", "h left", _CHART, group="chart"),
    _a("chart.right", "crosshair one bar to the right", "l right", _CHART, group="chart"),
    _a("chart.up", "crosshair one line up", "k up", _CHART, group="chart"),
    _a("chart.down", "crosshair one line down", "j down", _CHART, group="chart"),
    _a("chart.left10", "crosshair ten bars to the left", "pageup", _CHART, group="chart"),
    _a("chart.right10", "crosshair ten bars to the right", "pagedown", _CHART, group="chart"),
    _a("chart.newest", "hide the crosshair, go to the newest bars", "G end", _CHART, group="chart", hint="newest", at=6),
    _a("chart.shorter", "shorter interval", ",", _CHART, group="chart", hint="interval", at=3),
    _a("chart.longer", "longer interval", ";", _CHART, group="chart", hint="interval", at=4),
    _a("chart.price", "show bars of last, mark or index prices", "m", _CHART, group="chart"),
    _a("chart.wider", "wider bars", "+", _CHART, group="chart", hint="zoom", at=5),
    _a("chart.narrower", "narrower bars", "-", _CHART, group="chart"),
    _a("chart.buy", "buy at the crosshair's price", "b", _CHART, risk=Risk.STAGE, group="chart", hint="buy",
       armed=True, at=1, why="the ticket keeps this price and does not follow the market"),
    _a("chart.sell", "sell at the crosshair's price", "s", _CHART, risk=Risk.STAGE, group="chart", hint="sell",
       armed=True, at=2),
    _a("chart.alert", "alert at the crosshair's price (command line)", "i", _CHART, group="chart"),
    # Alerts
    _a("alert.new", "alert on the pair of the row (opens the command line)", "i", frozenset([_Q, _O, _P]), group="look",
       why="the command line begins with `alert when` and the pair"),
    _a("alert.delete", "delete the alert", "delete", frozenset([Scope.ALERTS]), group="look", hint="delete", at=1),
    _a("alert.snooze", "silence the alert for five minutes", "v", frozenset([Scope.ALERTS]), group="look",
       hint="silence", at=2, why="`alert snooze` on the command line sets another time"),
    # Algo orders
    _a("algo.new", "new stop, target, OCO or conditional order (form)", "p", frozenset([_Q, _P]), risk=Risk.STAGE,
       group="trade", hint="protect", at=8, why="on a position, side and leg are preset so that the order closes it"),
    _a("algo.move", "move the stop or target of the position (form)", "e", frozenset([_P]), risk=Risk.STAGE, group="trade",
       armed=True, why="asks which one if the position has several"),
    _a("algo.edit", "change triggers or size of the algo order (form)", "e", _SCREEN, risk=Risk.STAGE, group="trade",
       hint="edit", armed=True, at=1, only_on="algos"),
    _a("algo.cancel", "cancel the algo order now", "c", _SCREEN, risk=Risk.SEND, group="trade", hint="cancel",
       armed=True, at=2, only_on="algos", why="one key, no question"),
    # Money beside trading
    _a("transfer.open", "transfer the coin of the row (form)", "t", frozenset([Scope.ASSETS]) | _SCREEN, risk=Risk.STAGE,
       group="account", hint="transfer", at=2, only_on="funds", why="shows the margin of both accounts before sending"),
    _a("deposit.open", "show the deposit address of the coin of the row", "I", frozenset([Scope.ASSETS]) | _SCREEN,
       group="account", hint="deposit", at=12, only_on="funds", why="I for in"),
    _a("withdraw.open", "withdraw the coin of the row (form, typed word)", "O", frozenset([Scope.ASSETS]) | _SCREEN,
       risk=Risk.STAGE, group="account", hint="withdraw", at=13, only_on="funds",
       why="O for out; goes only to addresses of the address book, amount typed twice"),
    _a("custody.open", "lock custody funds to a sub-account, or unlock (form)", "L", _SCREEN, risk=Risk.STAGE,
       group="account", hint="custody", at=14, only_on="funds", why="L for lock"),
    # Forms
    _a("form.take", "check the field, go to the next; on the last line ask or send", "enter", _FORM | _FORM_END,
       risk=Risk.SEND, group="form", hint="next", at=0),
    _a("form.send", "send the form", "y", _FORM_END, risk=Risk.SEND, group="form", hint="send", at=0,
       why="Enter sends too, unless it moved through the fields; a form that asks takes only Enter"),
    _a("form.next", "next field", "down tab", _FORM | _FORM_END, group="form", hint="next", at=2),
    _a("form.back", "previous field", "up shift+tab", _FORM | _FORM_END, group="form"),
    _a("form.turn", "next value of a choice, or count up", "right", _FORM, risk=Risk.STAGE, group="form",
       hint="change", at=3, why="in a text it moves the cursor"),
    _a("form.turn_back", "previous value of a choice, or count down", "left", _FORM, risk=Risk.STAGE, group="form"),
    _a("form.close", "close the form without doing anything", "escape", _FORM | _FORM_END, group="form", hint="back", at=1),
    # Typed text
    _a("edit.erase", "delete a character", "backspace", _TEXT_EDITING, group="form"),
    _a("edit.clear", "delete the text before the cursor", "ctrl+u", _TEXT_EDITING, group="form"),
    # Settings of the account
    _a("leverage.open", "set the leverage of the pair or the coin (form)", "l", frozenset([_Q, _P, Scope.ASSETS]),
       risk=Risk.STAGE, group="account", why="the form shows margin and liquidation price before and after"),
    _a("modes.open", "set the position mode of the venue: one-way or hedge", "L", frozenset([_Q, _P, Scope.ASSETS,
       Scope.RISK]),
       risk=Risk.STAGE, group="account", why="the key L also sets the leg in a ticket"),
    _a("modes.take", "change the position mode (asks), or go to a blocking row", "enter", _MODES, risk=Risk.STAGE,
       group="account", hint="go or change", at=0),
    _a("modes.down", "next line", "j down", _MODES, group="account", hint="down", at=2),
    _a("modes.up", "previous line", "k up", _MODES, group="account"),
    _a("modes.close", "close the list", "escape q L", _MODES, group="account", hint="back", at=1),
    _a("loan.borrow", "borrow the coin (form)", "b", frozenset([Scope.ASSETS]), risk=Risk.STAGE,
       group="account", hint="borrow", at=1, why="the form shows the rate, and LTV and margin before and after"),
    _a("loan.repay", "repay the loan of the coin (form)", "r p", frozenset([Scope.ASSETS]), risk=Risk.STAGE,
       group="account", hint="repay", at=2),
    _a("loan.borrow_more", "borrow the coin of the row (form)", "b", _SCREEN, risk=Risk.STAGE, group="account",
       hint="borrow", at=1, only_on="loans"),
    _a("loan.pay_back", "repay the loan of the row (form)", "p", _SCREEN, risk=Risk.STAGE, group="account", hint="repay",
       at=2, only_on="loans", why="r reloads a list"),
    _a("fee.set", "set the fees of sub portfolios (form)", "%", _SCREEN, risk=Risk.STAGE,
       group="account", hint="set", at=1, only_on="fees", why="adds a markup to their fee rates"),
    # Price and size
    _a("price.up", "price one tick up", "+", _PREVIEW_ORDER, risk=Risk.STAGE, group="ticket", hint="tick", armed=True,
       why="presses add up to one replace; Enter sends it, in HOT a pause", at=10),
    _a("price.down", "price one tick down", "-", _PREVIEW_ORDER, risk=Risk.STAGE, group="ticket", armed=True),
    _a("price.up10", "price ten ticks up", "]", _PREVIEW_ORDER, risk=Risk.STAGE, group="ticket", armed=True),
    _a("price.down10", "price ten ticks down", "[", _PREVIEW_ORDER, risk=Risk.STAGE, group="ticket", armed=True),
    _a("size.up", "size one lot up", ">", _PREVIEW_ORDER, risk=Risk.STAGE, group="ticket", armed=True),
    _a("size.down", "size one lot down", "<", _PREVIEW_ORDER, risk=Risk.STAGE, group="ticket", armed=True,
       why="a smaller size keeps the place in the queue where the venue allows it"),
    _a("step.up", "price one tick up", "up", _PREVIEW, risk=Risk.STAGE, group="ticket",
       why="arrow keys need no AltGr on any keyboard"),
    _a("step.down", "price one tick down", "down", _PREVIEW, risk=Risk.STAGE, group="ticket"),
    _a("step.up10", "price ten ticks up", "pageup", _PREVIEW, risk=Risk.STAGE, group="ticket"),
    _a("step.down10", "price ten ticks down", "pagedown", _PREVIEW, risk=Risk.STAGE, group="ticket"),
    _a("step.more", "size one lot up", "right", _PREVIEW, risk=Risk.STAGE, group="ticket"),
    _a("step.less", "size one lot down", "left", _PREVIEW, risk=Risk.STAGE, group="ticket"),
    _a("size.double", "double the size", "*", _PREVIEW, risk=Risk.STAGE, group="ticket"),
    _a("size.halve", "halve the size", "/", _PREVIEW, risk=Risk.STAGE, group="ticket"),
    _a("size.type", "type the size: 0.5, .5, $16000, 16k$, 50%", "0 1 2 3 4 5 6 7 8 9 . $", TICKET, risk=Risk.STAGE,
       group="ticket",
       why="in a ticket digits type the size, in a list they go to a pane"),
    _a("helper.join", "price: join the best price of my side", "J", _PREVIEW, risk=Risk.STAGE, group="ticket", hint="join",
       at=11, why="upper case only sets a price, never sends"),
    _a("helper.improve", "price: one tick better than the best price of my side", "I", _PREVIEW, risk=Risk.STAGE,
       group="ticket",
       hint="improve", at=12),
    _a("helper.mid", "price: middle", "M", _PREVIEW, risk=Risk.STAGE, group="ticket", hint="mid", at=13),
    _a("helper.take", "price: take the best price of the other side", "T", _PREVIEW, risk=Risk.STAGE, group="ticket",
       hint="take", at=14, reach=Reach.ACTS),
    _a("price.refill", "price: follow the best price of my side again", "=", _PREVIEW, risk=Risk.STAGE, group="ticket"),
    _a("side.buy", "choose buy in a ticket without a side", "b", TICKET, risk=Risk.STAGE, group="ticket"),
    _a("side.sell", "choose sell in a ticket without a side", "s", TICKET, risk=Risk.STAGE, group="ticket"),
    _a("flag.post", "post-only on or off", "p", _PREVIEW, risk=Risk.STAGE, group="ticket", hint="post", at=15),
    _a("flag.reduce", "reduce-only on or off", "r", _PREVIEW, risk=Risk.STAGE, group="ticket", hint="reduce", at=16),
    _a("flag.tif", "time in force: next value", "t", _PREVIEW, risk=Risk.STAGE, group="ticket", hint="TIF", at=17),
    _a("flag.leg", "next leg intent", "L", _PREVIEW, risk=Risk.STAGE, group="ticket", hint="leg", at=18),
    # Fields
    _a("field.next", "check the field, go to the next", "enter tab", _FIELDS, group="ticket", hint="next", at=1,
       why="in the size of a staged order, Enter sends it"),
    _a("field.back", "previous field", "shift+tab", _FIELDS, group="ticket"),
    _a("field.restore", "undo: restore the previous value", "escape", _FIELDS, group="ticket", hint="back", at=2,
       why="if the size of a staged order was typed, it drops the order"),
    _a("field.up", "step the number up", "up", _FIELDS, risk=Risk.STAGE, group="ticket", hint="step", at=3),
    _a("field.down", "step the number down", "down", _FIELDS, risk=Risk.STAGE, group="ticket"),
    _a("field.up10", "price ten ticks up", "pageup", _FIELDS, risk=Risk.STAGE, group="ticket",
       why="works from the size field too"),
    _a("field.down10", "price ten ticks down", "pagedown", _FIELDS, risk=Risk.STAGE, group="ticket"),
    _a("choice.next", "next value", "right down space", frozenset([Scope.CHOOSER]), risk=Risk.STAGE, group="ticket",
       hint="change", at=1),
    _a("choice.previous", "previous value", "left up", frozenset([Scope.CHOOSER]), risk=Risk.STAGE, group="ticket"),
    _a("stop.next", "next field", "tab", TICKET, group="ticket", hint="next", at=4),
    _a("stop.enter", "next field", "enter", frozenset([Scope.CHOOSER]), group="ticket"),
    _a("stop.back", "previous field", "shift+tab", TICKET, group="ticket"),
    # Safety
    _a("state.arm", "arm or disarm", "a", _ALL_LISTS, risk=Risk.STAGE, group="safety",
       hint="arm", at=5, why="VIEW sends only what the kill prompt confirms"),
    _a("mode.choose", "set risk mode REDUCING, HALT or NORMAL (typed word)", "ctrl+t", _ALL_LISTS,
       risk=Risk.STAGE, group="safety", why="a stricter mode applies at once, a milder one after a typed word"),
    _a("position.flatten_all", "flatten all positions but kept ones (typed word)", "F", _CURSORS, risk=Risk.STAGE,
       group="safety", armed=True, why="`keep` on the command line leaves a pair out", paneless=True, reach=Reach.ALL),
    _a("word.take", "confirm once the word is typed", "enter", frozenset([Scope.WORD]), risk=Risk.SEND, group="safety",
       hint="confirm", at=0),
    _a("word.leave", "close the question without doing anything", "escape", frozenset([Scope.WORD]), group="safety",
       hint="back", at=1),
    _a("mandate.revoke_all", "end the mandates of all programs, and cancel what they placed", "ctrl+r", EVERYWHERE,
       risk=Risk.LOOK, group="safety", why="acts at once: it can only lower risk"),
    _a("kill.open", "kill prompt", "X", LETTERS_FREE - {Scope.KILL}, risk=Risk.KILL, group="safety", hint="kill",
       why="works in every state and dialog; in text fields press Ctrl+G", fixed=True, at=4),
    _a("kill.open_text", "open the kill prompt, from text fields too", "ctrl+g", EVERYWHERE - {Scope.KILL}, risk=Risk.KILL,
       group="safety", hint="kill", why="replaces X where letters are text", fixed=True, at=4),
    _a("kill.go", "cancel entries (orders that open), set VIEW and HALT", "enter", frozenset([Scope.KILL]), risk=Risk.KILL,
       group="safety", hint="run the selected row", why="the other rows of the kill prompt need a typed word", fixed=True,
       at=0),
    _a("prompt.yes", "confirm", "y", frozenset([Scope.PROMPT]), risk=Risk.SEND, group="safety", hint="confirm", at=0),
    _a("prompt.no", "close the question without doing anything", "enter escape q n", frozenset([Scope.PROMPT]),
       group="safety",
       hint="back", at=1, why="Enter declines, so it changes nothing"),
    _a("prompt.next", "next choice, or scroll the orders down", "right down tab", _CHOICES, group="safety", hint="choice",
       at=2),
    _a("prompt.previous", "previous choice, or scroll the orders up", "left up shift+tab", _CHOICES, group="safety"),
    _a("prompt.page_down", "next page of the orders in the question", "pagedown", frozenset([Scope.PROMPT]), group="safety"),
    _a("prompt.page_up", "previous page of the orders in the question", "pageup", frozenset([Scope.PROMPT]), group="safety"),
    _a("kill.close", "close the question without doing anything", "escape q", frozenset([Scope.KILL]), group="safety",
       hint="back", at=1),
    # Finding
    _a("line.open", "command line", ":", VIEWS, group="line", hint="command", at=8),
    _a("line.take", "carry out the command line", "enter", _LINE, risk=Risk.SEND, group="line", hint="carry out", at=0),
    _a("line.close", "close the line", "escape", _LINE, group="line", hint="close", at=1),
    _a("line.complete", "complete the word", "tab", _LINE, group="line", hint="complete", at=2),
    _a("line.older", "older line from the history of the command line", "up", _LINE, group="line", hint="history", at=3),
    _a("line.newer", "newer line from the history of the command line", "down", _LINE, group="line"),
    _a("palette.open", "find a screen, a pane, a pair or an action", "ctrl+p", _FINDS, group="look", hint="find", at=9,
       why="type a few letters; it says why an action cannot run now"),
    _a("palette.take", "go to the entry, or run it", "enter", _PALETTE, group="look", hint="do it", at=0,
       why="does what the key of the entry does, with the same questions"),
    _a("palette.close", "close the list", "escape ctrl+p", _PALETTE, group="look", hint="close", at=1),
    _a("palette.down", "next line found", "down", _PALETTE, group="look", hint="next", at=5),
    _a("palette.up", "previous line found", "up", _PALETTE, group="look"),
    _a("palette.page_down", "page of lines down", "pagedown", _PALETTE, group="look"),
    _a("palette.page_up", "page of lines up", "pageup", _PALETTE, group="look"),
    # Screens beside the desk
    _a("screen.algos", "algo orders: stops, targets, OCO, conditional", "A", _ALL_LISTS, group="screen",
       why="with trigger, distance and sent order; pressed again: main screen"),
    _a("screen.events", "own events of this session", "E", _ALL_LISTS, group="screen",
       why="Enter opens the order of an event; pressed again: main screen"),
    _a("screen.loans", "loans: rates, LTV, what can be borrowed, orders, statement", "D", _ALL_LISTS, group="screen",
       why="D for debt; b borrows, p repays; pressed again: main screen"),
    _a("screen.fees", "fees: rates, groups, portfolios, settlements, tiers", "$", _PANES,
       group="screen", why="pressed again: main screen"),
    _a("screen.liquidation", "liquidation: what the service did, step by step", "R", _ALL_LISTS, group="screen",
       why="R for risk; shows the steps with account snapshots, and the orders of the service"),
    _a("screen.history", "history: orders, fills, closed positions, statement, algo orders, volume", "H", _ALL_LISTS,
       group="screen", why="loaded on request; pressed again: main screen"),
    _a("screen.explorer", "explorer: every endpoint, its parameters as a form, its answer", "f4", _ALL_LISTS,
       group="screen", why="for endpoints without a screen of their own; pressed again: main screen"),
    _a("screen.funds", "funds: transfers, accounts, deposits, withdrawals, bills, custody", "W", _ALL_LISTS, group="screen",
       why="W for wallet; loaded when opened"),
    _a("screen.overview", "all accounts: values, portfolios, coins and where they are held", "V", _ALL_LISTS, group="screen",
       why="V for value; loaded when opened"),
    _a("screen.portfolios", "portfolios and API keys", "P", _ALL_LISTS, group="screen",
       why="loaded when opened; pressed again: main screen"),
    _a("screen.programs", "desks and programs: who is attached, what programs ask for and hold", "f7", _ALL_LISTS,
       group="screen", why="pressed again: main screen"),
    _a("screen.open", "open the card of the row's order", "enter", _SCREEN, group="screen", hint="open", at=6),
    _a("screen.close", "one step back: clear marks, clear filter, main screen", "escape q", _SCREEN, group="screen",
       hint="desk", at=7),
    # Programs
    _a("program.yes", "say yes to what the program asks for (opens the command line)", "Y", _SCREEN, group="programs",
       hint="yes…", at=1, only_on="programs"),
    _a("program.no", "say no, or end the mandate (opens the command line)", "N", _SCREEN, group="programs", hint="no…",
       at=2, only_on="programs"),
    # Query lists
    _a("list.more", "next page of the list", "n", _SCREEN, group="list", hint="more", at=3, only_on=_READ),
    _a("list.stop", "stop loading the list", "s", _SCREEN, group="list", hint="stop", at=4, only_on=_READ),
    _a("list.export", "export the shown rows to a file (CSV)", "d", _SCREEN, group="list", hint="file", at=11,
       only_on=_READ),
    _a("list.again", "reload the list", "r", _SCREEN, group="list", only_on=_READ),
    # History
    _a("history.ask", "query the history: window, pair, venue, kind, or an order by its id", "o", _SCREEN, group="history",
       hint="ask", at=1, only_on="history"),
    _a("history.window", "next time window: today, 7 days, 90 days", "w", _SCREEN, group="history", hint="window", at=2,
       only_on="history"),
    _a("history.executed", "show only executed orders, or all orders again", "x", _SCREEN, group="history",
       hint="executed", at=5,
       only_on="history"),
    _a("history.order", "show the fills of the order, or the order of the fill", "l", _SCREEN, group="history",
       hint="its fills", at=10, only_on="history"),
    # All accounts
    _a("overview.inside", "show the coins of the account", "i", _SCREEN, group="portfolio", hint="look inside", at=1,
       only_on="overview"),
    # Portfolios and keys
    _a("portfolio.new", "new portfolio, or in the key list a new key (form)", "+", _SCREEN, risk=Risk.STAGE,
       group="portfolio", hint="new", at=1, only_on="portfolios"),
    _a("portfolio.edit", "rename the portfolio, or change the API key (form)", "f2", _SCREEN, risk=Risk.STAGE,
       group="portfolio", hint="change", at=2, only_on="portfolios"),
    _a("portfolio.trade", "trade this portfolio from now on (asks)", "T", _SCREEN, risk=Risk.STAGE, group="portfolio",
       hint="trade it", at=8, only_on="portfolios", why="paper; goes to VIEW"),
    _a("key.freeze", "freeze or unfreeze the API key (asks)", "f", _SCREEN, risk=Risk.STAGE, group="portfolio",
       hint="freeze", at=5, only_on="portfolios"),
    _a("key.delete", "delete the API key (asks for a typed word)", "-", _SCREEN, risk=Risk.STAGE, group="portfolio",
       hint="delete",
       at=6, only_on="portfolios"),
    _a("secret.copy", "copy the secret", "y", _SECRET, group="portfolio", hint="copy the secret", at=0,
       why="the secret is shown once and stored nowhere"),
    _a("secret.copy_key", "copy the access key", "c", _SECRET, group="portfolio", hint="copy the access key", at=1),
    _a("secret.close", "close the dialog; the secret is not shown again", "escape", _SECRET, group="portfolio", hint="close",
       at=2),
    # Looking
    _a("pane.1", "quotes", "1", _PANES, group="look"),
    _a("pane.2", "orders", "2", _PANES, group="look"),
    _a("pane.3", "positions", "3", _PANES, group="look"),
    _a("pane.4", "assets", "4", _PANES, group="look"),
    _a("pane.5", "ADL", "5", _PANES, group="look"),
    _a("pair.open", "open or close ladder, chart and trades of the pair", "d", VIEWS, group="look", hint="depth", at=12,
       why="d for depth; they show the pair under the cursor"),
    _a("pane.next", "next pane", "tab", VIEWS | {Scope.NOWHERE}, group="look"),
    _a("pane.back", "previous pane", "shift+tab", VIEWS | {Scope.NOWHERE}, group="look"),
    _a("view.next", "next view of the pane", ")", _CURSORS - _LADDER, group="look", hint="views", at=30),
    _a("view.back", "previous view of the pane", "(", _CURSORS - _LADDER, group="look"),
    _a("view.right", "next view of the pane", "right", _ROWS, group="look"),
    _a("view.left", "previous view of the pane", "left", _ROWS, group="look"),
    _a("result.view", "value at mark, last or exit; P&L: change the grouping", "w",
       frozenset([_P, Scope.PNL]), group="look", hint="value", at=9),
    _a("pnl.curve", "curve below: account equity or realised result of the day", "e", frozenset([Scope.PNL]),
       group="look", hint="curve", at=10),
    _a("sort.next", "sort by the next column", ",", _ROWS, group="look", hint="sort", at=32),
    _a("sort.back", "reverse the sorting", ";", _ROWS, group="look"),
    _a("filter.open", "filter the list; in the quotes also search all symbols", "/", _ROWS, group="look", hint="filter",
       at=9,
       why="! inverts a term"),
    _a("filter.take", "keep the filter; in the quotes go to the symbol found", "enter", _TYPING, group="look", hint="go",
       at=1),
    _a("filter.leave", "restore the previous filter", "escape", _TYPING, group="look", hint="back", at=2),
    _a("filter.down", "next row found", "down", _TYPING, group="look", hint="next", at=3),
    _a("filter.up", "previous row found", "up", _TYPING, group="look"),
    _a("quote.drop", "remove the symbol from the quotes", "delete", frozenset([_Q]), group="look"),
    _a("columns.open", "choose the columns", "| ctrl+o", LISTS | SCREENS, group="look"),
    _a("columns.down", "next column", "j down", _COLUMNS, group="look", hint="down", at=2),
    _a("columns.up", "previous column", "k up", _COLUMNS, group="look"),
    _a("columns.toggle", "show or hide the column", "space enter", _COLUMNS, group="look", hint="show or hide", at=0),
    _a("columns.reset", "the usual columns", "r", _COLUMNS, group="look", hint="usual", at=3),
    _a("columns.close", "close the list", "escape q |", _COLUMNS, group="look", hint="close", at=1),
    _a("practice.open", "practice: simulate faults of the paper venue", "f6", _ALL_LISTS, group="look"),
    _a("practice.down", "next line", "j down", _PRACTICE, group="look", hint="down", at=2),
    _a("practice.up", "previous line", "k up", _PRACTICE, group="look"),
    _a("practice.turn", "next state of the fault", "space enter", _PRACTICE, group="look", hint="turn", at=0),
    _a("practice.heal", "end all faults", "r", _PRACTICE, group="look", hint="heal all", at=3),
    _a("practice.close", "close the list", "escape q f6", _PRACTICE, group="look", hint="close", at=1),
    _a("themes.open", "themes: choose the colours", "f8", _ALL_LISTS, group="look"),
    _a("themes.down", "next theme, shown at once", "j down", _THEMES, group="look", hint="down", at=2),
    _a("themes.up", "previous theme, shown at once", "k up", _THEMES, group="look"),
    _a("themes.take", "keep the theme", "enter", _THEMES, group="look", hint="keep", at=0),
    _a("themes.close", "back to the theme before", "escape q f8", _THEMES, group="look", hint="back", at=1),
    _a("welcome.open", "welcome: practise on paper, connect a service, or look only", "f5", _ALL_LISTS, group="look"),
    _a("welcome.down", "next choice", "j down", _WELCOME, group="look", hint="down", at=2),
    _a("welcome.up", "previous choice", "k up", _WELCOME, group="look"),
    _a("welcome.take", "take the choice", "enter", _WELCOME, group="look", hint="take", at=0,
       why="no choice sends or arms anything"),
    _a("welcome.never", "do not show the welcome again", "n", _WELCOME, group="look", hint="never again", at=3),
    _a("welcome.close", "close the welcome until the next start", "escape q f5", _WELCOME, group="look", hint="close", at=1),
    _a("connection.open", "connect a service: addresses and key, tested before they are kept", "f3", _ALL_LISTS,
       group="account"),
    _a("tour.open", "tour of seven steps on the paper venue, and out of it again", "f1", _FINDS | _WELCOME, group="look",
       paneless=True),
    _a("pane.zoom", "show only this pane, and back", "0", VIEWS, group="look", why="status line, ticket and key line stay"),
    _a("list.down", "down", "j down", _ROWS, group="look"),
    _a("list.up", "up", "k up", _ROWS, group="look"),
    _a("list.first", "first row", "g home", _ROWS, group="look"),
    _a("list.last", "last row", "G end", _ROWS, group="look"),
    _a("list.page_down", "page down", "pagedown", _ROWS, group="look"),
    _a("list.page_up", "page up", "pageup", _ROWS, group="look"),
    _a("row.copy", "copy the id", "y", _ROWS, group="look"),
    _a("texts.open", "copy the order as command line, Python, REST or WebSocket", "Y", LISTS, group="look"),
    _a("texts.down", "next text", "j down", _TEXTS, group="look", hint="down", at=2),
    _a("texts.up", "previous text", "k up", _TEXTS, group="look"),
    _a("texts.take", "copy the text", "enter y", _TEXTS, group="look", hint="copy", at=0),
    _a("texts.close", "close the list", "escape q Y", _TEXTS, group="look", hint="close", at=1),
    _a("paint.freeze", "freeze the screen; data is still received", "z", _CURSORS | TICKET, group="look", hint="freeze",
       at=41, paneless=True),
    _a("screen.redraw", "redraw the screen", "ctrl+l", EVERYWHERE, group="look"),
    _a("help.open", "keys", "?", DESK | SCREENS | _WELCOME, group="look", hint="help", fixed=True, at=7),
    _a("help.close", "close the page", "escape q ?", frozenset([Scope.HELP]), group="look", hint="close"),
    _a("help.find", "find a key by a few letters", "/", frozenset([Scope.HELP]), group="look", hint="find", at=2),
    _a("help.down", "scroll down", "j down pagedown", frozenset([Scope.HELP]), group="look"),
    _a("help.up", "scroll up", "k up pageup", frozenset([Scope.HELP]), group="look"),
    _a("help.first", "first line", "g home", frozenset([Scope.HELP]), group="look"),
    _a("help.last", "last line", "G end", frozenset([Scope.HELP]), group="look"),
    _a("pane.close", "one step back: clear marks, filter, zoom; to quotes", "q escape", VIEWS, group="look"),
    _a("quit.ask", "quit (asks while orders or positions are open)", "ctrl+q", EVERYWHERE - DIALOGS | {Scope.HELP},
       group="desk", hint="quit", at=10, fixed=True),
    _a("quit.how", "show how to quit", "ctrl+c", EVERYWHERE - _FIELDS, group="desk"),
)  # fmt: skip

BY_ID: dict[str, Action] = {action.id: action for action in ACTIONS}
RENAMED = {
    "form.erase": "edit.erase", "word.erase": "edit.erase", "palette.erase": "edit.erase",
    "history.erase": "edit.erase", "setting.erase": "edit.erase", "form.clear": "edit.clear",
    "palette.clear": "edit.clear", "history.clear": "edit.clear", "history.take": "form.take",
    "history.leave": "form.close", "setting.take": "form.take", "setting.close": "form.close",
    "setting.up": "form.turn", "setting.down": "form.turn_back",
}  # fmt: skip
"""Former action ids and their present ones; a keymap may still use them."""

GROUPS = {
    "trade": "Orders",
    "ticket": "Inside a ticket",
    "ladder": "Ladder",
    "chart": "Chart",
    "line": "Command line",
    "account": "Account",
    "form": "Forms",
    "safety": "Safety",
    "look": "Looking",
    "screen": "Screens",
    "list": "Query lists",
    "history": "History",
    "portfolio": "Portfolios and keys",
    "programs": "Desks and programs",
    "desk": "Desk",
}

_SHOWN = {
    "escape": "Esc", "enter": "Enter", "tab": "Tab", "shift+tab": "Shift+Tab", "up": "Up", "down": "Down",
    "left": "Left", "right": "Right", "pageup": "PgUp", "pagedown": "PgDn", "home": "Home", "end": "End",
    "space": "Space", "delete": "Del", "ctrl+g": "Ctrl+G", "ctrl+q": "Ctrl+Q", "ctrl+l": "Ctrl+L", "ctrl+c": "Ctrl+C",
    "ctrl+o": "Ctrl+O", "ctrl+p": "Ctrl+P", "ctrl+r": "Ctrl+R", "ctrl+t": "Ctrl+T", "ctrl+u": "Ctrl+U",
    "backspace": "Backspace", **{f"f{number}": f"F{number}" for number in range(1, 10)},
}  # fmt: skip


def format_key(key: str) -> str:
    """Return a key in the form shown to people, such as `Ctrl+G`."""
    return _SHOWN.get(key, key)


def list_scopes(action: Action) -> str:
    """Describe in words where an action works."""
    for scopes, name in (
        (EVERYWHERE, "everywhere"),
        (LETTERS_FREE, "all but text fields"),
        (DESK, "desk"),
    ):
        if action.scopes >= scopes - {Scope.KILL} and len(action.scopes) >= len(scopes) - 3:
            return name
    left, names = set(action.scopes) - {Scope.NOWHERE}, []
    for scopes, name in ((_ROWS, "lists"), (LISTS, "main screen lists"), (TICKET, "ticket")):
        if left >= scopes:
            left -= scopes
            names.append(name)
    return ", ".join([*names, *sorted(scope.value for scope in left)])


def key_table_markdown(keys: dict[str, tuple[str, ...]] | None = None, group: str = "") -> str:
    """Return the key table of the documentation, as Markdown.

    Args:
        keys: Keys by action id after a user's own keymap; None: the defaults.
        group: Only group of actions to list; empty: all.
    """
    lines = ["| Keys | Where | Does | Why |", "|---|---|---|---|"]
    for action in ACTIONS:
        if group not in ("", action.group):
            continue
        own = keys.get(action.id, action.keys) if keys is not None else action.keys
        texts = " ".join("`" + format_key(key).replace("|", "\\|") + "`" for key in own)
        lines.append(f"| {texts} | {list_scopes(action)} | {action.title} | {action.why} |")
    return "\n".join(lines) + "\n"
