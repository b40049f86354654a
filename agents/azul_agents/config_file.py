"""Configs: YAML files read into frozen dataclasses, with errors that name the file, the key and what is allowed.

Fields may be int, float, str, bool, `T | None`, `tuple[T, ...]` of these, `dict[str, T]`, or other dataclasses, which are
sections of the file. Ranges are checked in `__post_init__` with `check_least` and similar functions, whose errors begin
with the name of the field.
"""

import dataclasses
import math
import re
import types
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

import yaml

T = TypeVar("T")

# YAML 1.1 reads 5e-4 as a string, since its floats need a decimal point and a signed exponent.
_EXPONENTIAL = re.compile(r"[+-]?\d+(\.\d*)?[eE][+-]?\d+")
_ONE = {int: "a whole number", float: "a number", str: "a string", bool: "true or false"}
_MANY = {int: "whole numbers", float: "numbers", str: "strings"}


def load_config(config_type: type[T], path: Path | None, changes: Sequence[str] = ()) -> T:
    """The config in a YAML file (None: the defaults), with changes such as `ppo.games=64` applied.

    Raises ValueError, which names the file or the change, the key, and what is allowed.
    """
    layers = [] if path is None else [(str(path), _read_yaml(path))]
    layers += [(f"--set {change}", _parse_change(config_type, change)) for change in changes]
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


def plain_data(value: Any) -> Any:
    """A dataclass as nested dicts and lists, for YAML and JSON."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain_data(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, tuple):
        return [plain_data(part) for part in value]
    return dict(value) if isinstance(value, dict) else value


def check_least(config: object, least: float, *names: str) -> None:
    """Raise ValueError for a field below `least`."""
    for name in names:
        value = getattr(config, name)
        if value < least:
            raise ValueError(f"{name} must be at least {least}, not {value}")


def check_positive(config: object, *names: str) -> None:
    """Raise ValueError for a field that is not above 0; None is allowed."""
    for name in names:
        value = getattr(config, name)
        if value is not None and not value > 0:
            raise ValueError(f"{name} must be above 0, not {value}")


def check_share(config: object, *names: str) -> None:
    """Raise ValueError for a field outside [0, 1]."""
    for name in names:
        value = getattr(config, name)
        if not 0 <= value <= 1:
            raise ValueError(f"{name} must be from 0 to 1, not {value}")


def _read_yaml(path: Path) -> Any:
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} is not YAML: {error}") from None
    return {} if data is None else data  # a file of comments is empty


def _parse_change(section_type: Any, change: str) -> Any:
    """The nested data of `key.key=value`."""
    key, equals, text = change.partition("=")
    where = f"--set {change}"
    if not equals or not key:
        raise ValueError(f"{where}: write key=value, for example ppo.games=64")
    *sections, name = key.split(".")
    for depth, section in enumerate(sections, start=1):
        known, full = get_type_hints(section_type), ".".join(sections[:depth])
        if section not in known:
            raise ValueError(f"{where}: unknown key {full!r}; known: {', '.join(known)}")
        section_type = known[section]
        if not _is_section(section_type):
            raise ValueError(f"{where}: {full} is not a section: set {full}=...")
    try:
        data: Any = {name: yaml.safe_load(text)}
    except yaml.YAMLError:
        raise ValueError(f"{where}: the value is not YAML") from None
    for section in reversed(sections):
        data = {section: data}
    return data


def _checked_section(section_type: Any, data: Any, key: str = "") -> dict[str, Any]:
    """Check and convert the values of a section. Raises ValueError with the dotted key."""
    if not isinstance(data, dict):
        raise ValueError(f"{key + ': ' if key else ''}expected a mapping, not {data!r}")
    fields = get_type_hints(section_type)
    checked = {}
    for name, value in data.items():
        full = f"{key}.{name}" if key else str(name)
        if name not in fields:
            raise ValueError(f"unknown key {full!r}; known: {', '.join(fields)}")
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
            raise ValueError(f"{key} must be a list of {_MANY[inner[0]]}, not {value!r}")
        return tuple(parts)
    if origin is dict:
        if not isinstance(value, dict) or not all(isinstance(name, str) for name in value):
            raise ValueError(f"{key} must be a mapping of names to values, not {value!r}")
        return {name: _checked(inner[1], part, f"{key}.{name}") for name, part in value.items()}
    scalar = _scalar(expected, value)
    if scalar is None:
        raise ValueError(f"{key} must be {_ONE[expected]}, not {value!r}")
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
