"""Frozen dataclasses from plain data, with errors that name the key: what YAML gives is checked before it is used.

The fields' types say what is allowed: int, float, str, bool, `T | None`, `tuple[T, ...]`, `dict[str, T]` and other
dataclasses. Checks of values are the dataclasses' own, in `__post_init__`; their errors begin with the field's name.
"""

import dataclasses
import math
import re
import types
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")

# YAML 1.1 takes 5e-4 for a text, since it asks for a point and a sign.
_EXPONENTIAL = re.compile(r"[+-]?\d+(\.\d*)?[eE][+-]?\d+")
_WORDS = {int: "a whole number", float: "a number", str: "a text", bool: "true or false"}


def check_data(kind: type, data: Any, key: str = "") -> dict[str, Any]:
    """The data for a dataclass, with values of the right types; sections are mappings still.

    Raises ValueError, which begins with the full dotted key.
    """
    if not isinstance(data, dict):
        raise ValueError(f"{key + ': ' if key else ''}expected a mapping, not {data!r}")
    fields = get_type_hints(kind)
    checked = {}
    for name, value in data.items():
        full = f"{key}.{name}" if key else str(name)
        if name not in fields:
            raise ValueError(f"unknown key {full!r}; known: {known_keys(kind)}")
        checked[name] = _checked(fields[name], value, full)
    return checked


def known_keys(kind: type) -> str:
    """The keys of a dataclass, for messages."""
    return ", ".join(field.name for field in dataclasses.fields(kind))


def merged(below: dict[str, Any], above: dict[str, Any], kind: type) -> dict[str, Any]:
    """Data of a dataclass on top of other data: section by section, where a plain mapping is replaced whole."""
    fields = get_type_hints(kind)
    result = dict(below)
    for name, value in above.items():
        joins = _is_section(fields[name]) and name in below
        result[name] = merged(below[name], value, fields[name]) if joins else value
    return result


def build(kind: type[T], data: dict[str, Any], key: str = "") -> T:
    """The dataclass with checked data. Raises ValueError with the full key for values that it refuses."""
    fields = get_type_hints(kind)
    values = {}
    for name, value in data.items():
        inner = fields[name]
        full = f"{key}.{name}" if key else name
        values[name] = build(inner, value, full) if _is_section(inner) else value
    try:
        return kind(**values)
    except ValueError as error:
        raise ValueError(f"{key}.{error}" if key else str(error)) from None


def to_plain(value: Any) -> Any:
    """A dataclass, and all that is in it, as mappings, lists and values for YAML and JSON."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: to_plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, tuple):
        return [to_plain(part) for part in value]
    return dict(value) if isinstance(value, dict) else value


def _checked(expected: Any, value: Any, key: str) -> Any:
    """The value in the type that a field has."""
    if _is_section(expected):
        return check_data(expected, value, key)
    origin, inner = get_origin(expected), get_args(expected)
    if origin in (Union, types.UnionType):
        if value is None and type(None) in inner:
            return None
        (expected,) = (part for part in inner if part is not type(None))
        return _checked(expected, value, key)
    if origin is tuple:
        if not isinstance(value, list | tuple):
            raise ValueError(f"{key} must be a list, not {value!r}")
        return tuple(_checked(inner[0], part, key) for part in value)
    if origin is dict:
        if not isinstance(value, dict) or not all(isinstance(name, str) for name in value):
            raise ValueError(f"{key} must be a mapping of names to values, not {value!r}")
        return {name: _checked(inner[1], part, f"{key}.{name}") for name, part in value.items()}
    return _checked_scalar(expected, value, key)


def _is_section(expected: Any) -> bool:
    return dataclasses.is_dataclass(expected)


def _checked_scalar(expected: type, value: Any, key: str) -> Any:
    number: Any = value
    if expected in (int, float) and isinstance(value, str) and _EXPONENTIAL.fullmatch(value):
        number = float(value)
        if expected is int and number.is_integer():
            number = int(number)
    if expected is float and type(number) is int:
        number = float(number)
    is_finite = not isinstance(number, float) or math.isfinite(number)
    if type(number) is not expected or not is_finite:
        raise ValueError(f"{key} must be {_WORDS[expected]}, not {value!r}")
    return number
