"""Users' Python code as agents: `python:MODULE:NAME`, and entry points of installed packages.

NAME is a subclass of Agent, any class or object with a method `act(state, legal_mask, rng)`, or a function with these
parameters. Options of the spec are keyword arguments of the constructor or function, converted by their annotations.
"""

import dataclasses
import importlib
import inspect
import os
import sys
import traceback
import types
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final, get_type_hints

import numpy as np
from numpy.typing import NDArray

from azul_agents.base import Agent, MoveValue
from azul_agents.kinds import PythonOptions
from azul_agents.registry import AgentKind, AgentSpecError, NoOptions, parse_options, quoted
from azul_env import GameState, brief

ACT_ARGUMENTS: Final = ("state", "legal_mask", "rng")
OPTION_TYPES: Final = frozenset({int, float, str, bool, type(None)})
# Packages whose lines say nothing about a bug in the user's code.
NOT_USERS: Final = ("azul_env", "azul_agents", "azul_train", "azul_ui", "numpy")
WANTED: Final = (
    "write a subclass of azul_agents.Agent, or a class or function with "
    f"act({', '.join(ACT_ARGUMENTS)})"
)


class WrappedAgent(Agent):
    """An object or function that is not an Agent. Other methods of Agent are forwarded if it has them."""

    def __init__(self, spec: str, player: Any, act: Callable[..., int]) -> None:
        self.spec = spec
        self._player = player
        self._act = act

    def act(self, state: GameState, legal_mask: NDArray[np.bool_], rng: np.random.Generator) -> int:
        """Call the user's code."""
        return self._act(state, legal_mask, rng)

    @property
    def variants(self) -> Sequence[str]:  # type: ignore[override]  # pyright: ignore[reportIncompatibleVariableOverride]
        """The object's `variants`; only the colored wall if it names none."""
        return getattr(self._player, "variants", Agent.variants)

    @property
    def one_game_at_a_time(self) -> bool:
        """True if the object has `begin_game` or `end_game`."""
        return hasattr(self._player, "begin_game") or hasattr(self._player, "end_game")

    def analyse(self, state: GameState) -> list[MoveValue]:
        """Forwarded."""
        return getattr(self._player, "analyse", super().analyse)(state)

    def check_table(self, num_players: int, variant: str) -> None:
        """Forwarded."""
        getattr(self._player, "check_table", super().check_table)(num_players, variant)

    def begin_game(self, num_players: int, seat: int) -> None:
        """Forwarded."""
        getattr(self._player, "begin_game", super().begin_game)(num_players, seat)

    def end_game(self, scores: Sequence[int], winners: Sequence[int]) -> None:
        """Forwarded."""
        getattr(self._player, "end_game", super().end_game)(scores, winners)

    def close(self) -> None:
        """Forwarded."""
        getattr(self._player, "close", super().close)()


def python_agent(spec: str, options: PythonOptions) -> Agent:
    """The agent of `python:MODULE:NAME:key=value`. Raises AgentSpecError."""
    module, name, *rest = options.target.split(":", 2)
    kind = kind_of(_found(spec, module, name), f"python:{module}:{name}")
    return kind.make(spec, parse_options(kind, "".join(rest), spec))


def kind_of(target: Any, name: str) -> AgentKind:
    """The registry entry of a class, object or function. Raises AgentSpecError if it cannot play."""
    make: Callable[..., Agent]
    options: type
    if inspect.isclass(target) and callable(getattr(target, "act", None)):
        make, options = _from_class, _options_class(target, target.__init__)
    elif callable(getattr(target, "act", None)):
        make, options = _from_object, NoOptions
    elif callable(target) and not inspect.isclass(target):
        make, options = _from_function, _options_class(target, target, len(ACT_ARGUMENTS))
    else:
        raise AgentSpecError(f"{name!r} is not an agent: {WANTED}")
    summary = (inspect.getdoc(target) or "").partition("\n")[0]
    return AgentKind(name, summary, partial(make, target), options)


def _from_class(target: type, spec: str, options: Any) -> Agent:
    try:
        player: Any = target(**_given(options))
    except Exception as error:
        raise _failure(spec, f"making a {target.__name__}", error) from error
    return _from_object(player, spec, options)


def _from_object(player: Any, spec: str, options: Any) -> Agent:
    _check_arguments(spec, player.act)
    if not isinstance(player, Agent):
        return WrappedAgent(spec, player, player.act)
    player.spec = spec
    return player


