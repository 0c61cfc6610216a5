"""Parameters of a list or record of the service, as programs and agents write them, checked by the catalogue."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from tui.crossdesk_error import CrossdeskError
from tui.interface import parameters
from tui.interface.endpoint import Endpoint
from tui.interface.text import clean, did_you_mean, show_given

PAGING = frozenset(["page", "pageSize"])
"""Parameters that the desk sets itself."""
OTHER_NAMES = {
    "size": "qty", "quantity": "qty", "amount": "qty", "symbol": "sym", "pair": "sym", "tif": "time_in_force",
}  # fmt: skip
"""Names that other libraries give to arguments, and ours: their letters are too far apart to be seen as a slip."""
UNCLEAN = "holds characters that cannot be shown, or is too long"
Given = Mapping[str, object]
"""Arguments as a program or a model wrote them."""


class BadArgument(CrossdeskError):
    """Argument that is not accepted; the text names it, and what is accepted."""

    title = "Refused"


def check_names(what: str, given: Given, known: Collection[str]) -> None:
    """Check that all argument names are in `known`; the error suggests the right one.

    Raises:
        BadArgument: One is not known.
    """
    unknown = next((name for name in given if name not in known), None)
    if unknown is not None:
        takes = ", ".join(known) or "none"
        ours = OTHER_NAMES.get(unknown)
        hint = f"; did you mean {ours}?" if ours in known else did_you_mean(unknown, known)
        raise BadArgument(f"{what} has no argument {show_given(unknown)}; it takes {takes}{hint}")


def check_params(what: str, endpoint: Endpoint, given: Given) -> dict[str, str]:
    """Validate the parameters of an endpoint by the catalogue; return them as they are sent.

    Raises:
        BadArgument: One is unknown, missing, no text, or not accepted.
    """
    known = [name for param in endpoint.params for name in (param.name, *param.aliases) if param.name not in PAGING]
    check_names(what, given, known)
    params: dict[str, str] = {}
    for param in endpoint.params:
        for name in (param.name, *param.aliases):
            if name in given:
                value = given[name]
                if not isinstance(value, str):
                    raise BadArgument(f"{what}: {name} {show_given(value)} is not accepted; all parameters are texts")
                if clean(value) != value:
                    raise BadArgument(f"{what}: {name} {show_given(value)} {UNCLEAN}")
                params[name] = parameters.convert_typed(param, value)
    refusal = parameters.find_refusal(endpoint, params)
    if refusal is not None:
        raise BadArgument(f"{what}: {refusal[0]} {refusal[1]}")
    return params
