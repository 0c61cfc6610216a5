"""The model of a request: what it sends, what it is read from, and that it needs nothing heavy."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tui.interface.catalogue import ROWS
from tui.interface.endpoint import Endpoint
from tui.interface.families.algo import AlgoHistoryQuery
from tui.interface.families.orders import CancelAllOrders, PlaceOrder
from tui.interface.request import CommandRequest, action_of, arguments_of, params_of, read_arguments

COMMANDS = [row for row in ROWS if row.is_command and not row.removed]


@pytest.mark.parametrize("row", COMMANDS, ids=lambda row: row.name)
def test_each_command_request_has_its_own_action_name(row: Endpoint) -> None:
    assert issubclass(row.request, CommandRequest) and action_of(row.request)
    assert [one.name for one in COMMANDS if action_of(one.request) == action_of(row.request)] == [row.name]


@pytest.mark.parametrize("row", [row for row in ROWS if row.params], ids=lambda row: row.name)
def test_request_arguments_are_read_back_unchanged(row: Endpoint) -> None:
    sent = {param.name: "true" for param in row.params if param.field != "reduce_only"}
    assert arguments_of(read_arguments(row.request, sent)) == sent


def test_fields_that_are_no_parameter_are_not_sent() -> None:
    assert arguments_of(CancelAllOrders(portfolio="7001", alone=True, sym="A")) == {"sym": "A"}


def test_a_flag_is_sent_as_text_and_empty_fields_are_not_sent() -> None:
    order = PlaceOrder(sym="A", side="BUY", order_type="MARKET", reduce_only=False)
    assert arguments_of(order) == {"sym": "A", "side": "BUY", "orderType": "MARKET", "reduceOnly": "false"}


def test_own_request_parameters_come_before_inherited_ones() -> None:
    names = [param.name for param in params_of(AlgoHistoryQuery)]
    assert names[:2] == ["sym", "exchange"] and names[-2:] == ["algoOrderType", "attachedOrderId"]


def test_request_models_work_without_the_validation_library() -> None:
    code = (
        "import sys; from tui.interface.catalogue import ROWS;"
        "from tui.engine.state import order_requests;"
        "[row.params for row in ROWS]; order_requests.find_order('1');"
        "print([name for name in ('pydantic', 'aiohttp') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
