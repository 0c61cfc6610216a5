"""Commands of the line about the desk itself: limits, kept pairs, exports, and the portfolio that is traded."""

from __future__ import annotations

from collections.abc import Callable

from tui.workstation.command_line.limit_change import change_limit
from tui.workstation.command_line.syntax import Command, Export, Keep, SetLimit, Use
from tui.workstation.commands.context import Context
from tui.workstation.features.command_line.services import PortfolioDesk, RowFiles
from tui.workstation.model.instruments import full_name
from tui.workstation.model.screen_preferences import ScreenPreferences
from tui.workstation.table.pane import raw_facts


class DeskWords:
    """Executor of the commands `keep`, `unkeep`, `export`, `use` and `limit` of the command line."""

    _portfolios: PortfolioDesk
    _files: RowFiles
    _preferences: ScreenPreferences
    _save: Callable[[bytes], None]

    def __init__(self, context: Context) -> None:
        self._context = context

    def connect(self, preferences: ScreenPreferences, save: Callable[[bytes], None]) -> None:
        """Connect the stored preferences, and how to save them; called once, before the first key."""
        self._preferences, self._save = preferences, save
        self._context.view.kept = preferences.kept

    def connect_screens(self, portfolios: PortfolioDesk, files: RowFiles) -> None:
        """Connect the portfolios for `use` and the writer of lists for `export`; called once, before the first key."""
        self._portfolios, self._files = portfolios, files

    def why_not(self, command: Command) -> str:
        """Return why a command cannot be carried out now, or an empty text."""
        return self._portfolios.why_not_traded(command.portfolio) if isinstance(command, Use) else ""

    def carry_out(self, command: Command) -> None:
        """Carry out `keep`, `unkeep`, `export`, `use` or `limit`; ignore other commands."""
        if isinstance(command, Keep):
            self._keep(command)
        elif isinstance(command, Export):
            self._export(command)
        elif isinstance(command, Use):
            self._portfolios.ask_trade(command.portfolio)
        elif isinstance(command, SetLimit):
            self._set_limit(command)

    def _keep(self, command: Keep) -> None:
        """Exclude a pair from closing all positions, or include it again."""
        kept = self._preferences.kept
        if command.kept:
            kept.add(command.sym)
        else:
            kept.discard(command.sym)
        self._save(self._preferences.encode())
        names = ", ".join(full_name(sym) for sym in sorted(kept)) or "no pair"
        self._context.say(f"flat all and F leave out: {names}")

    def _export(self, command: Export) -> None:
        """Write the rows of a list on the screen to a file, with all fields."""
        main_screen = self._context.main_screen
        pane = main_screen.tables[command.what or main_screen.home].pane
        records = [dict(raw_facts(row)) for key in pane.arrange_keys() if (row := pane.row(key)) is not None]
        header = list(records[0]) if records else []
        texts = [[facts.get(name, "") for name in header] for facts in records]
        self._files.write(pane.id, header, texts, f"{pane.title}: {len(texts)} rows")

    def _set_limit(self, command: SetLimit) -> None:
        status = self._context.mirror.engine_status
        if status is not None:
            limits, said = change_limit(command, status.limits)
            self._context.port.set_limits(limits, said)
