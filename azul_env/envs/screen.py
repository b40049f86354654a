"""What `render` shows, for every environment: a terminal board, a picture, or a window."""

from typing import Any, Final

from azul_env.state import GameState

RENDER_MODES: Final = ["human", "rgb_array", "ansi"]


class Screen:
    """Draws positions in one render mode; nothing at all in mode None."""

    def __init__(self, render_mode: str | None) -> None:
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise ValueError(f"render_mode={render_mode!r} is none of {', '.join(RENDER_MODES)}")
        self.render_mode = render_mode
        self._window: Any = None

    def render(self, state: GameState, last_action: int | None, last_player: int | None) -> Any:
        """The picture (rgb_array), the text (ansi), or None once the window shows it (human)."""
        from azul_env.render import ansi, rgb_array

        if self.render_mode == "ansi":
            return ansi(state, last_action=last_action, last_player=last_player)
        picture = rgb_array(state, last_action=last_action, last_player=last_player)
        if self.render_mode == "rgb_array":
            return picture
        if self._window is None:
            from azul_env.render.window import Window

            self._window = Window()
        self._window.show(picture)
        return None

    def __reduce__(self) -> tuple[type, tuple[str | None]]:
        return type(self), (self.render_mode,)  # a window stays where it is

    def close(self) -> None:
        """Close the window, if there is one."""
        if self._window is not None:
            self._window.close()
            self._window = None
