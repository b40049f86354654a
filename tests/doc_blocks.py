"""The code in the documents, and the libraries that it needs."""

import ast
import json
import re
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).parents[1]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
DOCUMENTS += sorted((ROOT / "docs" / "guide").glob("*.md"))
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))
# Libraries that only some of our environments hold; `make test-ecosystem` runs what needs them.
ELSEWHERE = {"onnx", "onnxruntime", "open_spiel", "pandas", "pyspiel", "tianshou", "torchrl"}


def python_blocks(document: Path) -> list[str]:
    """The Python blocks of a document; the code cells of a notebook, which share their names, are one."""
    text = document.read_text(encoding="utf-8")
    if document.suffix == ".ipynb":
        cells = json.loads(text)["cells"]
        return ["\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "code")]
    return re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def imports(code: str) -> set[str]:
    """The top-level modules that a block imports."""
    nodes = list(ast.walk(ast.parse(code)))
    names = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    names += [str(node.module) for node in nodes if isinstance(node, ast.ImportFrom)]
    return {name.partition(".")[0] for name in names}


def missing_libraries(blocks: list[str]) -> list[str]:
    """The libraries of ELSEWHERE that blocks import and that are not installed here."""
    wanted = set().union(*map(imports, blocks)) & ELSEWHERE
    return sorted(name for name in wanted if find_spec(name) is None)
