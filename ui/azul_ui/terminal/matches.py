"""Matches at the terminal: a progress bar during play, and tables of the results."""

import json
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.table import Table

from azul_agents import MatchConfig, MatchResult
from azul_agents.arena.match import RunningMatch, num_games
from azul_agents.arena.tables import milliseconds, percent, percent_range
from azul_agents.arena.warmup import warm_up
from azul_agents.arena.workers import Finished, check_specs
from azul_agents.command_line import azul_command
from azul_agents.neural.model_file import Model, read_model
from azul_env import brief, printable
from azul_env.record_files import record_writer
from azul_train.run.metrics import as_metrics
from azul_train.run.report import EVALUATION_HEADER, evaluation_cells
from azul_ui.terminal.bars import games_bar
from azul_ui.terminal.compiling import compiling
from azul_ui.terminal.partial_results import fail_of_agent, stopped_after
from azul_ui.terminal.result_table import result_table

MAX_REASONS: Final = 3  # of forfeits that are printed for each agent; --json has more
MAX_REASON_LETTERS: Final = 500


def play_match(
    specs: tuple[str, ...], config: MatchConfig, record: Path | None, as_json: bool
) -> None:
    """Play a match, write its games to the file `record` and print the result, also that of a match that is stopped."""
    match = RunningMatch(specs, config)
    if record is not None and not record.parent.is_dir():
        raise ValueError(f"{record}: the folder {record.parent} does not exist")
    with compiling():
        match.warm_up()
    was_there = record is not None and record.exists()
    try:
        with games_bar() as progress, ExitStack() as stack:
            task = progress.add_task("playing", total=match.total)
            write = stack.enter_context(record_writer(record)) if record is not None else None

            def on_game(finished: Finished) -> None:
                if write is not None:
                    write(finished.played.record)
                progress.advance(task)

            match.play(on_game)
    except BaseException as error:
        _print_match(match, as_json)
        _say_what_is_kept(match, record, was_there)
        fail_of_agent(error)
        raise
    _print_match(match, as_json)


def _print_match(match: RunningMatch, as_json: bool) -> None:
    result = match.result
    is_finished = result.games == match.total
    if as_json:
        print(json.dumps(result.to_dict() | {"finished": is_finished}))
        return
    if not result.games:
        return
    title = f"{result.games} games" if is_finished else stopped_after(result.games, match.total)
    Console().print(_match_table(result, title))
    for line in forfeit_lines(result):
        print(line)


def forfeit_lines(result: MatchResult) -> list[str]:
    """Why agents forfeited, a line for each reason."""
    return [
        printable(
            f"{agent} forfeited {count} game{'s' * (count > 1)}: "
            f"{brief(reason.removeprefix(f'{agent}: '), MAX_REASON_LETTERS)}"
        )
        for agent, tally in zip(result.agents, result.tallies, strict=True)
        for reason, count in tally.reasons.most_common(MAX_REASONS)
    ]


def _say_what_is_kept(match: RunningMatch, record: Path | None, was_there: bool) -> None:
    """Say on stderr what a stopped match leaves behind."""
    console = Console(stderr=True, highlight=False, soft_wrap=True)
    if record is None:
        kept = "no games were recorded (--record FILE does that)"
    elif was_there:
        kept = f"{record} is unchanged: only a complete match replaces a file"
    else:
        kept = f"{record} has the {match.result.games} games so far"
    stopped = stopped_after(match.result.games, match.total)
    resumed = f"A stopped match starts over; a stopped {azul_command('tournament')} goes on."
    console.print(f"{stopped}; {kept}. {resumed}", markup=False)


def evaluate_model(
    path: Path, opponents: tuple[str, ...], config: MatchConfig, as_json: bool
) -> None:
    """Play a match between a model and copies of each opponent, and print the results so far even if it is stopped."""
    if "," in str(path):
        raise ValueError(f"{path}: the path of a model must not contain a comma")
    model = read_model(path)
    num_players, variant = model.num_players, model.variant
    config = replace(config, variant=variant)
    check_specs(opponents, variant=variant, players=[num_players])  # before the first match
    tables = [(f"neural:path={path}", *[spec] * (num_players - 1)) for spec in opponents]
    matches: list[RunningMatch] = []
    with compiling():
        warm_up([spec for table in tables for spec in table], num_players, variant)

    def show() -> None:
        results = [match.result for match in matches if match.result.games]
        done = sum(result.games for result in results)
        total = sum(num_games(table, config) for table in tables)
        if as_json:
            data = {"model": str(path), "num_players": num_players, "seed": config.seed}
            data |= {"variant": variant}
            data |= {"results": [result.to_dict() for result in results]}
            print(json.dumps(data | {"finished": done == total}))
            return
        Console().print(_evaluation_table(path, model, results))
        for line in [line for result in results for line in forfeit_lines(result)]:
            print(line)
        if done < total:
            print(stopped_after(done, total))

    try:
        with games_bar() as progress:
            for spec, table in zip(opponents, tables, strict=True):
                matches.append(RunningMatch(table, config))
                progress.add_task(f"against {spec}", total=matches[-1].total)
                matches[-1].play(lambda _: progress.advance(progress.task_ids[-1]))
    except BaseException as error:
        show()
        fail_of_agent(error)
        raise
    show()


def _match_table(result: MatchResult, title: str) -> Table:
    """One row per agent."""
    # Without columns of zeros, names have more room.
    counts = {
        name: [getattr(tally, name) for tally in result.tallies] for name in ("shared", "forfeits")
    }
    counts = {name: column for name, column in counts.items() if any(column)}
    header = ("agent", "won", *counts, "win rate", "95%", "points", "ms/move")
    rows = [
        (
            agent,
            str(tally.wins),
            *(str(column[number]) for column in counts.values()),
            percent(tally.win_rate),
            percent_range(tally.interval),
            f"{tally.mean_points:.1f}",
            milliseconds(tally.seconds_per_move),
        )
        for number, (agent, tally) in enumerate(zip(result.agents, result.tallies, strict=True))
    ]
    return result_table(header, rows, title, f"{result.shared} games shared")


def _evaluation_table(path: Path, model: Model, results: list[MatchResult]) -> Table:
    """One row per opponent."""
    header = (*EVALUATION_HEADER, "ms/move")
    rows = [
        (*evaluation_cells(as_metrics(result)), milliseconds(result.tallies[0].seconds_per_move))
        for result in results
    ]
    wall = "" if model.variant == "colored" else f", {model.variant} wall"
    chance = f"{model.num_players} players{wall}; chance level is {percent(1 / model.num_players)}"
    return result_table(header, rows, str(path), chance)
