"""Configs: YAML files read into frozen dataclasses, with errors that name the file, the key and what is allowed.

Fields may be int, float, str, bool, `T | None`, `tuple[T, ...]` of these, `dict[str, T]`, or other dataclasses, which are
sections of the file. Ranges are checked in `__post_init__` with `check_least` and similar functions, whose errors begin
with the name of the field.

Configs are small and flat, so their YAML is, too: no aliases, merge keys, dates or other types, no key given twice.
"""

import dataclasses
import math
import re
import types
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, TypeVar, Union, get_args, get_origin, get_type_hints

import yaml

from azul_agents.suggestions import did_you_mean
from azul_env import brief, shown
from azul_env.files import read_bounded

T = TypeVar("T")

# The configs here have 400; a parser in Python reads this much in seconds.
MAX_CONFIG_BYTES: Final = 1 << 17
MAX_YAML_DEPTH: Final = 10  # configs have 3 levels
MAX_NUMBER_LETTERS: Final = 100
MAX_SEED: Final = (1 << 128) - 1  # as many bits as a NumPy generator takes from a seed

# YAML 1.1 reads 5e-4 as a string, since its floats need a decimal point and a signed exponent.
_EXPONENTIAL = re.compile(r"[+-]?\d+(\.\d*)?[eE][+-]?\d+")
_ONE = {int: "a whole number", float: "a number", str: "a string", bool: "true or false"}
_MANY = {int: "whole numbers", float: "numbers", str: "strings"}


def load_config(config_type: type[T], path: Path | None, changes: Sequence[str] = ()) -> T:
    """The config in a YAML file (None: the defaults), with changes such as `ppo.games=64` applied.

    Raises ValueError, which names the file or the change, the key, and what is allowed.
    """
    layers = [] if path is None else [(str(path), _read_yaml(path))]
    layers += [(f"--set {brief(change)}", _parse_change(config_type, change)) for change in changes]
    data: dict[str, Any] = {}
    for source, layer in layers:
        try:
            data = _merged(config_type, data, _checked_section(config_type, layer))
        except ValueError as error:
            raise ValueError(f"{source}: {error}") from None
    try:
        return _build(config_type, data)
    except ValueError as error:
        sources = " ".join(source for source, _ in layers)
        raise ValueError(f"{sources}: {error}" if sources else str(error)) from None


def config_path(kind: str, text: str) -> Path:
    """The file of a config: a path, or the name of one that the package holds. `kind` is a folder of `configs`.

    Raises ValueError, which lists the names, if there is neither.
    """
    path = Path(text)
    if path.is_file() or path.suffix or path.name != text:
        return path
    known = {file.stem: file for file in sorted((_configs_folder() / kind).glob("*.yaml"))}
    if text not in known:
        raise ValueError(
            f"there is no config {shown(text)}{did_you_mean(text, known)}: "
            f"name a file, or one of {', '.join(known)}"
        )
    return known[text]


def _configs_folder() -> Path:
    """The configs of the package; in a source tree, where they are beside it, those of the tree."""
    packaged = Path(__file__).with_name("configs")
    return packaged if packaged.is_dir() else Path(__file__).parents[2] / "configs"


