"""The scenes of the pictures: which keys are pressed on the prepared desk before each one is taken."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

import msgspec

from tests.pictures.desk import SIZE, PictureDesk, Size
from tests.pictures.programs import attach_programs
from tui.workstation.features.pictures.svg import export_svg

Steps = Callable[[PictureDesk], Awaitable[None]]

SIZES: tuple[Size, ...] = ((80, 24), (120, 36), (160, 45), (200, 60))
WIDE: Size = (160, 45)
DARK, LIGHT = "dark", "light"
AWAY_S = 14.0
"""How long the links are gone in the picture of lost links."""
UNKNOWN_S = 8.0
"""How long after the lost order its picture is taken."""


class Scene(msgspec.Struct, frozen=True):
    """A picture: what is done on the desk before it is taken."""

    name: str
    steps: Steps
    about: str
    at_every_size: bool = False
    """Whether it is also taken at the other sizes, and in the light theme."""
    size: Size = SIZE
    """Size of the picture that the gallery shows."""


class Picture(msgspec.Struct, frozen=True):
    """A scene at one size in one theme."""

    scene: Scene
    size: Size
    theme: str

    @property
    def name(self) -> str:
        """Name of its file, without the ending."""
        return f"{self.scene.name}-{self.size[0]}x{self.size[1]}-{self.theme}"


def _keys(*keys: str) -> Steps:
    async def press(desk: PictureDesk) -> None:
        await desk.press_keys(*keys)

    return press


def _alone(pane: str, *keys: str) -> Steps:
    async def show(desk: PictureDesk) -> None:
        desk.app.main_screen.show_pane(pane)
        await desk.press_keys("0", *keys)

    return show


async def _lose_links(desk: PictureDesk) -> None:
    await desk.lose_links(AWAY_S)


async def _lose_order(desk: PictureDesk) -> None:
    desk.lose_next_order()
    await desk.press_keys("j", "b", *"0.2", "enter")
    await desk.pause(UNKNOWN_S)
    await desk.press_keys("2", "g", "g", "enter")


async def _fill_explorer_form(desk: PictureDesk) -> None:
    await desk.press_keys("f4")
    desk.app.context.list_screen.tables["explorer"].select("interest_rates")
    await desk.press_keys("enter", "right")


async def _call_endpoint(desk: PictureDesk) -> None:
    await _fill_explorer_form(desk)
    await desk.press_keys("down", "enter")


async def _show_programs(desk: PictureDesk) -> None:
    await attach_programs(desk)
    await desk.press_keys("f7", "j", "j")


async def _accept_proposal(desk: PictureDesk) -> None:
    await attach_programs(desk)
    [proposal] = desk.mirror.proposals
    await desk.press_keys("2", ":", *f"accept {proposal}")


async def _open_pair(desk: PictureDesk) -> None:
    await desk.press_keys("j", "d")
    await desk.read_past_bars()
    await desk.pause(3)
    await desk.press_keys("j", "j")


def _choose_layout(at: int, *keys: str) -> Steps:
    async def steps(desk: PictureDesk) -> None:
        await desk.press_keys("j", "f3", *["j"] * at)
        if desk.app.main_screen.pair.sym:
            await desk.read_past_bars()
        await desk.press_keys(*keys)
        await desk.pause(3)

    return steps


async def _show_chart(desk: PictureDesk) -> None:
    await desk.press_keys("j", "d")
    await desk.read_past_bars()
    desk.app.main_screen.show_pane("chart")
    await desk.press_keys("0", *["left"] * 12, "up", "up")
    await desk.pause(3)


SCENES = (
    Scene("main", _keys(), "the desk", at_every_size=True),
    Scene("pair", _open_pair, "ladder, chart and trades of a pair beside the lists", at_every_size=True),
    Scene("layout-trade", _choose_layout(0), "the layout `trade`, and the list of layouts", size=WIDE),
    Scene("layout-watch", _choose_layout(1, "enter"), "the layout `watch`: quotes, and trades of one pair", size=WIDE),
    Scene("layout-risk", _choose_layout(2, "enter"), "the layout `risk`: positions, orders, risk, assets", size=WIDE),
    Scene("layout-ladder", _choose_layout(3, "enter"), "the layout `ladder`: ladder and chart of one pair", size=WIDE),
    Scene("chart", _show_chart, "the chart alone, with own orders and levels"),
    Scene(
        "line", _keys("j", ":", *"buy 0.25 BTC at bid-20t sl entry-1%"), "an order typed as a line, with its preview"
    ),
    Scene(
        "ticket",
        _keys("j", "b", "e", *"0.25", "tab", "tab", "tab", *"1%", "shift+tab", *"2r", "tab", "tab"),
        "a new order with take-profit and stop-loss",
    ),
    Scene("replace", _keys("2", "e", "up", "up", "enter", "enter"), "another price for a resting order"),
    Scene("unknown", _lose_order, "an order whose answer was lost, and everything that is known of it"),
    Scene("stale", _lose_links, "the links are gone: the quotes are stale, nothing is guessed"),
    Scene("cancel", _keys("C"), "cancel several orders"),
    Scene("kill", _keys("X"), "the kill prompt"),
    Scene("leverage", _keys("3", "l", *"10"), "another leverage of a pair, figures before and after"),
    Scene("modes", _keys("3", "L"), "the position mode of a venue, and what stands against another one"),
    Scene("liquidation", _keys("R"), "what the service did to an account at risk, step by step"),
    Scene("algos", _keys("A"), "stops, targets and conditional orders with their triggers"),
    Scene(
        "protect",
        _keys("3", "j", "j", "j", "p", *"1%", "down", *"50%"),
        "a new stop of a leg, and what it would book",
    ),
    Scene("transfer", _keys("4", "t", "down", *"5000", "down", "down"), "money to another venue, and who pays it"),
    Scene("withdraw", _keys("4", "O", "down", "down", *"1200", "enter"), "a withdrawal to the address book"),
    Scene("deposit", _keys("4", "I"), "where a coin is deposited"),
    Scene("borrow", _keys("4", "b", *"10000", "enter"), "a portfolio loan, figures before and after"),
    Scene("funds", _keys("W"), "transfers, deposits, withdrawals, bills and custody"),
    Scene("funds-withdrawals", _keys("W", ")", ")", ")"), "withdrawals and how far they are"),
    Scene("overview", _keys("V"), "what all accounts are worth"),
    Scene("overview-coins", _keys("V", ")", ")", ")"), "coins of all portfolios by venue"),
    Scene("portfolios", _keys("P"), "portfolios, and which of them this desk trades"),
    Scene("api-keys", _keys("P", ")"), "keys with what they may and from where"),
    Scene("loans", _keys("D"), "rates, loans and what can be borrowed"),
    Scene("fees", _keys("$"), "fees by venue, kind and group"),
    Scene("fees-subs", _keys("$", "(", "(", "("), "what came into sub portfolios"),
    Scene("fees-set", _keys("$", "%"), "the fees of sub portfolios"),
    Scene("help", _keys("?"), "the keys"),
    Scene("welcome", _keys("ctrl+p", *"welcome", "enter"), "the welcome of the first start"),
    Scene("orders", _alone("orders"), "orders alone"),
    Scene("positions", _alone("positions"), "positions, both legs of a pair"),
    Scene("assets", _alone("assets"), "assets, a debt among them"),
    Scene("adl", _alone("adl"), "rank of each leg in the deleveraging queue, and what would be left"),
    Scene("risk", _alone("risk"), "distance of each account from liquidation"),
    Scene("fills", _alone("fills", "enter"), "fills, the first order opened"),
    Scene("pnl", _alone("pnl"), "what was booked"),
    Scene("history", _keys("H"), "orders of the last 7 days, a page of them"),
    Scene("history-closed", _keys("H", ")", ")"), "closed positions with what they came to"),
    Scene("history-statement", _keys("H", ")", ")", ")"), "what was booked, coin by coin"),
    Scene("history-ask", _keys("H", "o", *"90d sym:okx_perp_b only"), "the line in which the history is asked"),
    Scene("explorer", _keys("f4", "/", *"position"), "every endpoint of the interface, found by a few letters"),
    Scene("explorer-form", _fill_explorer_form, "the form of an endpoint, made of its parameters"),
    Scene("explorer-answer", _call_endpoint, "an answer as a table"),
    Scene("programs", _show_programs, "a second window, a program with its mandate, and an agent that asks"),
    Scene("proposal", _accept_proposal, "the order that an agent proposes, before the trader sends or declines it"),
    Scene("events", _alone("events"), "the life of the desk"),
)


def pictures_of(scene: Scene) -> list[Picture]:
    """List the pictures of a scene, the one that the gallery shows first."""
    shown = [Picture(scene, scene.size, DARK)]
    if not scene.at_every_size:
        return shown
    return [*shown, *(Picture(scene, size, DARK) for size in SIZES if size != SIZE), Picture(scene, SIZE, LIGHT)]


def pictures(only: str = "") -> list[Picture]:
    """List every picture whose name holds a word."""
    return [picture for scene in SCENES for picture in pictures_of(scene) if only in picture.name]


async def play(desk: PictureDesk, scene: Scene, size: Size) -> None:
    """Bring the desk to a size and play the scene until its answers are drawn."""
    await desk.resize(size)
    await scene.steps(desk)
    await desk.pause(1)


def take_pictures(wanted: Sequence[Picture]) -> dict[str, str]:
    """Take pictures; the SVG text of each by its name."""
    taken: dict[str, str] = {}
    for theme in dict.fromkeys(picture.theme for picture in wanted):
        group = [picture for picture in wanted if picture.theme == theme]
        svgs = PictureDesk(theme).take_looks([look_at(picture) for picture in group])
        taken.update(zip((picture.name for picture in group), svgs, strict=True))
    return taken


def look_at(picture: Picture) -> Callable[[PictureDesk], Awaitable[str]]:
    """Build the look that takes a picture."""

    async def look(desk: PictureDesk) -> str:
        await play(desk, picture.scene, picture.size)
        return export_svg(desk.app, desk.app.palette.theme.colors)

    return look
