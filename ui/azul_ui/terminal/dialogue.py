"""The terminal game: draws the table, asks for commands, tells what happened."""

import contextlib
import io
import os
import shutil
import sys
from pathlib import Path
from typing import Final

from azul_agents import Agent, analysis_of, make_agent
from azul_agents.arena.warmup import warm_up
from azul_agents.arena.workers import check_specs
from azul_agents.bots.python import told_exception
from azul_agents.command_line import azul_command
from azul_env import GameState, NotationError, ansi, encode_action, parse_action, printable
from azul_ui.error_words import error_words
from azul_ui.games.seats import default_opponent
from azul_ui.games.session import PERSON, GameSession, Happening
from azul_ui.games.store import GameStore, KeptGame
from azul_ui.games.words import (
    table_names,
    told_event,
    told_scoring,
    told_starter,
    why_illegal,
    winner_words,
)
from azul_ui.terminal.analysis import print_mistakes
from azul_ui.terminal.compiling import compile_analysis, compiling
from azul_ui.terminal.game_files import GameFiles
from azul_ui.terminal.help_text import GRAY_HELP, GRAY_RULES, HELP, RULES
from azul_ui.terminal.leaving import (
    HANGUP_CODE,
    LeaveError,
    is_hangup,
    leaving_by_signal,
    print_nowhere,
)
from azul_ui.terminal.setup import (
    PlayConfig,
    continue_command,
    continued_game,
    new_session,
    restart_command,
)
from azul_ui.terminal.words import (
    games_table,
    hint_lines,
    moves_table,
    result_lines,
    seating,
    wrapped,
)

HINTS: Final = 3
CLEAR_SCREEN: Final = "\033[2J\033[H"
MOVE_PROMPT: Final = "Your move (or help) > "
TILE_PROMPT: Final = "Column for line {} (or help) > "
END_PROMPT: Final = "Game over (analyse, save FILE, undo, or Enter to leave) > "
LEAVE_PROMPT: Final = "Leave this game? (y/n) > "
EXIT_AGENT_FAILED: Final = 1


def play_in_terminal(
    config: PlayConfig,
    load: Path | None = None,
    save: Path | None = None,
    continues: bool = False,
    game_id: str | None = None,
) -> None:
    """Let a person play: a new game, the last one of the file `load`, or one of the store.

    The store keeps the game as it is played; `save` is written after every move as well.
    """
    with contextlib.closing(GameStore()) as store:
        files = GameFiles(config)
        if continues:
            kept = continued_game(store, game_id, config)
        else:
            kept = KeptGame(store, files.load(load) if load else new_session(config))
        with compiling():
            agents = [name for name in kept.session.seats if name != PERSON]
            variant, players = kept.session.state.variant, kept.session.num_players
            check_specs(agents, variant=variant, players=[players])
            warm_up(agents, players, variant)
        with contextlib.closing(TerminalGame(kept, files)) as game:
            if save is not None:
                files.save_always(kept.session, save)  # an error now rather than after a move
            code = game.run()
    if code:
        sys.exit(code)


def print_games() -> None:
    """Print the games of the store."""
    print("\n".join(map(printable, games_table(GameStore().list()))))


class AgentBugError(Exception):
    """An exception in the code of an agent, which is no forfeit: the author needs the line."""


