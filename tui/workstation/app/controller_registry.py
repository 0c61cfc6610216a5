"""Registry of all key controllers, built in the order of their dependencies."""

from __future__ import annotations

from typing import Protocol

from tui.engine.event_line import Level
from tui.workstation.app.desk_panes import DeskPanes
from tui.workstation.app.keys.box_keys import BoxKeys
from tui.workstation.app.keys.dismissal_keys import DismissalKeys
from tui.workstation.app.keys.field_keys import FieldKeys
from tui.workstation.app.keys.navigation_keys import NavigationKeys
from tui.workstation.app.keys.palette_keys import NamedThings, PaletteKeys
from tui.workstation.app.keys.prompt_keys import PromptKeys
from tui.workstation.app.keys.screen_keys import ScreenKeys
from tui.workstation.app.keys.table_keys import TableKeys
from tui.workstation.app.refused_login import RefusedLogin
from tui.workstation.commands.availability import Blocks
from tui.workstation.commands.context import Context
from tui.workstation.commands.form_keys import FormKeys
from tui.workstation.commands.keymap_switch import KeymapSwitch
from tui.workstation.commands.launcher_services import LauncherServices
from tui.workstation.commands.list_keys import ListKeys
from tui.workstation.commands.name_keys import NameKeys
from tui.workstation.commands.theme_switch import ThemeSwitch
from tui.workstation.features.alerts.keys import AlertKeys
from tui.workstation.features.algo_orders.keys import AlgoKeys
from tui.workstation.features.chart.keys import ChartKeys
from tui.workstation.features.command_line.keys import CommandLineKeys
from tui.workstation.features.connection.keys import ConnectionKeys
from tui.workstation.features.explorer.keys import ExplorerKeys
from tui.workstation.features.fees.keys import FeeKeys
from tui.workstation.features.funds.keys import FundsKeys
from tui.workstation.features.health.keys import HealthKeys
from tui.workstation.features.history.keys import HistoryKeys
from tui.workstation.features.jump.keys import JumpKeys
from tui.workstation.features.keymaps.keys import KeymapKeys
from tui.workstation.features.ladder.keys import LadderKeys
from tui.workstation.features.layouts.keys import LayoutKeys
from tui.workstation.features.layouts.pane_keys import PaneKeys
from tui.workstation.features.leverage.keys import SettingKeys
from tui.workstation.features.loans.keys import LoanKeys
from tui.workstation.features.order_texts.keys import OrderTextKeys
from tui.workstation.features.overview.keys import OverviewKeys
from tui.workstation.features.pair_views.keys import PairKeys
from tui.workstation.features.pictures.keys import PictureKeys
from tui.workstation.features.portfolios.keys import PortfolioKeys
from tui.workstation.features.practice.keys import PracticeKeys
from tui.workstation.features.practice.practice_list import PracticeFaults
from tui.workstation.features.programs.keys import ProgramKeys
from tui.workstation.features.quotes.pane import QuotesPane
from tui.workstation.features.themes.keys import ThemeKeys
from tui.workstation.features.tour.keys import TourKeys
from tui.workstation.features.trading.cancel_keys import CancelKeys
from tui.workstation.features.trading.hot_keys import HotKeys
from tui.workstation.features.trading.kill_keys import KillKeys
from tui.workstation.features.trading.order_keys import OrderKeys
from tui.workstation.features.trading.position_keys import PositionKeys
from tui.workstation.features.trading.quit_keys import QuitKeys
from tui.workstation.features.trading.risk_keys import RiskKeys
from tui.workstation.features.watchlists.keys import WatchlistKeys
from tui.workstation.features.welcome.keys import WelcomeKeys, WelcomePaths
from tui.workstation.input.handlers import Handlers
from tui.workstation.model.instruments import full_name
from tui.workstation.model.screen_preferences import ScreenPreferences


class Controller(Protocol):
    """Interface of key controllers: handlers of some actions, and the reasons why these cannot run."""

    def handlers(self) -> Handlers:
        """Return the key handlers by action id."""
        ...

    def blocks(self) -> Blocks:
        """Return functions that explain why an action cannot run, by action id."""
        ...


