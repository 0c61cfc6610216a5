"""The import graph file by file has no circle and no arrow that runs up; no folder is crowded, no function long."""

from __future__ import annotations

from tests.lint import graph


def test_imports_have_no_cycle_and_no_upward_import() -> None:
    imports = graph.imports(graph.modules())
    assert graph.circles(imports) == []
    assert list(graph.upward(imports)) == []


def test_no_folder_has_too_many_files() -> None:
    assert list(graph.crowded(graph.modules())) == []


def test_no_function_is_longer_than_forty_lines() -> None:
    assert list(graph.long_functions(graph.modules())) == []


def test_import_cycles_and_upward_imports_are_found() -> None:
    imports = {"tui.rules.a": {"tui.engine.b"}, "tui.engine.b": {"tui.rules.a"}, "tui.cli.c": set()}
    assert graph.circles(imports) == [["tui.engine.b", "tui.rules.a"]]
    assert list(graph.upward(imports)) == [("tui.rules.a", "tui.engine.b")]
