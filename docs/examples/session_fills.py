"""Adds up the fills that the desk holds, by pair and side: `python session_fills.py`."""

from __future__ import annotations

from collections import defaultdict
from decimal import Decimal

from crossdesk import DeskError, Fill, LinkClosed, connect


def add_up(fills: list[Fill]) -> dict[tuple[str, str], tuple[int, Decimal, Decimal, Decimal]]:
    """Return number, size, value and fee of the fills by pair and side; a value is size x price."""
    sums: dict[tuple[str, str], tuple[int, Decimal, Decimal, Decimal]] = defaultdict(
        lambda: (0, Decimal(0), Decimal(0), Decimal(0))
    )
    for fill in fills:
        if fill.size is None or fill.price is None:
            continue
        count, size, value, fee = sums[fill.sym, fill.side]
        costs = (fill.fee or Decimal(0)) - abs(fill.rebate or Decimal(0))
        sums[fill.sym, fill.side] = count + 1, size + fill.size, value + fill.size * fill.price, fee + costs
    return sums


def main() -> None:
    """Print a line for each pair and side."""
    with connect(name="fills") as desk:
        for (sym, side), (count, size, value, fee) in sorted(add_up(desk.fills).items()):
            print(f"{sym} {side} {count} fills, {size} at {value / size:.4f} on average, fees {fee:.4f}")
        for position in desk.positions:
            print(
                f"{position.sym} {position.side} {position.size} from {position.entry}, unrealised {position.unrealised}"
            )


if __name__ == "__main__":
    try:
        main()
    except (DeskError, LinkClosed) as error:
        print(error)