class TerminalGame:
    """The dialogue of one game with a person at the terminal."""

    def __init__(self, kept: KeptGame, files: GameFiles) -> None:
        self._kept = kept
        self._files = files
        self._hinting: Agent | None = None
        self._news: list[str] = []  # to tell above the next board
        self._last: Happening | None = None
        self._is_terminal = sys.stdin.isatty() and sys.stdout.isatty()
        self._has_colors = sys.stdout.isatty() and not os.environ.get("NO_COLOR")

    @property
    def _session(self) -> GameSession:
        return self._kept.session

    @property
    def _is_gray(self) -> bool:
        return self._session.state.variant == "gray"

    def close(self) -> None:
        """Dismiss the agents."""
        self._session.close()

    def run(self) -> int:
        """Play until the person leaves; returns the exit code."""
        for stream in (sys.stdin, sys.stdout):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="replace")  # a stray byte must not cost the game
        if self._is_terminal:
            with contextlib.suppress(ImportError):
                import readline  # noqa: F401  # gives `input` a history and line editing
        try:
            code = self._talk()
            if code != HANGUP_CODE:
                self._farewell()
        except OSError as error:
            if not is_hangup(error):
                raise
            self._keep()
            code = HANGUP_CODE
        if code == HANGUP_CODE:
            print_nowhere()
        return code

    def _talk(self) -> int:
        """Play until the person leaves or an agent fails; returns the exit code."""
        try:
            with leaving_by_signal():
                self._welcome()
                while self._obey(self._ask()):
                    pass
        except AgentBugError as error:
            self._keep()
            _say(f"{error}")
            return EXIT_AGENT_FAILED
        except (EOFError, KeyboardInterrupt) as error:
            self._keep()  # the signal may have interrupted that
            code = error.exit_code if isinstance(error, LeaveError) else 0
            if code != HANGUP_CODE:
                print()
            return code
        return 0

    def _welcome(self) -> None:
        session = self._session
        self._news.append(seating(session.seats, session.seed))
        self._go_on()

    def _farewell(self) -> None:
        session, file = self._session, self._files.saved_in(self._session)
        if file is not None:
            _say(f"Saved in {file}: {azul_command('play', '--load', file)} brings it back.")
        if self._kept.is_kept:
            _say(f"This game is kept: {continue_command(self._kept, self._files.autosave_path)}")
        elif file is None and session.can_undo and not session.is_over:
            _say(
                "This game could not be kept and is gone. The same deals again: "
                f"{restart_command(session, self._files.autosave_path)}"
            )
        elif file is None:
            _say("Good bye.")

    def _ask(self) -> str:
        if self._session.is_over:
            return self._read(END_PROMPT)
        line = self._session.state.line_to_tile
        return self._read(MOVE_PROMPT if line is None else TILE_PROMPT.format(line))

    def _read(self, prompt: str) -> str:
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
        """Carry out a command; false if it was the one to leave."""
        name, _, rest = line.partition(" ")
        commands = {
            "moves": self._show_moves,
            "hint": self._show_hint,
            "undo": self._undo,
            "redo": self._redo,
            "board": self._draw,
            "resign": self._resign,
            "analyse": self._analyse,
        }
        try:
            match name.lower():
                case "quit" | "exit":
                    return not self._is_sure_to_leave()
                case "":
                    return not self._session.is_over
                case "help" | "?":
                    print(HELP)
                    print(GRAY_HELP if self._is_gray else "", end="")
                    command = azul_command("play", "--continue")
                    _say(f"Every game is kept as you play: {command} goes on with it.")
                case "rules":
                    print(GRAY_RULES if self._is_gray else RULES)
                case "save":
                    self._save(rest.strip())
                case "load":
                    self._load(rest.strip())
                case word if word in commands and not rest:
                    commands[word]()
                case _:
                    self._move(line)
        except (ValueError, OSError) as error:
            _say(error_words(error))
        return True

    def _is_sure_to_leave(self) -> bool:
        """Ask for confirmation before leaving a game that has begun."""
        if self._session.is_over or not self._session.can_undo:
            return True
        return self._read(LEAVE_PROMPT).lower() in ("y", "yes")

    def _move(self, text: str) -> None:
        self._require_game()
        state = self._session.state
        try:
            action = parse_action(_as_move(text, state), state.num_players, state.variant)
        except NotationError as error:
            raise ValueError(f"{error}; help lists the commands") from None
        problem = why_illegal(state, action)
        if problem is not None:
            raise ValueError(
                f"{text.upper()} is not possible: {problem}. Type moves to see what is"
            )
        number = encode_action(action, state.num_players, state.variant)
        self._tell(self._session.play(number))
        self._go_on()

    def _show_moves(self) -> None:
        self._require_game()
        print("\n".join(moves_table(self._session.state)))

    def _show_hint(self) -> None:
        self._require_game()
        state = self._session.state
        if self._hinting is None:
            spec = default_opponent(state.num_players, state.variant)
            compile_analysis(spec, state.num_players, state.variant)
            self._hinting = make_agent(spec)
        print("\n".join(hint_lines(state, analysis_of(state, self._hinting), HINTS)))

    def _analyse(self) -> None:
        if not self._session.is_over:
            raise ValueError("the game is not over: hint shows the best moves now")
        if self._session.position is not None:
            raise ValueError("a game from a set-up position has no record that can be analysed")
        print_mistakes(self._session.record, self._names())

    def _undo(self) -> None:
        self._session.undo()
        self._last = None
        self._news.append(
            "Taken back: the same deals will come again. To bring it back, type redo."
        )
        self._keep()
        self._go_on()

    def _resign(self) -> None:
        self._require_game()
        self._tell(self._session.resign())
        if not self._session.is_over:
            self._news.append("The others play on.")
        self._go_on()

    def _redo(self) -> None:
        self._session.redo()
        self._last = self._session.history[-1]
        self._news.append("Brought back.")
        self._keep()
        self._go_on()

    def _save(self, name: str) -> None:
        path = self._files.save(self._session, Path(name).expanduser() if name else None)
        _say(f"Saved in {path}: {azul_command('play', '--load', path)} brings it back.")

    def _load(self, name: str) -> None:
        if not name:
            raise ValueError("load needs the name of a file, as in load game.jsonl")
        left, path = self._kept, Path(name).expanduser()
        file = self._files.saved_in(left.session)
        session = self._files.load(path)
        self._kept = KeptGame(left.store, session)
        self._last = None
        left.session.close()
        if left.is_kept and left.id is not None:
            left.store.release(left.id)
            self._news.append(f"The game you left is kept: {continue_command(left)}")
        elif left.session.can_undo and file is None:
            self._news.append("The game you left could not be kept and is gone.")
        if file is not None:
            self._news.append(f"The game you left is in {file}, where this one is not saved.")
        self._news.append(f"This is the game in {path}.")
        self._welcome()

    def _require_game(self) -> None:
        if self._session.is_over:
            raise ValueError("the game is over: undo takes your last move back")

    def _go_on(self) -> None:
        """Let the agents play until it is a person's turn or the game is over, and draw the table."""
        while not (self._session.is_over or self._session.to_move_is_person):
            self._tell(self._agent_turn())
        self._draw()

    def _agent_turn(self) -> Happening:
        """Let the agent to move play. Raises AgentBugError for an exception in its code."""
        try:
            return self._session.agent_turn()
        except Exception as error:
            spec = self._session.seats[self._session.state.current_player]
            raise AgentBugError(f"a bug in {spec}: {told_exception(error)}") from error

    def _tell(self, happening: Happening) -> None:
        """Keep what happened, in the store, in the file and for the next drawing."""
        self._keep()
        names, event = self._names(), happening.event
        # People's own moves are known: they were just typed.
        if event["type"] == "resign" or self._session.seats[event["player"]] != PERSON:
            self._news.append(told_event(happening.before, event, names[event["player"]]))
        if (scoring := happening.scoring) is not None:
            is_over = scoring.is_final or happening.after.round > happening.before.round
            self._news += told_scoring(scoring, names, is_over)
            if is_over and not scoring.is_final:
                self._news.append(told_starter(happening.after, names))
        self._last = happening

    def _keep(self) -> None:
        """Write the game to the store, once a person has moved, and to the file of --save."""
        if self._session.can_undo or self._kept.id is not None:
            warning = self._kept.keep()
            if warning is not None:
                self._news.append(f"WARNING: {warning}")
        try:
            self._files.autosave(self._session)
        except (ValueError, OSError) as error:
            self._news.append(f"NOT SAVED: {error_words(error)}")

    def _draw(self) -> None:
        """What happened since the table was drawn last, the table, and how the game ended if it did."""
        state, names = self._session.state, self._names()
        last = self._last
        action, player = (last.action, last.event["player"]) if last else (None, None)
        board = ansi(state, action, player, names, self._has_colors)
        news = "\n".join(map(wrapped, self._news))
        page = "\n\n".join(filter(None, [news, f"{board}\n"]))
        if self._is_terminal and page.count("\n") + 2 > shutil.get_terminal_size().lines:
            page = page.replace("\n\n", "\n").rstrip()  # four boards just fit into 24 lines
        print(f"{CLEAR_SCREEN}{page}" if self._is_terminal else f"\n{page}")
        self._news.clear()
        if state.is_terminal:
            _say(winner_words(state, names))
            print("\n".join(result_lines(state, names)))

    def _names(self) -> list[str]:
        return table_names(self._session.seats)


def _as_move(text: str, state: GameState) -> str:
    """A typed line as a move in notation: where a wall is being tiled, a column's number is enough."""
    is_column = state.line_to_tile is not None and text.isascii() and text.isdigit()
    return f"T{text}" if is_column else text


def _say(words: str) -> None:
    print(wrapped(words))
