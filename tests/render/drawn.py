"""What the tests of drawings share: positions, and the elements of a picture."""

from collections import Counter
from xml.etree import ElementTree

from azul_env import GameState, new_game
from positions import position, random_game

SVG = "{http://www.w3.org/2000/svg}"
COLORS = ("blue", "yellow", "red", "black", "white")

MIDDLE = """azul 2p round 2/50 turn 0 start 1 | - BYRK - BBWW - | YRRK | bag ? lid -
    | 7 B://.RR:...Y.// - | 12 /.Y:W....///..WWW *BK"""
FULL_CENTER = """azul 4p round 2/50 turn 1 start 0 | - - - - - - - - -
    | BBBBBYYYYYRRRRRKKKKKWWWWWWW* | bag ? lid - | 0 //// - | 0 //// - | 0 //// - | 0 //// -"""


def ended(head: str, *seats: str) -> GameState:
    """A finished game: `head` gives the number of players, the rounds and the reason."""
    displays = {2: "- - - - -", 3: "- - - - - - -", 4: "- - - - - - - - -"}[len(seats)]
    return position(f"azul {head} | {displays} | - | bag - lid ? | {' | '.join(seats)}")


def stages() -> list[GameState]:
    """Start, two points on the way and end of a game for each number of players."""
    starts = [new_game(players, rng=players, max_rounds=8) for players in (2, 3, 4)]
    games = [list(random_game(start, seed=1, floor_share=0.2)) for start in starts]
    return [game[len(game) * part // 3 - (part == 3)] for game in games for part in range(4)]


STAGES = stages()


def elements(picture: str, name: str = "") -> list[ElementTree.Element]:
    """The elements outside the definitions with the class `name`, in the order they are drawn."""
    root = ElementTree.fromstring(picture)
    root.remove(root.find(f"{SVG}defs"))
    return [e for e in root.iter() if not name or name in e.get("class", "").split()]


def words(picture: str, name: str = "") -> list[str]:
    """The texts drawn inside elements of the class `name`, or all."""
    return [
        e.get("aria-label")
        for group in elements(picture, name)
        for e in group.iter()
        if e.get("aria-label") is not None and (name or e is group)
    ]


def tiles_by_place(state: GameState) -> Counter[tuple[str, str]]:
    """How many tiles of each color must be drawn at each place."""
    found: Counter[tuple[str, str]] = Counter()
    for number, tiles in enumerate([*state.factories, state.center]):
        place = f"factory {number}" if number < len(state.factories) else "center"
        found.update({(place, COLORS[color]): count for color, count in enumerate(tiles)})
    for seat, board in enumerate(state.players):
        for row, line in enumerate(board.pattern_lines):
            if line.color is not None:
                found[f"line {seat} {row}", COLORS[line.color]] += line.count
            for column, cell in enumerate(board.wall[row]):
                found[f"wall {seat} {row}", COLORS[(column - row) % 5]] += cell
        found.update((f"floor {seat}", name) for name in board.floor if name != "marker")
    return +found


def letter_of(tile: ElementTree.Element) -> str:
    return "BYRKW"[COLORS.index(tile.get("data-color"))]
