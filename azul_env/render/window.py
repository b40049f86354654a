"""A window for `render_mode="human"`. Needs the extra `render`."""

import os
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from azul_env.render.raster import needed

SCREEN_SHARE: Final = 0.92  # largest fraction of the screen's width and height


class Window:
    """A window that opens with its first picture. Once closed, by `close` or by the user, it stays closed."""

    def __init__(self, title: str = "Azul") -> None:
        os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
        self.title = title
        self._pygame: Any = needed("pygame")
        self._screen: Any = None
        self._closed = False

    @property
    def is_open(self) -> bool:
        """True if the window is on the screen."""
        return self._screen is not None

    def show(self, rgb: NDArray[np.uint8]) -> None:
        """Show a picture of shape (height, width, 3); does nothing if the window was closed."""
        if self._closed or self._has_been_closed():
            return
        pygame = self._pygame
        surface = pygame.surfarray.make_surface(np.swapaxes(rgb, 0, 1))
        if self._screen is None:
            pygame.display.init()
            pygame.display.set_caption(self.title)
            self._screen = pygame.display.set_mode(self._fitting(surface.get_size()))
        size = self._screen.get_size()
        if size != surface.get_size():
            surface = pygame.transform.smoothscale(surface, size)
        self._screen.blit(surface, (0, 0))
        pygame.display.flip()
        self._has_been_closed()

    def close(self) -> None:
        """Close the window; a second call does nothing."""
        if self._screen is not None:
            self._pygame.display.quit()
        self._screen = None
        self._closed = True

    def _has_been_closed(self) -> bool:
        """Process pending events, which keeps the window responsive; true if the user closed it."""
        if self._screen is None:
            return False
        if any(event.type == self._pygame.QUIT for event in self._pygame.event.get()):
            self.close()
        return self._closed

    def _fitting(self, size: tuple[int, int]) -> tuple[int, int]:
        """The size of the window: the picture's, or smaller to fit the screen."""
        (width, height), *_ = self._pygame.display.get_desktop_sizes() or [size]
        factor = min(1.0, SCREEN_SHARE * width / size[0], SCREEN_SHARE * height / size[1])
        return round(size[0] * factor), round(size[1] * factor)