def plain_data(value: Any) -> Any:
    """A dataclass as nested dicts and lists, for YAML and JSON."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain_data(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, tuple):
        return [plain_data(part) for part in value]
    return dict(value) if isinstance(value, dict) else value


def check_least(config: object, least: float, *names: str) -> None:
    """Raise ValueError for a field below `least`; None is allowed."""
    for name in names:
        value = getattr(config, name)
        if value is not None and not value >= least:
            raise ValueError(f"{name} must be at least {least}, not {shown(value)}")


def check_most(config: object, most: float, *names: str) -> None:
    """Raise ValueError for a field above `most`; None is allowed."""
    for name in names:
        value = getattr(config, name)
        if value is not None and not value <= most:
            raise ValueError(f"{name} must be at most {most:,}, not {shown(value)}")


def check_positive(config: object, *names: str) -> None:
    """Raise ValueError for a field that is not above 0; None is allowed."""
    for name in names:
        value = getattr(config, name)
        if value is not None and not value > 0:
            raise ValueError(f"{name} must be above 0, not {shown(value)}")


def check_share(config: object, *names: str) -> None:
    """Raise ValueError for a field outside [0, 1]."""
    for name in names:
        value = getattr(config, name)
        if not 0 <= value <= 1:
            raise ValueError(f"{name} must be from 0 to 1, not {shown(value)}")


class _RefusedYAMLError(yaml.MarkedYAMLError):
    """A YAML feature that configs do not allow."""


class _ConfigLoader(yaml.SafeLoader):
    """Builds mappings, lists, strings, numbers, booleans and null, and refuses everything else with its line."""

    depth = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        """Compose a node from the parser's next events; what cannot be part of a config is refused before it is built."""
        event: Any = self.peek_event()  # type: ignore[no-untyped-call]
        mark: Any = event.start_mark
        if isinstance(event, yaml.AliasEvent):
            raise _RefusedYAMLError(None, None, "aliases are not allowed", mark)
        if self.depth == MAX_YAML_DEPTH:
            why = f"it is nested deeper than {MAX_YAML_DEPTH} levels"
            raise _RefusedYAMLError(None, None, why, mark)
        self.depth += 1
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        """Refuse a key that is given twice, where SafeLoader resolves merge keys."""
        keys = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise _RefusedYAMLError(None, None, "a key must be a name", key.start_mark)
            if key.value in keys:
                why = f"the key {shown(key.value)} is given twice"
                raise _RefusedYAMLError(None, None, why, key.start_mark)
            keys.add(key.value)

    def number(self, node: yaml.ScalarNode) -> Any:
        """A number; an overlong one becomes a string, which number fields reject."""
        if len(node.value) > MAX_NUMBER_LETTERS:
            return node.value
        is_int = node.tag.endswith(":int")
        return self.construct_yaml_int(node) if is_int else self.construct_yaml_float(node)


_TYPES: Final = ("null", "bool", "int", "float", "str", "seq", "map")
_ConfigLoader.yaml_constructors = {
    tag: make
    for tag, make in yaml.SafeLoader.yaml_constructors.items()
    if tag is None or tag.rpartition(":")[2] in _TYPES
}
for _name in ("int", "float"):
    _ConfigLoader.add_constructor(f"tag:yaml.org,2002:{_name}", _ConfigLoader.number)
