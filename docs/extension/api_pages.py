"""A Sphinx extension that writes a page for each package: its public names, as its `__init__.pyi` lists them."""

import ast
import enum
import inspect
import re
from collections import _tuplegetter  # type: ignore[attr-defined]
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

PACKAGES = {
    "azul_env": "The game, its environments, records and pictures.",
    "azul_agents": "Players, matches, tournaments and analyses.",
    "azul_train": "Training. It needs the extra `train`.",
}
GENERATED_DOC = "Alias for field number"  # of the fields of a NamedTuple
MAX_VALUE_LETTERS = 70


def names_by_module(package: str) -> dict[str, list[str]]:
    """The public names of a package by the module that defines them, in the order of the stub."""
    file = import_module(package).__file__
    assert file is not None
    stub = ast.parse(Path(file).with_suffix(".pyi").read_text(encoding="utf-8"))
    found: dict[str, list[str]] = {}
    for statement in stub.body:
        if isinstance(statement, ast.ImportFrom) and statement.module != package:
            found.setdefault(str(statement.module), []).extend(a.name for a in statement.names)
    return found


def page(package: str) -> str:
    """The page of a package."""
    parts = [f"# {package}", PACKAGES[package]]
    if package == "azul_env":
        parts.append("`azul_v0` is [the PettingZoo environment](../guide/aec.md).")
    for module, names in names_by_module(package).items():
        summary = (inspect.getdoc(import_module(module)) or module).partition("\n")[0]
        parts += [f"## {summary.rstrip('.')}"]
        values = [(name, getattr(import_module(package), name)) for name in names]
        constants = [(name, value) for name, value in values if not _has_page(value)]
        parts += [_directive(package, name, value) for name, value in values if _has_page(value)]
        if constants:
            comments = _comments(module)
            rows = [
                f"| `{name}` | `{_shown(value)}` | {comments.get(name, '')} |"
                for name, value in constants
            ]
            parts.append("\n".join(["| name | value | meaning |", "|---|---|---|", *rows]))
    return "\n\n".join(parts) + "\n"


def _has_page(value: Any) -> bool:
    return inspect.isclass(value) or inspect.isfunction(value)


def _directive(package: str, name: str, value: Any) -> str:
    if inspect.isfunction(value):
        kind, options = "autofunction", ""
    elif issubclass(value, BaseException):
        kind, options = "autoexception", ""
    else:
        hidden = ", ".join(dir(int)) if issubclass(value, enum.IntEnum) else ""
        kind = "autoclass"
        options = "\n   :members:" + (f"\n   :exclude-members: {hidden}" if hidden else "")
    return f"```{{eval-rst}}\n.. {kind}:: {package}.{name}{options}\n```"


def _comments(module: str) -> dict[str, str]:
    """The comments on constants by name: on the line of the assignment, or on the line above it."""
    lines = inspect.getsource(import_module(module)).splitlines()
    found = {}
    for above, line in pairwise(["", *lines]):
        name = line.partition(":")[0].partition(" =")[0]
        if name.isidentifier():
            beside = line.partition("  # ")[2]
            comment = beside or (above[2:] if above.startswith("# ") else "")
            found[name] = re.sub(r"\bR\d+\.\d+", r"[\g<0>](../RULES.md)", comment)
    return found


def _shown(value: Any) -> str:
    text = str(value) if isinstance(value, type) else repr(value)
    text = re.sub(r"<function (\w+) at \w+>", r"\1", text)
    text = text.replace("|", "/").replace("\n", " ")
    return text if len(text) <= MAX_VALUE_LETTERS else text[: MAX_VALUE_LETTERS - 3] + "..."


def write_pages(app: Sphinx) -> None:
    """Write the pages that have changed, so that a second build finds nothing to do."""
    folder = Path(app.srcdir) / "api"
    folder.mkdir(exist_ok=True)
    for package in PACKAGES:
        path, text = folder / f"{package}.md", page(package)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def skip(app: Sphinx, what: str, name: str, value: Any, is_skipped: bool, options: Any) -> bool:
    """Leave out the fields of named tuples, which the signature shows."""
    return is_skipped or isinstance(value, _tuplegetter)


def setup(app: Sphinx) -> dict[str, Any]:
    """Called by Sphinx."""
    app.connect("builder-inited", write_pages)
    app.connect("autodoc-skip-member", skip)
    return {"parallel_read_safe": True, "version": "1"}
