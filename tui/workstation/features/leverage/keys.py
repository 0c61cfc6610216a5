"""Key handlers that change account settings: leverage of a pair or of a coin's debt, position mode of a venue."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from tui.engine.intents import SetPositionMode, mode_setting
from tui.engine.rows import LoanTerms, SettingChange, Table
from tui.interface.families.positions import PositionMode, name_mode
from tui.interface.symbols import try_parse
from tui.workstation.commands.availability import Blocks, no_room
from tui.workstation.commands.context import NO_ROW, Context, no_single_row, why_no_pair
from tui.workstation.commands.form_keys import FormKeys
from tui.workstation.commands.form_openers import BuildForm, FormOpeners
from tui.workstation.features.leverage.forecast import (
    CoinLeverage,
    ModeBlocker,
    PairLeverage,
    describe_change,
    frozen_reason,
    list_mode_blockers,
)
from tui.workstation.features.leverage.form import LeverageForm
from tui.workstation.features.leverage.mode_list import ModeList, ModeScreen
from tui.workstation.input.handlers import Handlers
from tui.workstation.model.instruments import full_name, venue_of
from tui.workstation.table.live_table import LiveTable
from tui.workstation.table.row_filter import NO_FILTER
from tui.workstation.widgets.question import Option, Question

_OTHER = {PositionMode.NET.value: PositionMode.BOTH.value, PositionMode.BOTH.value: PositionMode.NET.value}


class SettingKeys(FormOpeners):
    """Key handlers of the leverage form and of the position mode dialog."""

    def __init__(
        self,
        context: Context,
        forms: FormKeys,
        show_pane: Callable[[str], None],
        show_row: Callable[[str, str], None],
    ) -> None:
        super().__init__(context, forms)
        self._show_pane = show_pane
        self._show_row = show_row

    def openers(self) -> Mapping[str, BuildForm]:
        return {"leverage.open": self._build_leverage}

    def handlers(self) -> Handlers:
        return {**super().handlers(), "modes.open": self.modes_open, "modes.take": self.modes_take}

    def blocks(self) -> Blocks:
        return {**super().blocks(), "modes.open": self._modes_block}

    # Selected row

    def _build_leverage(self, table: LiveTable | None) -> LeverageForm | str:
        """Build the leverage form for the selected row, or return why it has no leverage."""
        reason = no_single_row(table, "a leverage")
        if reason or table is None:
            return reason or NO_ROW
        key = table.targets[0]
        if table.pane.id == "assets":
            exchange, _, coin = key.partition("/")
            if not isinstance(self._context.mirror.row(Table.LOANS, key), LoanTerms):
                return f"{coin} cannot be borrowed on {exchange}, or its loan tiers are not read yet"
            return LeverageForm(CoinLeverage(exchange, coin), self._context)
        sym = table.pane.sym(key)
        parts = try_parse(sym) if sym else None
        if parts is None:
            return why_no_pair(table)
        if not parts.is_perp:
            return f"{full_name(sym)} has no leverage of its own; that of a coin's debt is set on its row in the assets"
        return LeverageForm(PairLeverage(sym), self._context)

    def _modes_block(self, table: LiveTable | None) -> str:
        venue = self._venue(table)
        if not venue:
            return no_single_row(table, "a position mode") or NO_ROW
        if venue not in self._context.mirror.accounts:
            return f"the account on {venue} is not read yet: try again in a moment"
        return no_room(self._context)

    def _venue(self, table: LiveTable | None) -> str:
        """Return the venue of the selected row, or an empty text."""
        if table is None or len(table.targets) != 1:
            return ""
        key = table.targets[0]
        if table.pane.id in ("assets", "risk"):
            return key.partition("/")[0]
        return venue_of(table.pane.sym(key))

    # Leverage

    @property
    def _modes(self) -> ModeScreen | None:
        return self._context.modal(ModeScreen)

    def modes_open(self) -> None:
        """Show the position mode of the selected row's venue, and what blocks a change."""
        context = self._context
        venue = self._venue(context.table)
        screen = context.list_screen
        body = ModeList(
            venue,
            lambda: self._heading(venue),
            lambda: self._open_change(venue),
            lambda: list_mode_blockers(context.mirror, venue),
            screen.palette,
        )
        context.open_modal(ModeScreen(body))

    def _present_mode(self, venue: str) -> str:
        account = self._context.mirror.accounts.get(venue)
        return account.record.position_mode if account is not None else ""

    def _heading(self, venue: str) -> str:
        mode = self._present_mode(venue)
        status = self._context.mirror.engine_status
        uncounted = (
            f"; without algo orders, their list could not be read: {status.algo_error}"
            if status and status.algo_error
            else ""
        )
        other = _OTHER.get(mode, "?")
        return f"{name_mode(mode) or 'not read yet'} → {name_mode(other)}{uncounted}"

    def _open_change(self, venue: str) -> str:
        """Describe a mode change whose outcome is open, or return an empty text."""
        change = self._context.mirror.row(Table.SETTINGS, mode_setting(venue))
        return describe_change(change, self._context.view.now) if isinstance(change, SettingChange) else ""

    def modes_take(self) -> None:
        """Go to the selected blocking row; if nothing blocks the change, ask to change the mode."""
        screen = self._modes
        if screen is None:
            return
        chosen = screen.body.chosen
        if chosen is not None:
            self._go_to(screen, chosen)
            return
        venue = screen.body.exchange
        mode = self._present_mode(venue)
        reason = (
            self._open_change(venue) or self._context.not_armed_reason() or frozen_reason(self._context.mirror, venue)
        )
        if reason or mode not in _OTHER:
            screen.body.say(reason or f"the position mode of {venue} is not read yet")
            return
        ask = partial(self._mode_question, venue, mode)
        self._context.prompt(ask(), lambda answer: self._set_mode(screen, mode) if answer else None, ask)

    def _mode_question(self, venue: str, mode: str) -> Question:
        return Question(
            kind="mode",
            title=f"Position mode of {venue}, {self._context.portfolio_text}",
            choices=(Option("set", f"{name_mode(mode)} → {name_mode(_OTHER[mode])} for every perpetual there"),),
            notes=("in hedge mode one pair can have a long and a short position at once",),
            ended=self._explain_end(venue, mode),
        )

    def _explain_end(self, venue: str, mode: str) -> str:
        """Return why a mode change can no longer be confirmed: changed elsewhere, or blocked by a row; else empty."""
        if (now := self._present_mode(venue)) != mode:
            return f"{venue} is {name_mode(now)} now, it was {name_mode(mode)}"
        if change := self._open_change(venue):
            return f"the position mode of {venue}: {change}"
        blockers = list_mode_blockers(self._context.mirror, venue)
        return f"{blockers[0].text} blocks the change" if blockers else ""

    def _go_to(self, screen: ModeScreen, blocker: ModeBlocker) -> None:
        if blocker.pane == "algos":
            screen.dismiss(None)
            self._show_row("screen.algos", blocker.key)
            return
        self._show_pane(blocker.pane)
        table = self._context.main_screen.tables[blocker.pane]
        if not table.holds(blocker.key):
            table.pane.filter = NO_FILTER
            table.rearrange()
        table.select(blocker.key)

    def _set_mode(self, screen: ModeScreen, before: str) -> None:
        context = self._context
        intent = SetPositionMode(
            decision=context.build_decision(),
            exchange=screen.body.exchange,
            mode=_OTHER[before],
            before=before,
        )
        self._forms.send_from(screen, intent)