_ConfigLoader.yaml_implicit_resolvers = {
    letter: [(tag, form) for tag, form in forms if tag.rpartition(":")[2] in _TYPES]
    for letter, forms in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def _parse_yaml(text: str, source: str) -> Any:
    """Parse YAML. Raises ValueError in one line, which begins with `source` and has the line number if it is known."""
    try:
        return yaml.load(text, _ConfigLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = f"line {mark.line + 1}" if mark else "somewhere"
        if isinstance(error, _RefusedYAMLError):
            raise ValueError(f"{source}, {line}: {error.problem}") from None
        why = ", ".join(filter(None, (error.context, error.problem)))
        raise ValueError(f"{source} is not YAML: {line}: {brief(why)}") from None
    except (yaml.YAMLError, ValueError) as error:
        raise ValueError(f"{source} is not YAML: {brief(error)}") from None
    except LookupError:  # raised by SafeLoader for `!!bool 3` and `!!int ''`
        raise ValueError(f"{source} is not YAML: a value does not fit its tag") from None


def check_unchanged(path: Path, config: object, before: dict[str, Any]) -> None:
    """Raise ValueError, which names the key, if a run's config is no longer what the run began with.

    Settings that the run's version of this package did not have yet count as left at their defaults.
    """
    began = _build(type(config), _checked_section(type(config), before))
    old, new = _by_dotted_key(plain_data(began)), _by_dotted_key(plain_data(config))
    for key in old | new:
        if old.get(key) != new.get(key):
            raise ValueError(
                f"{path} was changed after the run began: {key} was {old.get(key)}, now it is {new.get(key)}; "
                "restore it, or start a new run"
            )


def _by_dotted_key(data: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in data.items():
        key = f"{prefix}{name}"
        flat |= _by_dotted_key(value, f"{key}.") if isinstance(value, dict) else {key: value}
    return flat


def _read_yaml(path: Path) -> Any:
    try:
        text = read_bounded(path, MAX_CONFIG_BYTES).decode()
    except UnicodeDecodeError:
        raise ValueError(f"{path} is not YAML: it is not UTF-8") from None
    data = _parse_yaml(text, str(path))
    return {} if data is None else data  # a file of comments is empty


def _parse_change(section_type: Any, change: str) -> Any:
    """The nested data of `key.key=value`."""
    key, equals, text = change.partition("=")
    where = f"--set {brief(change)}"
    if len(text) > MAX_CONFIG_BYTES:
        raise ValueError(f"{where}: the value is longer than {MAX_CONFIG_BYTES:,} letters")
    if not equals or not key:
        raise ValueError(f"{where}: write key=value, for example ppo.games=64")
    *sections, name = key.split(".")
    for depth, section in enumerate(sections, start=1):
        known, full = get_type_hints(section_type), ".".join(sections[:depth])
        if section not in known:
            raise ValueError(f"{where}: unknown key {shown(full)}; known: {', '.join(known)}")
        section_type = known[section]
        if not _is_section(section_type):
            raise ValueError(f"{where}: {full} is not a section: set {full}=...")
    data: Any = {name: _parse_yaml(text, f"{where}: the value")}
    for section in reversed(sections):
        data = {section: data}
    return data


def _checked_section(section_type: Any, data: Any, key: str = "") -> dict[str, Any]:
    """Check and convert the values of a section. Raises ValueError with the dotted key."""
    if not isinstance(data, dict):
        raise ValueError(f"{key + ': ' if key else ''}expected a mapping, not {shown(data)}")
    fields = get_type_hints(section_type)
    checked = {}
    for name, value in data.items():
        full = f"{key}.{name}" if key else str(name)
        if name not in fields:
            raise ValueError(f"unknown key {shown(full)}; known: {', '.join(fields)}")
        checked[name] = _checked(fields[name], value, full)
    return checked


def _checked(expected: Any, value: Any, key: str) -> Any:
    """Check and convert a value to the type of its field."""
    if _is_section(expected):
        return _checked_section(expected, value, key)
    origin, inner = get_origin(expected), get_args(expected)
    if origin in (Union, types.UnionType):
        if value is None and type(None) in inner:
            return None
        (expected,) = (part for part in inner if part is not type(None))
        return _checked(expected, value, key)
    if origin is tuple:
        parts = [_scalar(inner[0], part) for part in value] if isinstance(value, list) else [None]
        if None in parts:
            raise ValueError(f"{key} must be a list of {_MANY[inner[0]]}, not {shown(value)}")
        return tuple(parts)
    if origin is dict:
        if not isinstance(value, dict) or not all(isinstance(name, str) for name in value):
            raise ValueError(f"{key} must be a mapping of names to values, not {shown(value)}")
        return {name: _checked(inner[1], part, f"{key}.{name}") for name, part in value.items()}
    scalar = _scalar(expected, value)
    if scalar is None:
        raise ValueError(f"{key} must be {_ONE[expected]}, not {shown(value)}")
    return scalar


def _scalar(expected: type, value: Any) -> Any:
    """The value as the expected type; None if it has another type or is not finite."""
    if expected in (int, float) and isinstance(value, str) and _EXPONENTIAL.fullmatch(value):
        value = float(value)
        if expected is int and value.is_integer():
            value = int(value)
    if expected is float and type(value) is int:
        value = float(value)
    is_finite = not isinstance(value, float) or math.isfinite(value)
    return value if type(value) is expected and is_finite else None


def _merged(section_type: Any, below: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
    """Merge sections recursively; other mappings are replaced."""
    fields = get_type_hints(section_type)
    result = dict(below)
    for name, value in above.items():
        joins = _is_section(fields[name]) and name in below
        result[name] = _merged(fields[name], below[name], value) if joins else value
    return result


def _build(section_type: type[T], data: dict[str, Any], key: str = "") -> T:
    """Construct the dataclass from checked data. Raises ValueError with the dotted key."""
    fields = get_type_hints(section_type)
    values = {}
    for name, value in data.items():
        inner = fields[name]
        full = f"{key}.{name}" if key else name
        values[name] = _build(inner, value, full) if _is_section(inner) else value
    try:
        return section_type(**values)
    except ValueError as error:
        raise ValueError(f"{key}.{error}" if key else str(error)) from None


def _is_section(expected: Any) -> bool:
    return dataclasses.is_dataclass(expected)
