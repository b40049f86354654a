"""The report of a run: what it was, what came of it, how to play it. Made from the run's files alone, at any time."""

from collections.abc import Sequence

from azul_agents.arena.tables import percent
from azul_train.config import RLLIB, TrainConfig
from azul_train.run.folder import RunFolder, write_atomically
from azul_train.run.results import (
    GAME_PARTS,
    Line,
    final_evaluation,
    game_share,
    imitation_of,
    last_evaluation,
    length_of,
    time_shares,
)


def write_report(folder: RunFolder) -> None:
    """Write `report.md` and, as soon as there is an evaluation, `curve.png`."""
    config, metrics = folder.config, folder.read_metrics()
    has_curve = bool(last_evaluation(metrics))
    if has_curve:
        # Imported here: the table of a run can be read where nothing draws.
        from azul_train.run.curve import draw_curve

        title = f"{config.name}, {config.num_players} players: games won while learning"
        write_atomically(folder.curve, draw_curve(metrics, config.num_players, title))
    sections = [
        _summary(folder, config, metrics),
        _evaluation(config, metrics),
        *([_curve(folder, metrics)] if has_curve else []),
        _play(folder),
        _time(metrics),
        _settings(folder, config),
    ]
    write_atomically(folder.report, "\n".join(filter(None, sections)))


def evaluation_cells(line: Line) -> tuple[str, ...]:
    """An evaluation as cells below `EVALUATION_HEADER`."""
    return (
        line["opponent"],
        str(line["games"]),
        percent(line["win_rate"]),
        f"{100 * line['low']:.1f}..{100 * line['high']:.1f}",
        f"{line['points']:.1f}",
        f"{line['opponent_points']:.1f}",
    )


EVALUATION_HEADER = ("opponent", "games", "win rate", "95%", "points", "opponent's")


def play_command(folder: RunFolder) -> str:
    """What to type to play the trained agent."""
    return f"azul play --vs neural:path={folder.best_model}"


def _summary(folder: RunFolder, config: TrainConfig, metrics: list[Line]) -> str:
    run = folder.run
    steps, minutes = length_of(metrics)
    done = f"{steps:,}" if steps >= config.steps else f"{steps:,} of {config.steps:,}"
    commands = [run["command"], *(resumed["command"] for resumed in run["resumed"])]
    machine = run["machine"]
    return (
        f"# Training run {config.name}\n\n"
        f"{config.num_players} players, {done} learner steps, {minutes:.1f} minutes on "
        f"{machine['cpu']} ({machine['cores']} cores; torch threads: {config.torch_threads}), seed {config.seed}, "
        f"started {run['started']}, commit {run['commit'] or 'unknown'}.\n\n"
        + "".join(f"    {command}\n" for command in commands)
    )


def _evaluation(config: TrainConfig, metrics: list[Line]) -> str:
    lines = last_evaluation(metrics)
    if not lines:
        return "## Evaluation\n\nNone yet.\n"
    what = f"The learner after {lines[0]['steps']:,} steps, on deals that it was not trained on"
    if final_evaluation(metrics):
        what = "The best model, on deals that it was neither trained on nor chosen by"
    copies = config.num_players - 1
    others = "one opponent" if copies == 1 else f"{copies} copies of an opponent"
    return (
        f"## Evaluation\n\n{what}, against {others}, every deal once from every seat, always its best move. "
        f"A shared win counts as an equal share; chance is {percent(1 / config.num_players)}; the intervals are "
        "Wilson's, for 95%.\n\n"
        + _table(EVALUATION_HEADER, [evaluation_cells(line) for line in lines])
    )


def _curve(folder: RunFolder, metrics: list[Line]) -> str:
    text = f"## Learning curve\n\n![Win rates over minutes and steps]({folder.curve.name})\n\n"
    text += "Bands are 95% intervals."
    if final_evaluation(metrics):
        text += " Diamonds are the best model in the table above."
    imitation = imitation_of(metrics)
    if imitation is not None:
        text += (
            f" Before the first step the network imitated another agent: {imitation['samples']:,} samples, "
            f"{imitation['minutes']:.1f} minutes, the same move in {percent(imitation['accuracy'])} of positions."
        )
    return text + "\n"


def _play(folder: RunFolder) -> str:
    return (
        "## Play it\n\n"
        f"    {play_command(folder)}\n"
        f"    azul eval {folder.path} --opponent greedy --games 400\n"
        f"    azul export {folder.path} model.npz\n"
    )


def _time(metrics: list[Line]) -> str:
    shares = time_shares(metrics)
    if not shares:
        return ""
    rows = [(name, f"{share:.1f}%") for name, share in shares.items()]
    section = "## Where the time went\n\n" + _table(("part", "share"), rows)
    if shares.keys().isdisjoint(GAME_PARTS):  # an engine that plays elsewhere does not measure them
        return section
    together = f"{', '.join(GAME_PARTS[:-1])} and {GAME_PARTS[-1]} together"
    return section + f"\n{together.capitalize()}: {game_share(shares):.1f}%.\n"


def _settings(folder: RunFolder, config: TrainConfig) -> str:
    rewards = ", ".join(f"{weight:g} {name}" for name, weight in config.reward.items())
    scripted = [f"{100 * share:g}% {spec}" for spec, share in config.league.scripted.items()]
    league = ", ".join([*scripted, f"else snapshots ({config.league.schedule})"])
    if config.engine == RLLIB:
        league = "itself"
    teacher = config.imitation.teacher if config.imitation.samples else None
    rows: list[tuple[str, ...]] = [
        ("engine", config.engine),
        ("reward", rewards),
        ("opponents", league),
        ("warm start", f"imitation of {teacher}" if teacher else "none"),
        ("games at once", f"{config.ppo.games:,}"),
        ("network", ", ".join(f"{name} {width}" for name, width in vars(config.network).items())),
        *((name, found or "none") for name, found in folder.run["versions"].items()),
    ]
    return (
        "## Settings\n\n"
        f"All of them: [{folder.config_file.name}]({folder.config_file.name}); versions and machine: "
        f"[{folder.run_file.name}]({folder.run_file.name}); every number: "
        f"[{folder.metrics_file.name}]({folder.metrics_file.name}).\n\n"
        + _table(("what", "value"), rows, "---")
    )


def _table(header: tuple[str, ...], rows: Sequence[tuple[str, ...]], aligned: str = "---:") -> str:
    """A table in Markdown, its columns behind the first aligned to the right unless told otherwise."""
    lines = [header, ("---", *[aligned] * (len(header) - 1)), *rows]
    return "".join(
        "| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |\n" for line in lines
    )
