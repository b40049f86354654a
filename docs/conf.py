"""Settings of the site, which `make docs` builds."""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
# The extension beside this file, and the packages as they are in this folder.
sys.path[:0] = [str(ROOT / folder) for folder in ("docs/extension", ".", "agents", "train", "ui")]

import azul_env  # noqa: E402

project = "azul_env"
author = "The azul_env authors"
copyright = "The azul_env authors"
version = release = azul_env.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.viewcode", "api_pages"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build", "reliability/**"]
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
suppress_warnings = ["myst.header"]  # generated tables begin with a small heading

linkcheck_ignore = [r"https?://"]  # builds need no network

html_theme = "furo"
html_title = f"azul_env {version}"
html_static_path = ["static"]
html_css_files = ["site.css"]

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
python_maximum_signature_line_length = 88
default_role = "code"  # our docstrings are written with Markdown's backticks