def _from_function(function: Callable[..., int], spec: str, options: Any) -> Agent:
    act = partial(function, **_given(options))
    _check_arguments(spec, act)
    return WrappedAgent(spec, function, act)


def _found(spec: str, module_name: str, name: str) -> Any:
    """Import an object; modules are also found in the current folder, as with `python -m`."""
    if not {"", os.getcwd()} & set(sys.path):
        sys.path.insert(0, os.getcwd())
    importlib.invalidate_caches()
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module_name}.".startswith(f"{error.name}."):
            raise _failure(spec, f"importing {module_name}", error) from error
        raise AgentSpecError(
            f"{quoted(spec)}: there is no module {error.name}, neither in {os.getcwd()} nor among the installed packages"
        ) from None
    except (Exception, SystemExit) as error:
        raise _failure(spec, f"importing {module_name}", error) from error
    if not hasattr(module, name):
        players = [n for n, value in vars(module).items() if _is_own_player(value, module)]
        has = f"it has {', '.join(players)}" if players else WANTED
        raise AgentSpecError(f"{quoted(spec)}: {module.__name__} has no {name}: {has}")
    return getattr(module, name)


def _is_own_player(value: Any, module: types.ModuleType) -> bool:
    is_own = getattr(value, "__module__", None) == module.__name__
    return is_own and (hasattr(value, "act") or inspect.isfunction(value))


def _check_arguments(spec: str, act: Callable[..., Any]) -> None:
    """Raise AgentSpecError if `act` cannot take the three arguments."""
    try:
        inspect.signature(act).bind(*ACT_ARGUMENTS)
    except TypeError as error:
        wanted = f"act({', '.join(ACT_ARGUMENTS)})"
        raise AgentSpecError(
            f"{quoted(spec)}: it cannot be called as {wanted}: {brief(error)}"
        ) from None
    except ValueError:  # built-in functions may have no signature
        return


def told_exception(error: BaseException) -> str:
    """An exception with the line of the user's code that raised it, or that called what raised it."""
    frames = traceback.extract_tb(error.__traceback__)
    homes = [sys.modules[name].__file__ for name in NOT_USERS if name in sys.modules]
    folders = tuple(str(Path(home).parent) + os.sep for home in homes if home)
    own = [frame for frame in frames if not frame.filename.startswith((*folders, "<frozen"))]
    last = (own or frames)[-1]
    line = f": {last.line}" if last.line else ""
    return f"{type(error).__name__}: {brief(error)} ({last.filename}, line {last.lineno}{line})"


def _failure(spec: str, doing: str, error: BaseException) -> AgentSpecError:
    """An exception in the user's code, with its location."""
    return AgentSpecError(f"{quoted(spec)}: {doing} raised {told_exception(error)}")


def _options_class(target: Any, annotated: Any, skipped: int = 0) -> type:
    """A dataclass of the keyword parameters after the first `skipped`."""
    try:
        parameters = list(inspect.signature(target).parameters.values())[skipped:]
    except (TypeError, ValueError):  # some classes of C extensions have no signature
        return NoOptions
    try:
        hints = get_type_hints(annotated)
    except Exception:  # an annotation that only a type checker can resolve
        hints = {}
    fields = [
        (parameter.name, _option_type(parameter, hints), _option_field(parameter))
        for parameter in parameters
        if parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
    ]
    return dataclasses.make_dataclass("Options", fields, frozen=True, kw_only=True)


def _option_type(parameter: inspect.Parameter, hints: dict[str, Any]) -> Any:
    """The annotated type if options can have it, else that of the default, else str."""
    for expected in (hints.get(parameter.name), type(parameter.default)):
        if set(getattr(expected, "__args__", (expected,))) <= OPTION_TYPES:
            return expected
    return str


def _option_field(parameter: inspect.Parameter) -> Any:
    default = parameter.default
    if default is parameter.empty:
        return dataclasses.field(metadata={"doc": "required"})
    # Defaults are only for display: options that are not in the spec are not passed on.
    shown = default if type(default) in OPTION_TYPES else None
    return dataclasses.field(default=shown, metadata={"doc": ""})


def _given(options: Any) -> dict[str, Any]:
    """The options that differ from the defaults."""
    fields = dataclasses.fields(options)
    values = {field.name: getattr(options, field.name) for field in fields}
    return {
        field.name: values[field.name] for field in fields if values[field.name] != field.default
    }
