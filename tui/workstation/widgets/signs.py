"""Signs used in lists and their meanings, for the help page and `docs/reference/signs.md`."""

from __future__ import annotations

from typing import NamedTuple


class Sign(NamedTuple):
    """Sign used in one or more lists, with its meaning."""

    sign: str
    where: str
    means: str


SIGNS = (
    Sign("kill left 1", "header", "orders and positions that a kill has not cancelled or closed; the events name them"),
    Sign("CAPS LOCK", "header", "three capitals in a row: Caps Lock may be on; it ends HOT"),
    Sign("▸ ▹", "all lists", "▸ the cursor of the list with the focus, ▹ the cursor of another list"),
    Sign("◆ ◇", "all lists", "◆ a marked row under the cursor, ◇ a marked row elsewhere"),
    Sign("›", "quotes", "own orders rest in this pair"),
    Sign("×", "quotes", "the service sends no quotes of this pair"),
    Sign("-0.3bp", "quotes", "a negative spread, crossed: the bid is above the ask"),
    Sign("=", "quotes", "locked: bid and ask are the same"),
    Sign("BIN+1/EDX+1", "quotes", "venues with the best bid / the best ask, and how many more are at that price"),
    Sign("~", "figures", "an estimate of this program, or a sum whose parts are not all read yet"),
    Sign(
        "1.23M 0.123… #",
        "figures",
        "too long for the column: fewer digits, or none. All fields of the row show it in full; to close it type 100%,"
        " not this",
    ),
    Sign(
        "T ½ +1 +",
        "positions",
        "beside the stop that fires first: T a target too; ½ it closes only a part; +1 one more stop, + further ones",
    ),
    Sign("T S TS", "orders", "behind buy or sell: a target, a stop or both go with the order"),
    Sign("S… T…", "stops and targets (`A`)", "in a narrow list: the prices of stop and target of one order"),
    Sign("≤", "orders, stops, targets", "before the size: the order is larger than its position, and closes only that"),
    Sign("TS T! S½", "positions", "in a narrow list: a target and a stop, a target and no stop, a stop of only a part"),
    Sign(
        "↑ ↓",
        "positions",
        "before `liq`: a rise liquidates this long, a fall this short; all fields of the row say why",
    ),
    Sign("≠", "fills, positions, risk", "two values that should agree do not"),
    Sign("▸3 ▾3", "fills", "an order with three fills: ▸ collapsed, ▾ expanded"),
    Sign(
        "E B L S T A",
        "ladder",
        "behind a price, where the column `level` has no room: entry, break-even, liquidation, stop, target, alert",
    ),
    Sign("▲ ▼", "chart", "own fills: bought, sold"),
    Sign("▵ ▿", "chart", "public trades as large as the filter of the trades says (qty>=5): the taker bought, sold"),
    Sign("→", "orders, tickets", "value before and after; in orders, a replace that was sent"),
    Sign("?", "orders", "a replace that is typed and not sent"),
)
