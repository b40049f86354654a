"""The terminal game: draws the table, asks for commands, tells what happened."""

import contextlib
import io
import os
import shutil
import sys
import textwrap
from pathlib import Path
from typing import Final

from azul_env import NotationError, ansi, encode_action, parse_action, printable
from azul_ui.terminal.session import PERSON, GameSession, Happening, PlayConfig
from azul_ui.terminal.words import (
    YOU,
    hint_lines,
    moves_table,
    result_lines,
    seating,
    table_names,
    told_event,
    told_round,
    why_illegal,
    winner_words,
)

WIDTH: Final = 80
HINTS: Final = 3
CLEAR_SCREEN: Final = "\033[2J\033[H"
MOVE_PROMPT: Final = "Your move (or help) > "
END_PROMPT: Final = "Game over (save FILE, undo, or Enter to leave) > "
HELP: Final = """\
A move is three letters: where from, which color, where to.
  1W3        white from factory 1 to line 3
  CB4        blue from the center to line 4
  0KF        black from factory 0 to the floor
Factories are 0, 1, 2...; C is the center; the colors are B blue, Y yellow,
R red, K black, W white; lines are 0 (the shortest) to 4; F is the floor.

  moves      all legal moves
  hint       the three best moves, as a strong agent sees them
  undo       back to your last decision; the same deals come again
  board      draw the table again
  resign     give up
  save FILE  write the game to a file; load FILE goes on with it
  load FILE  leave this game and go on with the one in a file
  quit       leave; Ctrl-D and Ctrl-C do the same"""


def play_in_terminal(config: PlayConfig, load: Path | None, save: Path | None) -> None:
    """Let a person play: a new game or the last one of the file `load`; `save` is written after every move."""
    session = GameSession.loaded(load, config) if load else GameSession(config)
    with contextlib.closing(session):
        if save is not None:
            session.save(save)  # an error now rather than after the first move
        TerminalGame(session, autosave=save, file=save or load).run()


