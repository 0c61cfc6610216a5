"""The table of both editions is made of what pytest reports."""

from __future__ import annotations

from xml.etree import ElementTree

from tests import edition
from tests.figures.editions import table, told

REPORT = """<testsuites><testsuite>
<testcase name="a"><properties><property name="orders" value="7"/><property name="fills" value="2"/></properties></testcase>
<testcase name="b"><properties><property name="orders" value="8"/></properties><failure/></testcase>
<testcase name="c"><error/></testcase>
</testsuite></testsuites>"""


def test_tests_failures_orders_and_fills_of_a_report_are_counted() -> None:
    found = told(ElementTree.fromstring(REPORT))
    assert found == {"tests": 3, "failed": 2, "orders": 15, "fills": 2}


def test_failures_on_each_venue_edition_are_written_as_a_table() -> None:
    rows: list[dict[str, int | str]] = [{"edition": "documents", "failed": 0}, {"edition": "lenient", "failed": 1}]
    assert table(rows).split("\n")[1:] == ["| --- | --- |", "| documents | 0 |", "| lenient | 1 |"]


def test_edition_chosen_for_a_test_run_becomes_a_venue_switch() -> None:
    with edition.choice("lenient"):
        assert edition.arguments() == ("--set", "edition=lenient") and edition.name() == "lenient"
        assert edition.switches() == {"edition": "lenient"}
