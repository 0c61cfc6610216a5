"""Commands of the line about the screen and its window: exports of its lists, and the portfolio that is traded."""

from __future__ import annotations

from tui.workstation.command_line.grammar.syntax import Command, Export, Use
from tui.workstation.commands.context import Context
from tui.workstation.features.command_line.services import PortfolioDesk, RowFiles
from tui.workstation.table.raw_facts import raw_facts


class DeskWords:
    """Executor of the command line's commands `export` and `use`."""

    _portfolios: PortfolioDesk
    _files: RowFiles

    def __init__(self, context: Context) -> None:
        self._context = context

    def connect_screens(self, portfolios: PortfolioDesk, files: RowFiles) -> None:
        """Connect the object that switches portfolios (`use`) and the one that writes files (`export`); called once."""
        self._portfolios, self._files = portfolios, files

    def why_not(self, command: Command) -> str:
        """Return why a command cannot be carried out now (only `use` can be refused), or an empty text."""
        return self._portfolios.why_not_traded(command.portfolio) if isinstance(command, Use) else ""

    def carry_out(self, command: Command) -> None:
        """Carry out `export` or `use`; ignore other commands."""
        if isinstance(command, Export):
            self._export(command)
        elif isinstance(command, Use):
            self._portfolios.ask_trade(command.portfolio)

    def _export(self, command: Export) -> None:
        """Write a list of the main screen, as sorted and filtered there, to a file with all fields."""
        main_screen = self._context.main_screen
        pane = main_screen.tables[command.what or main_screen.home].pane
        records = [dict(raw_facts(row)) for key in pane.arrange_keys() if (row := pane.row(key)) is not None]
        header = list(records[0]) if records else []
        texts = [[facts.get(name, "") for name in header] for facts in records]
        self._files.write(pane.id, header, texts, f"{pane.title}: {len(texts)} rows")