class TerminalGame:
    """The dialogue of one game with a person at the terminal."""

    def __init__(self, session: GameSession, autosave: Path | None, file: Path | None) -> None:
        self._session = session
        self._autosave_file = autosave  # written after every move
        self._file = file  # where `save` without a name writes
        self._news: list[str] = []  # to tell above the next board
        self._last: Happening | None = None
        self._is_terminal = sys.stdin.isatty() and sys.stdout.isatty()
        self._has_colors = sys.stdout.isatty() and not os.environ.get("NO_COLOR")

    def run(self) -> None:
        """Play until the person leaves."""
        for stream in (sys.stdin, sys.stdout):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="replace")  # a stray byte must not cost the game
        if self._is_terminal:
            with contextlib.suppress(ImportError):
                import readline  # noqa: F401  # gives `input` a history and line editing
        try:
            self._welcome()
            while self._obey(self._ask()):
                pass
        except (EOFError, KeyboardInterrupt):
            print()
        self._farewell()

    def _welcome(self) -> None:
        session = self._session
        self._news.append(seating(session.record.agents, session.person, session.seed))
        self._go_on()

    def _farewell(self) -> None:
        session = self._session
        if session.saved_in is not None:
            _say(
                f"Saved in {session.saved_in}: azul play --load {session.saved_in} brings it back."
            )
        elif session.state.is_terminal or not session.has_own_moves:
            _say("Good bye.")
        else:
            _say(
                "This game was not saved and is gone. To keep the next one, type save FILE before you leave, or start "
                "with azul play --save FILE, which saves after every move. The same deals again: "
                f"azul play --players {session.state.num_players} --seed {session.seed}"
            )

    def _ask(self) -> str:
        prompt = END_PROMPT if self._session.state.is_terminal else MOVE_PROMPT
        if sys.stdin.isatty():
            return input(prompt).strip()
        print(prompt, end="", flush=True)
        line = sys.stdin.readline()
        if not line:
            raise EOFError
        # Echoed, so that a transcript reads like the game at a terminal.
        print(line.rstrip("\n"), flush=True)
        return line.strip()

    def _obey(self, line: str) -> bool:
        """Carry out a command; false if it was to leave."""
        name, _, rest = line.partition(" ")
        commands = {
            "moves": self._show_moves,
            "hint": self._show_hint,
            "undo": self._undo,
            "board": self._draw,
            "resign": self._resign,
        }
        try:
            match name.lower():
                case "quit" | "exit":
                    return False
                case "":
                    return not self._session.state.is_terminal
                case "help" | "?":
                    print(HELP)
                case "save" | "load" as verb:
                    self._use_file(verb, rest.strip())
                case word if word in commands and not rest:
                    commands[word]()
                case _:
                    self._move(line)
        except (ValueError, OSError) as error:
            _say(f"{error}")
        return True

    def _move(self, text: str) -> None:
        self._require_game()
        state = self._session.state
        try:
            action = parse_action(text, state.num_players)
        except NotationError as error:
            raise ValueError(f"{error}; help lists the commands") from None
        problem = why_illegal(state, action)
        if problem is not None:
            raise ValueError(
                f"{text.upper()} is not possible: {problem}. Type moves to see what is"
            )
        self._tell(self._session.play(encode_action(action, state.num_players)))
        self._go_on()

    def _show_moves(self) -> None:
        self._require_game()
        print("\n".join(moves_table(self._session.state)))

    def _show_hint(self) -> None:
        self._require_game()
        spec, ranked = self._session.hint()
        print("\n".join(hint_lines(self._session.state, spec, ranked, HINTS)))

    def _undo(self) -> None:
        self._session.undo()
        self._last = None
        self._news.append("Taken back: the same deals will come again.")
        self._autosave()
        self._draw()

    def _resign(self) -> None:
        self._require_game()
        self._tell(self._session.resign())
        if not self._session.state.is_terminal:
            self._news.append("The others play on.")
        self._go_on()

    def _use_file(self, verb: str, name: str) -> None:
        if not name and (verb == "load" or self._file is None):
            raise ValueError(f"{verb} needs the name of a file, as in {verb} game.jsonl")
        path = Path(name).expanduser() if name else self._file
        assert path is not None
        if verb == "save":
            self._session.save(path)
            self._file = path
            _say(f"Saved in {path}: azul play --load {path} brings it back.")
            return
        if self._session.has_own_moves and self._session.saved_in is None:
            left = "The game you left was not saved. "
        elif self._autosave_file is not None:
            left = (
                f"The game you left is in {self._autosave_file}, this one is not saved by itself. "
            )
        else:
            left = ""
        self._session.load(path)
        self._last, self._file, self._autosave_file = None, path, None
        self._news.append(f"{left}This is the game in {path}.")
        self._welcome()

    def _require_game(self) -> None:
        if self._session.state.is_terminal:
            raise ValueError("the game is over: undo takes your last move back")

    def _go_on(self) -> None:
        """Let the opponents play until it is the person's turn or the game is over, and draw the table."""
        while not (self._session.state.is_terminal or self._session.is_persons_turn):
            self._tell(self._session.opponent_turn())
        self._draw()

    def _tell(self, happening: Happening) -> None:
        """Keep what happened, in the file and for the next drawing."""
        self._autosave()
        names, event = self._names(), happening.event
        # The person's own moves are known: they were just typed.
        if event["type"] == "resign" or event["player"] != self._session.person:
            self._news.append(told_event(happening.before, event, names[event["player"]]))
        round_words = told_round(happening.before, happening.after, names)
        if round_words is not None:
            self._news.append(round_words)
        self._last = happening

    def _autosave(self) -> None:
        if self._autosave_file is None:
            return
        try:
            self._session.save(self._autosave_file)
        except (ValueError, OSError) as error:
            self._news.append(f"NOT SAVED: {error}")

    def _draw(self) -> None:
        """What happened since the table was drawn last, the table, and how the game ended if it did."""
        state, names = self._session.state, self._names()
        event = self._last.event if self._last else {}
        drawn = [PERSON if name == YOU and state.is_terminal else name for name in names]
        board = ansi(state, event.get("action"), event.get("player"), drawn, self._has_colors)
        news = "\n".join(map(_wrapped, self._news))
        page = "\n\n".join(filter(None, [news, f"{board}\n"]))
        if self._is_terminal and page.count("\n") + 2 > shutil.get_terminal_size().lines:
            page = page.replace("\n\n", "\n").rstrip()  # four boards just fit into 24 lines
        print(f"{CLEAR_SCREEN}{page}" if self._is_terminal else f"\n{page}")
        self._news.clear()
        if state.is_terminal:
            _say(winner_words(state, names))
            print("\n".join(result_lines(state, names)))

    def _names(self) -> list[str]:
        return table_names(self._session.record.agents, self._session.person)


def _say(words: str) -> None:
    print(_wrapped(words))


def _wrapped(words: str) -> str:
    """A sentence, broken into lines and without control characters."""
    plain = printable(words)
    return textwrap.fill(
        plain[:1].upper() + plain[1:],
        WIDTH,
        subsequent_indent="  ",
        break_long_words=False,  # paths must stay as they can be copied
        break_on_hyphens=False,
    )
