"""The import graph file by file has no circle and no arrow that runs up; no folder is crowded, no function long."""

from __future__ import annotations

from tests.lint import graph


def test_the_graph_of_the_product_has_no_circle_and_no_arrow_up() -> None:
    imports = graph.imports(graph.modules())
    assert graph.circles(imports) == []
    assert list(graph.upward(imports)) == []


def test_no_folder_is_crowded() -> None:
    assert list(graph.crowded(graph.modules())) == []


def test_no_function_is_longer_than_forty_lines() -> None:
    assert list(graph.long_functions(graph.modules())) == []


def test_circles_and_arrows_that_run_up_are_found() -> None:
    imports = {"tui.rules.a": {"tui.engine.b"}, "tui.engine.b": {"tui.rules.a"}, "tui.cli.c": set()}
    assert graph.circles(imports) == [["tui.engine.b", "tui.rules.a"]]
    assert list(graph.upward(imports)) == [("tui.rules.a", "tui.engine.b")]
