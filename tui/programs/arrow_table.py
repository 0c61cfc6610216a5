"""Arrow tables and parquet files: exact decimals, times in UTC, flags and text; they need the extra `data`."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import TYPE_CHECKING

from tui.crossdesk_error import CrossdeskError
from tui.interface.decimals import optional
from tui.interface.text import name_extra
from tui.interface.times import is_readable, millis
from tui.programs.export_table import ColumnKind, Table, cell_text

if TYPE_CHECKING:
    import pyarrow

PRECISION = 38
"""Digits of a decimal in a parquet file."""
OTHER_FORMATS = "--format csv and jsonl write it as it is"


class NotInParquet(CrossdeskError):
    """Table that cannot be written as a parquet file; the message names the value, or what is missing here."""

    title = "Export not written"


def require_packages() -> None:
    """Check that the optional package for parquet files is installed.

    Raises:
        NotInParquet: The package for it is not installed.
    """
    try:
        import pyarrow.parquet  # noqa: F401  # only whether it is there
    except ImportError:
        raise NotInParquet(f"this needs pyarrow, of {name_extra('data')}") from None


def encode(table: Table) -> bytes:
    """Encode a table as a parquet file.

    Raises:
        NotInParquet: pyarrow is not installed, or a value does not fit its column.
    """
    built = build_table(table)
    import pyarrow.parquet

    sink = pyarrow.BufferOutputStream()
    pyarrow.parquet.write_table(built, sink)
    content: bytes = sink.getvalue().to_pybytes()
    return content


def build_table(table: Table) -> pyarrow.Table:
    """Build an Arrow table.

    Raises:
        NotInParquet: pyarrow is not installed, or a value does not fit its column.
    """
    require_packages()
    import pyarrow

    columns = {name: _column(name, kind, [row.get(name) for row in table.rows]) for name, kind in table.columns.items()}
    return pyarrow.table(columns)


def _column(name: str, kind: ColumnKind, values: Sequence[object]) -> pyarrow.Array:
    import pyarrow

    match kind:
        case ColumnKind.DECIMAL:
            figures = [_figure(name, value) for value in values]
            return pyarrow.array(figures, pyarrow.decimal128(PRECISION, _scale(name, figures)))
        case ColumnKind.TIME:
            return pyarrow.array([_time(name, value) for value in values], pyarrow.timestamp("ms", tz="UTC"))
        case ColumnKind.FLAG:
            return pyarrow.array([_flag(name, value) for value in values], pyarrow.bool_())
    return pyarrow.array([None if value is None else cell_text(value) for value in values], pyarrow.string())


def _figure(name: str, value: object) -> Decimal | None:
    """Convert a cell to an exact decimal without trailing zeros; None for an empty cell."""
    text = cell_text(value)
    if not text:
        return None
    figure = optional(text)
    if figure is None:
        raise NotInParquet(f"{name} {text[:40]!r} is no decimal; {OTHER_FORMATS}")
    sign, digits, exponent = figure.as_tuple()
    assert isinstance(exponent, int)
    kept = len(digits)
    while kept and digits[kept - 1] == 0:
        kept -= 1
    return Decimal((sign, digits[:kept], exponent + len(digits) - kept)) if kept else Decimal(0)


def _scale(name: str, figures: Sequence[Decimal | None]) -> int:
    """Return the smallest number of decimals that holds all figures of a column exactly.

    Raises:
        NotInParquet: They need more digits than a decimal has.
    """
    scale = whole = 0
    for figure in figures:
        if figure is not None:
            _, digits, exponent = figure.as_tuple()
            assert isinstance(exponent, int)
            scale, whole = max(scale, -exponent), max(whole, len(digits) + exponent)
    if scale + whole > PRECISION:
        raise NotInParquet(
            f"{name} needs {whole} digits before the point and {scale} behind it, and a parquet decimal has {PRECISION}"
            f" together; {OTHER_FORMATS}"
        )
    return scale


def _time(name: str, value: object) -> int | None:
    """Convert a cell to a time in ms; None when it is empty or 0, which also means no time."""
    text = cell_text(value)
    if not is_readable(text):
        raise NotInParquet(f"{name} {text[:40]!r} is no time in ms; {OTHER_FORMATS}")
    return millis(text) or None


def _flag(name: str, value: object) -> bool | None:
    text = cell_text(value).lower()
    if text not in ("", "true", "false"):
        raise NotInParquet(f"{name} {text[:40]!r} is neither true nor false; {OTHER_FORMATS}")
    return text == "true" if text else None