class ControllerRegistry:
    """All key controllers of the app, each built once."""

    def __init__(
        self,
        context: Context,
        panes: DeskPanes,
        preferences: ScreenPreferences,
        services: LauncherServices,
        looks: tuple[ThemeSwitch, KeymapSwitch],
    ) -> None:
        self.orders = OrderKeys(context)
        self.themes = ThemeKeys(context, looks[0], preferences, services)
        self.keymaps = KeymapKeys(context, looks[1], preferences, services.read_changed_keymaps)
        self.refused_login = RefusedLogin(context)
        self.cancels = CancelKeys(context)
        self.prompts, self.boxes = PromptKeys(context), BoxKeys(context)
        self.fields = FieldKeys(context, self.orders)
        self.risk = RiskKeys(context)
        self.quit = QuitKeys(context, self.cancels)
        self.kill = KillKeys(context, self.cancels, self.risk)
        self.dismissal = DismissalKeys(context)
        self.hot = HotKeys(context, self.orders)
        self.positions = PositionKeys(context, self.orders, self.risk, self.hot)
        self.alerts = AlertKeys(context, panes.alerts, preferences)
        self.line = CommandLineKeys(context, self.orders.sending, self.cancels, self.risk, self.alerts)
        self.alerts.connect(self.line.line_open)
        self.programs = ProgramKeys(context, self.line.line_open)
        self.ladder = LadderKeys(context, panes.ladder, self.orders.ticket, self.hot, self.cancels, self.line)
        self.chart = ChartKeys(context, self.orders.ticket, self.line)
        self.tables = TableKeys(context, panes, preferences)
        self.navigation = NavigationKeys(context, panes.fills)
        self.line.connect_desk(self.navigation.open_order, preferences)
        self.pair, self.texts, self.health = PairKeys(context), OrderTextKeys(context), HealthKeys(context)
        self.jump = JumpKeys(context, self.fields.refuse_at_focus)
        self.screens = ScreenKeys(context, self.navigation, self.tables)
        self.forms = FormKeys(context)
        self.settings = SettingKeys(context, self.forms, self.navigation.show_pane, self.screens.show_row)
        self._build_screens(context, services)
        self.line.words.connect_screens(self.portfolios, self.lists)
        self._build_lists(context, preferences, services, panes.quotes)
        self.palette = PaletteKeys(context, panes, self.tables, self.navigation, self._list_named())
        self._build_first_steps(context, services, preferences)

    def _build_first_steps(
        self,
        context: Context,
        services: LauncherServices,
        preferences: ScreenPreferences,
    ) -> None:
        """Build the controllers of tour, connection form and welcome page; store what `begin` needs."""
        self._context, self._preferences = context, preferences
        self._read_changed_preferences = services.read_changed_preferences
        self.tour = TourKeys(context, lambda action: self.palette.keymap.of(action))
        self.connection = ConnectionKeys(context, self.forms, services.connection)
        paths = WelcomePaths(self.connection.connection_open, self.connection.has_profile, services.look_only)
        self.welcome = WelcomeKeys(context, preferences, paths)
        self._greets = services.greets

    def follow_preferences(self) -> None:
        """Load alerts, aliases and pairs excluded from `flat all` that another window has stored; called once a second."""
        stored, kept = self._read_changed_preferences(), set(self._preferences.kept)
        if stored is None or not self._preferences.take_shared(stored):
            return
        self.alerts.follow_preferences()
        if kept != self._preferences.kept:
            names = ", ".join(full_name(sym) for sym in sorted(self._preferences.kept)) or "no pair"
            self._context.say(f"another window changed the kept pairs: flat all and F leave out {names}", Level.WARN)

    def begin(self) -> None:
        """Report stored columns of unknown panes, then greet a new trader; called once after the first frame."""
        self.screens.report_unknown_panes()
        if self._greets:
            self.welcome.greet()

    def _build_screens(self, context: Context, services: LauncherServices) -> None:
        """Build the controllers of the full screens, such as history, funds, loans and fees."""
        self.history = HistoryKeys(context, self.forms)
        self.lists = ListKeys(context, services.save_table)
        self.pictures = PictureKeys(context, services.save_picture)
        self.algos = AlgoKeys(context, self.forms)
        self.explorer = ExplorerKeys(context, self.forms)
        self.screens.openers["explorer"] = self.explorer.open_row
        self.funds = FundsKeys(context, self.forms)
        self.overview = OverviewKeys(context)
        self.portfolios = PortfolioKeys(context, self.forms, services.portfolio_choice)
        self.loans = LoanKeys(context, self.forms)
        self.fees = FeeKeys(context, self.forms)

    def _list_named(self) -> tuple[NamedThings, ...]:
        """Return the kinds of named things that the command palette offers beside actions: layouts and watchlists."""
        return (
            NamedThings("layout", lambda: self.layouts.names, self.layouts.use),
            NamedThings("watchlist", lambda: self.watchlists.names, self.watchlists.use),
        )

    def _build_lists(
        self,
        context: Context,
        preferences: ScreenPreferences,
        services: LauncherServices,
        quotes: QuotesPane,
    ) -> None:
        """Build the controllers of lists shown in dialogs: practice faults, layouts, pane places, watchlists."""
        self.names = NameKeys(context)
        self.practice = PracticeKeys(context, PracticeFaults(services.practices()))
        self.layouts = LayoutKeys(context, context.main_screen.layouts, preferences)
        self.pane_places = PaneKeys(context, self.layouts)
        self.ladder.connect_preferences(preferences)
        self.watchlists = WatchlistKeys(context, quotes, preferences)

    def handlers(self) -> list[Handlers]:
        """Return the handler tables of all controllers."""
        without_reasons = [keys.handlers() for keys in (self.fields, self.prompts, self.boxes, self.names)]
        return [*without_reasons, *(controller.handlers() for controller in self._with_reasons())]

    def blocks(self) -> list[Blocks]:
        """Return the block reason tables of all controllers."""
        return [controller.blocks() for controller in self._with_reasons()]

    def _with_reasons(self) -> tuple[Controller, ...]:
        return (*self._of_orders(), *self._of_views(), *self._of_screens())

    def _of_orders(self) -> tuple[Controller, ...]:
        return (
            self.orders, self.cancels, self.risk, self.quit, self.kill, self.dismissal, self.hot, self.positions,
            self.line, self.alerts, self.programs, self.ladder, self.chart,
        )  # fmt: skip

    def _of_views(self) -> tuple[Controller, ...]:
        return (
            self.tables, self.navigation, self.pair, self.practice, self.texts, self.themes, self.keymaps, self.jump,
            self.layouts, self.pane_places, self.watchlists, self.palette, self.tour, self.connection, self.welcome,
            self.pictures, self.health,
        )  # fmt: skip

    def _of_screens(self) -> tuple[Controller, ...]:
        return (
            self.screens, self.settings, self.algos, self.history, self.lists, self.forms, self.explorer, self.funds,
            self.overview, self.portfolios, self.loans, self.fees,
        )  # fmt: skip
