"""Pixels, animations and the window."""

import sys
from pathlib import Path
from typing import IO

import numpy as np
import pytest
from numpy.typing import NDArray

from azul_env import Action, GameState, new_game, parse_action
from azul_env.render import png_bytes, rgb_array, write_gif
from azul_env.render.window import Window
from positions import position

MESSAGE = r"pip install .*'azul-env\[render\]'"
MIDDLE = """azul 2p round 2/50 turn 0 start 1 | - BYRK - BBWW - | YRRK | bag ? lid -
    | 7 B://.RR:...Y.// - | 12 /.Y:W....///..WWW *BK"""


@pytest.fixture(scope="module")
def middle() -> NDArray[np.uint8]:
    pytest.importorskip("resvg_py")
    pytest.importorskip("PIL.Image")
    return rgb_array(position(MIDDLE), names=["Ada", "Bob"])


def plain_frames(count: int) -> list[NDArray[np.uint8]]:
    """Small pictures that differ."""
    frames = np.zeros((count, 30, 40, 3), np.uint8)
    for number in range(count):
        frames[number, :, : 3 * number + 3] = (200, 80, 40)
    return list(frames)


@pytest.mark.parametrize(
    ("players", "shape"), [(2, (802, 1082, 3)), (3, (934, 1016, 3)), (4, (734, 1431, 3))]
)
def test_pixels__have_a_fixed_shape(players: int, shape: tuple[int, int, int]):
    pytest.importorskip("resvg_py")
    pytest.importorskip("PIL.Image")
    pixels = rgb_array(new_game(players, rng=0))
    assert pixels.shape == shape and pixels.dtype == np.uint8
    assert len(np.unique(pixels @ np.array([1 << 16, 1 << 8, 1]))) > 50
    smaller = rgb_array(new_game(players, rng=0), scale=0.5)
    assert np.abs(np.array(smaller.shape) * (2, 2, 1) - shape).max() <= 1


def test_pixels__differ_where_the_positions_differ(middle: NDArray[np.uint8]):
    other = rgb_array(position(MIDDLE.replace("| 7 B:", "| 7 Y:")), names=["Ada", "Bob"])
    rows, columns = np.nonzero((middle != other).any(axis=2))
    on_board = (columns > 584) & (rows < 400)
    in_bag = (columns < 564) & (rows > 660)
    assert on_board.any() and in_bag.any() and (on_board | in_bag).all()


def test_last_move__changes_the_picture(middle: NDArray[np.uint8]):
    action = parse_action("2W4", 2)
    marked = rgb_array(position(MIDDLE), action, 1, ["Ada", "Bob"])
    assert (marked != middle).any(axis=2).sum() > 500


def test_text__is_drawn_without_fonts(middle: NDArray[np.uint8]):
    renamed = rgb_array(position(MIDDLE), names=["Eve", "Bob"])
    changed = (middle != renamed).any(axis=2)
    head, board_head = changed[:78], changed[78:140, 584:]
    assert (
        head.sum() > 50 and board_head.sum() > 50 and changed.sum() == head.sum() + board_head.sum()
    )
    ink = middle[90:130, 590:700].astype(int).sum(axis=2) < 250  # where "Ada" stands
    assert ink.sum() > 60


def test_png__is_a_png():
    pytest.importorskip("resvg_py")
    assert png_bytes(position(MIDDLE), Action(2, 4, 4), 1, scale=0.3).startswith(b"\x89PNG\r\n")


@pytest.mark.parametrize("package", ["resvg_py", "PIL.Image"])
def test_missing_package__names_the_command(monkeypatch: pytest.MonkeyPatch, package: str):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ModuleNotFoundError, match=MESSAGE) as raised:
        rgb_array(position(MIDDLE))
    assert raised.value.name == package


