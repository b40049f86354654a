"""Rendering for all environments: terminal text, an RGB array, or a window."""

from collections.abc import Callable
from typing import Any, Final

import gymnasium

from azul_env.core.arguments import shown
from azul_env.state import GameState

RENDER_MODES: Final = ["human", "rgb_array", "ansi"]


class Screen:
    """Renders positions in one render mode, with the last move marked."""

    def __init__(self, render_mode: str | None) -> None:
        is_known = isinstance(render_mode, str) and render_mode in RENDER_MODES
        if render_mode is not None and not is_known:
            raise ValueError(
                f"render_mode={shown(render_mode)} is not one of {', '.join(RENDER_MODES)}"
            )
        self.render_mode = render_mode
        self.last_move: tuple[int | None, int | None] = (None, None)  # action and player
        self._window: Any = None

    def render(self, get_state: Callable[[], GameState]) -> Any:
        """The position as an RGB array or text; None in mode "human", which shows it in a window."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() does nothing without a render_mode")
            return None
        from azul_env.render import ansi, rgb_array

        if self.render_mode == "ansi":
            return ansi(get_state(), *self.last_move)
        picture = rgb_array(get_state(), *self.last_move)
        if self.render_mode == "rgb_array":
            return picture
        if self._window is None:
            from azul_env.render.window import Window

            self._window = Window()
        self._window.show(picture)
        return None

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_window": None}  # a window can be neither copied nor pickled

    def close(self) -> None:
        """Close the window, if there is one."""
        if self._window is not None:
            self._window.close()
            self._window = None
