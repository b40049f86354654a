"""The report of a run, written from the files in its folder."""

from typing import Final

from azul_agents.arena.tables import markdown_table, percent, percent_range
from azul_agents.arena.tally import Interval
from azul_agents.command_line import azul_command
from azul_env.files import write_atomically
from azul_train.config import COLORED, RLLIB, TrainConfig
from azul_train.run.folder import RunFolder
from azul_train.run.metrics import (
    GAME_PARTS,
    START,
    Line,
    check_metrics,
    final_evaluation,
    game_share,
    imitation_of,
    last_evaluation,
    length_of,
    processor_minutes,
    start_evaluation,
    time_shares,
)

BEFORE_SELF_PLAY, AFTER_SELF_PLAY = "before self-play", "after self-play"
EVALUATION_HEADER: Final = ("opponent", "games", "win rate", "95%", "points", "opponent's")


def write_report(folder: RunFolder) -> None:
    """Write `report.md` and, if there is an evaluation, `curve.png`. Raises ValueError if a file is broken."""
    config, metrics = folder.config, folder.read_metrics()
    check_metrics(metrics, folder.metrics_file)
    has_curve = bool(last_evaluation(metrics))
    if has_curve:
        # Imported here: reading metrics needs no matplotlib.
        from azul_train.run.curve import draw_curve

        title = f"{config.name}, {_game_of(config)}: games won while learning"
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
    """An evaluation as a table row; see `EVALUATION_HEADER`."""
    return (
        line["opponent"],
        str(line["games"]),
        percent(line["win_rate"]),
        percent_range(Interval(line["low"], line["high"])),
        f"{line['points']:.1f}",
        f"{line['opponent_points']:.1f}",
    )


def play_command(folder: RunFolder) -> str:
    """The command to play against the best model."""
    options = [] if folder.config.variant == COLORED else ["--variant", folder.config.variant]
    return azul_command("play", "--vs", f"neural:path={folder.best_model}", *options)


def evaluations(metrics: list[Line]) -> dict[str, list[Line]]:
    """The final evaluations before and after self-play, by heading; with nothing to compare, the last one, without one."""
    before = start_evaluation(metrics)
    if not before:
        return {"": last_evaluation(metrics)}
    return {BEFORE_SELF_PLAY: before, AFTER_SELF_PLAY: final_evaluation(metrics)}


def gain_of_self_play(metrics: list[Line]) -> str:
    """What self-play added, in a sentence; empty if there is nothing to compare."""
    before = {line["opponent"]: line["win_rate"] for line in start_evaluation(metrics)}
    after = {line["opponent"]: line for line in final_evaluation(metrics)}
    duel = after.pop(START, None)
    if duel is None:
        return ""
    gains = ", ".join(
        f"{percent(before[name])} → {percent(line['win_rate'])} against {name}"
        for name, line in after.items()
        if name in before
    )
    rate, interval = percent(duel["win_rate"]), percent_range(Interval(duel["low"], duel["high"]))
    return f"Self-play: {gains}. After it, the agent wins {rate} ({interval}) of {duel['games']} games against {START}."


def _summary(folder: RunFolder, config: TrainConfig, metrics: list[Line]) -> str:
    run = folder.provenance
    steps, minutes = length_of(metrics)
    done = f"{steps:,}" if steps >= config.steps else f"{steps:,} of {config.steps:,}"
    commands = [run["command"], *(resumed["command"] for resumed in run["resumed"])]
    machine = run["machine"]
    processor = processor_minutes(metrics)
    used = "" if processor is None else f" ({processor:.1f} of processor time)"
    return (
        f"# Training run {config.name}\n\n"
        f"{_game_of(config)}, {done} learner steps, {minutes:.1f} minutes{used} on "
        f"{machine.get('cpu')} ({machine.get('cores')} cores; torch threads: {config.torch_threads}), seed {config.seed}, "
        f"started {run['started']}, commit {run['commit'] or 'unknown'}.\n\n"
        + "".join(f"    {command}\n" for command in commands)
    )