def test_missing_pillow__names_the_command(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setitem(sys.modules, "PIL.Image", None)
    with pytest.raises(ImportError, match=MESSAGE):
        write_gif(plain_frames(2), tmp_path / "game.gif")
    assert list(tmp_path.iterdir()) == []


def test_missing_pygame__names_the_command(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "pygame", None)
    with pytest.raises(ImportError, match=MESSAGE):
        Window()


def test_gif__has_every_frame(tmp_path: Path):
    image = pytest.importorskip("PIL.Image")
    frames = plain_frames(7)
    write_gif(iter(frames), tmp_path / "game.gif", seconds_per_frame=0.3)
    with image.open(tmp_path / "game.gif") as gif:
        assert (gif.n_frames, gif.size, gif.info["duration"], gif.info["loop"]) == (
            7,
            (40, 30),
            300,
            0,
        )
        for number, frame in enumerate(frames):
            gif.seek(number)
            assert np.abs(np.array(gif.convert("RGB"), int) - frame).max() < 8
    assert [file.name for file in tmp_path.iterdir()] == ["game.gif"]


def test_gif__of_a_game_is_small(tmp_path: Path, middle: NDArray[np.uint8]):
    pytest.importorskip("PIL.Image")
    moved = rgb_array(position(MIDDLE), Action(2, 4, 4), 1, ["Ada", "Bob"])
    write_gif([middle], tmp_path / "one.gif")
    write_gif([middle, moved], tmp_path / "two.gif")
    one, two = ((tmp_path / name).stat().st_size for name in ("one.gif", "two.gif"))
    assert two < 1.25 * one < 125_000


def test_gif__without_frames_is_refused(tmp_path: Path):
    pytest.importorskip("PIL.Image")
    with pytest.raises(ValueError, match="at least one frame"):
        write_gif([], tmp_path / "game.gif")


def test_gif__that_fails_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    image = pytest.importorskip("PIL.Image")
    path = tmp_path / "game.gif"
    path.write_bytes(b"old")

    def broken_save(self: object, target: IO[bytes], **options: object) -> None:
        target.write(b"half")
        raise OSError("disk full")

    monkeypatch.setattr(image.Image, "save", broken_save)
    with pytest.raises(OSError, match="disk full"):
        write_gif(plain_frames(2), path)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.fixture
def window(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    pytest.importorskip("pygame")
    opened = Window("test")
    yield opened
    opened.close()


def test_window__shows_the_pixels(window: Window):
    import pygame

    assert not window.is_open
    first, last = plain_frames(2)
    for frame in (first, last):
        window.show(frame)
        shown = np.swapaxes(pygame.surfarray.array3d(pygame.display.get_surface()), 0, 1)
        assert np.array_equal(shown, frame)
    assert window.is_open and pygame.display.get_caption()[0] == "test"


def test_window__shrinks_what_no_screen_can_show(window: Window):
    import pygame

    window.show(np.zeros((6000, 12000, 3), np.uint8))
    width, height = pygame.display.get_surface().get_size()
    (screen_width, screen_height), *_ = pygame.display.get_desktop_sizes()
    assert width < screen_width and height < screen_height and abs(width - 2 * height) <= 2


def test_window__may_be_closed_by_its_user(window: Window):
    import pygame

    frame = plain_frames(1)[0]
    window.show(frame)
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    window.show(frame)
    assert not window.is_open and not pygame.display.get_init()
    window.show(frame)
    assert not window.is_open


def test_window__may_be_closed_twice_or_before_it_opened(window: Window):
    window.close()
    window.close()
    window.show(plain_frames(1)[0])
    assert not window.is_open


def test_window__shows_a_position(window: Window, middle: NDArray[np.uint8]):
    window.show(middle)
    assert window.is_open


def test_state__is_left_alone():
    pytest.importorskip("resvg_py")
    state: GameState = position(MIDDLE)
    before = state.rows.tobytes()
    png_bytes(state, Action(2, 4, 4), 1, scale=0.2)
    assert state.rows.tobytes() == before
