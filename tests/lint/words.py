"""The plain-words rules of the source that a machine can check: docstrings, function names, variable names.

`python -m tests.lint.words [FOLDER ...]` prints every place that breaks one.
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.lint import graph

ROOT = Path(__file__).parents[2]


def _split(words: str) -> frozenset[str]:
    return frozenset(words.split())


NO_VERB = _split(
    """the a an what whether why how where when which who one every all each another its it that this these those of
    as with by from at in on for to after before like no not nothing nobody none never only everything both so if
    args arguments parameters"""
)
"""Words with which the docstring of a function does not begin: it begins with a verb."""

NO_NOUN = _split(
    """what whether why how where when which who one every another its it that this of as with by from at in on for to
    after before like no not nothing nobody none never everything so if is are has have does
    takes reads writes checks folds draws makes keeps opens sends decodes counts publishes runs answers gives holds
    shows says tells puts asks builds"""
)
"""Words with which the docstring of a class or module does not begin: it begins with the noun it is."""

VAGUE_NAMES = {"one", "its", "found", "it", "thing", "stuff"}
"""Names of variables and parameters that do not say what the value is."""

IRREGULAR_PARTICIPLES = _split(
    """begun bought bound done drawn felt given gone grown held kept known left lost made meant met paid ran said seen
    sent shown sold spent stood struck taken told worn won written found"""
)
NO_PARTICIPLES = {"need", "feed", "speed", "seed", "embed", "proceed", "exceed", "bleed", "succeed"}
PREDICATES = {"is", "has", "can", "may", "must", "was", "were", "are", "test", "on", "should"}


def list_offenders(folder: Path) -> Iterator[str]:
    """Yield `file:line rule: text` for every place of a folder that breaks a rule."""
    for path in sorted(folder.rglob("*.py")) if folder.is_dir() else [folder]:
        place = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
        for line, text in _offenders(path):
            yield f"{place}:{line} {text}"


def _offenders(path: Path) -> Iterator[tuple[int, str]]:
    for node in graph.nodes(path):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _function_offenders(node)
        elif isinstance(node, ast.ClassDef | ast.Module):
            word = _first_word(node)
            if word in NO_NOUN:
                line = getattr(node, "lineno", 1)
                yield line, f"docstring of a class or module begins with {word!r}, not with a noun"
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in VAGUE_NAMES:
            yield node.lineno, f"variable {node.id!r} does not say what it is"


def _function_offenders(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[tuple[int, str]]:
    if _is_property(node):
        return
    word = _first_word(node)
    if word in NO_VERB:
        yield node.lineno, f"docstring of {node.name} begins with {word!r}, not with a verb"
    if is_participle(node.name):
        yield node.lineno, f"function {node.name} is a participle or `words`, not a verb"
    for argument in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
        if argument.arg in VAGUE_NAMES:
            yield node.lineno, f"parameter {argument.arg!r} of {node.name} does not say what it is"


def is_participle(name: str) -> bool:
    """Tell whether a function's name is, or begins with, a participle, or ends with `words`."""
    words = name.strip("_").split("_")
    first = words[0]
    if first in PREDICATES:
        return False
    if words[-1] == "words":
        return True
    return first in IRREGULAR_PARTICIPLES or (first.endswith("ed") and len(first) > 4 and first not in NO_PARTICIPLES)


def _first_word(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Module) -> str:
    text = ast.get_docstring(node) or ""
    return text.split()[0].strip(".,:;").lower() if text.strip() else ""


def _is_property(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    names = {ast.unparse(decorator).split(".")[-1] for decorator in node.decorator_list}
    return bool(names & {"property", "cached_property", "setter"})


if __name__ == "__main__":
    for folder in sys.argv[1:] or ("tui",):
        for offender in list_offenders(ROOT / folder):
            print(offender)