def _game_of(config: TrainConfig) -> str:
    """What is played, in words."""
    wall = "" if config.variant == COLORED else f", {config.variant} wall"
    return f"{config.num_players} players{wall}"


def _evaluation(config: TrainConfig, metrics: list[Line]) -> str:
    lines = last_evaluation(metrics)
    if not lines:
        return "## Evaluation\n\nNone yet.\n"
    what = f"The learner after {lines[0]['steps']:,} steps, on deals that it was not trained on"
    groups = evaluations(metrics)
    if final_evaluation(metrics):
        what = "The best model, on deals that were used neither to train nor to select it"
    if BEFORE_SELF_PLAY in groups:
        start = "untrained" if config.start is None else f"the model {config.start}"
        if imitation_of(metrics):
            start = "after the warm start by imitation"
        what = (
            f"The agent before self-play ({start}) and the best model after it, on the same deals, which were used neither "
            "to train nor to select it"
        )
    copies = config.num_players - 1
    others = "one opponent" if copies == 1 else f"{copies} copies of an opponent"
    return (
        f"## Evaluation\n\n{what}, against {others}, every deal once from every seat, always its most likely move. "
        f"A shared win counts as an equal share; chance level is {percent(1 / config.num_players)}; intervals are 95% "
        f"Wilson score intervals.\n\n{_evaluation_table(groups)}"
        + (f"\n{gain}\n" if (gain := gain_of_self_play(metrics)) else "")
    )


def _evaluation_table(groups: dict[str, list[Line]]) -> str:
    rows = [(name, *evaluation_cells(line)) for name, lines in groups.items() for line in lines]
    if "" in groups:
        return markdown_table(EVALUATION_HEADER, [cells for _, *cells in rows])
    return markdown_table(("agent", *EVALUATION_HEADER), rows)


def _curve(folder: RunFolder, metrics: list[Line]) -> str:
    text = f"## Learning curve\n\n![Win rates over minutes and steps]({folder.curve.name})\n\n"
    text += "Bands are 95% intervals."
    if final_evaluation(metrics):
        text += " Diamonds mark the final evaluation in the table above."
    if start_evaluation(metrics):
        text += f" “{START.capitalize()}” is the agent before self-play: every curve of self-play begins even with it."
    imitation = imitation_of(metrics)
    if imitation is not None:
        text += (
            f" The warm start imitated another agent: {imitation['samples']:,} samples, {imitation['minutes']:.1f} minutes, "
            f"the same move in {percent(imitation['accuracy'])} of positions."
        )
    return text + "\n"


def _play(folder: RunFolder) -> str:
    return (
        "## Play against it\n\n"
        f"    {play_command(folder)}\n"
        f"    {azul_command('eval', folder.path, '--opponent', 'greedy', '--games', 400)}\n"
        f"    {azul_command('export', folder.path, 'model.npz')}\n"
    )


def _time(metrics: list[Line]) -> str:
    shares = time_shares(metrics)
    if not shares:
        return ""
    rows = [(name, f"{share:.1f}%") for name, share in shares.items()]
    section = "## Where the time went\n\n" + markdown_table(("part", "share"), rows)
    if shares.keys().isdisjoint(
        GAME_PARTS
    ):  # RLlib plays in other processes, which are not measured
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
        ("start", config.start or "random weights"),
        ("warm start", f"imitation of {teacher}" if teacher else "none"),
        ("parallel games", f"{config.ppo.games:,}"),
        ("network", ", ".join(f"{name} {width}" for name, width in vars(config.network).items())),
        *((name, found or "none") for name, found in folder.provenance["versions"].items()),
    ]
    return (
        "## Settings\n\n"
        f"All of them: [{folder.config_file.name}]({folder.config_file.name}); versions and machine: "
        f"[{folder.run_file.name}]({folder.run_file.name}); every number: "
        f"[{folder.metrics_file.name}]({folder.metrics_file.name}).\n\n"
        + markdown_table(("what", "value"), rows, "---")
    )
