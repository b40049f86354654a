"""`azul train-search --resume` on damaged folders: one line, and no file is changed."""

import functools
import json
import os
import shutil

import numpy as np
import pytest

from azul_agents.search.recording_file import load_recording
from azul_env.core.chance import CHANCE, chances_from
from azul_train.search.folder import SearchRunFolder
from azul_train.search.games import part_of
from azul_train.search.generations import SearchRun
from ui.command import here

GAMES = 20
SETTINGS = {
    "generations": 2, "self_play.games": GAMES, "self_play.games_per_file": GAMES, "self_play.nodes": 10,
    "duel.games": 2, "duel.time": "null", "duel.nodes": 20, "fitting.batch_size": 64,
}  # fmt: skip
TINY = [part for key, value in SETTINGS.items() for part in ("--set", f"{key}={value}")]


@pytest.fixture
def azul(monkeypatch, capsys):
    return functools.partial(here, monkeypatch, capsys)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """The folder of a finished run whose first networks were kept."""
    root = tmp_path_factory.mktemp("runs")
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr("azul_agents.arena.tally.Tally.win_rate", 0.9)
        monkeypatch.setattr("sys.argv", ["azul", "train-search", "--out", str(root), *TINY])
        from azul_ui.cli import main

        with pytest.raises(SystemExit, match="0"):
            main()
    return SearchRunFolder(root / "search")


@pytest.fixture
def run(finished, tmp_path):
    """A copy as a kill leaves it behind: the games of the second generation are played, its networks are not learned."""
    folder = SearchRunFolder(shutil.copytree(finished.path, tmp_path / "run"))
    lines = folder.metrics_file.read_text().splitlines()
    folder.metrics_file.write_text(lines[0] + "\n")
    folder.report.unlink()
    networks = folder.networks_of(2)
    for file in (networks, networks.with_suffix(".json")):
        file.rename(file.with_name(f"learned_{file.name}"))
    return folder


def contents(folder):
    files = sorted(file for file in folder.path.rglob("*") if file.is_file())
    return [(file, file.read_bytes()) for file in files]


def games_file(run):
    return run.generation(2) / "games_0.npz"


def cut(file_of):
    def spoil(run):
        file = file_of(run)
        file.write_bytes(file.read_bytes()[:-200])

    return spoil


def text(file_of, content):
    return lambda run: file_of(run).write_text(content + "\n")


def arrays(**changes):
    """Change arrays of the games."""

    def spoil(run):
        found = load_recording(games_file(run), 2, GAMES)._asdict()
        with open(games_file(run), "wb") as file:
            np.savez(
                file, **found | {name: change(found[name]) for name, change in changes.items()}
            )

    return spoil


def with_field(name, value):
    def change(rows):
        rows[name][3] = value
        return rows

    return change


def with_noise(rows):
    noise = np.random.default_rng(1).integers(0, 256, rows.nbytes, np.uint8)
    return noise.view(rows.dtype)


def line_with(key, value):
    """Change a key of the first generation's line."""

    def spoil(run):
        line = json.loads(run.metrics_file.read_text())
        run.metrics_file.write_text(json.dumps(line | {key: value}) + "\n")

    return spoil


def learned(spoil):
    """Let the second generation have its networks, and then spoil the run."""

    def spoil_after(run):
        for file in run.generation(2).glob("learned_*"):
            file.rename(file.with_name(file.name.removeprefix("learned_")))
        spoil(run)

    return spoil_after


def part_with(**changes):
    """Let the games be under way, and change numbers of theirs."""

    def spoil(run):
        found = load_recording(games_file(run), 2, GAMES)._asdict()
        games_file(run).unlink()
        numbers = {"played": np.array(GAMES), "chances": chances_from(1, 1)} | changes
        np.savez(part_of(games_file(run)), **found | numbers)

    return spoil


def as_pipe(run):
    games_file(run).unlink()
    os.mkfifo(games_file(run))


def card_of(number):
    return lambda run: run.networks_of(number).with_suffix(".json")


AGAIN = "remove it, and its games are played again"
SPOILT = {
    "games cut": (cut(games_file), AGAIN),
    "earlier games cut": (cut(lambda run: run.generation(1) / "games_0.npz"), AGAIN),
    "games of noise": (arrays(rows=with_noise), "impossible position"),
    "ends of noise": (arrays(finals=with_noise), AGAIN),
    "a far seat": (arrays(rows=with_field("current_player", 10**9)), "at game 3, current_player"),
    "rows cut": (arrays(rows=lambda rows: rows[:9]), "differ in length"),
    "a far game": (arrays(games=lambda games: games + 10**9), "a position belongs to no game"),
    "a game below 0": (arrays(games=lambda games: games - 1), "a position belongs to no game"),
    "a far end": (arrays(ends=lambda ends: ends + 10**6), "before it begins, or nowhere"),
    "an end before": (arrays(ends=lambda ends: ends * 0), "before it begins, or nowhere"),
    "pickled code": (arrays(games=lambda games: games.astype(object)), "another shape or type"),
    "more games": (arrays(finals=lambda finals: finals.repeat(2)), "another shape or type"),
    "part with too many games": (part_with(played=np.array(GAMES + 1)), "number of games is wrong"),
    "part with too few games": (part_with(played=np.array(3)), "its number of games is wrong"),
    "part without a generator": (part_with(chances=np.zeros(1, CHANCE)), "an even increment"),
    "a pipe": (as_pipe, "is a pipe, not a file"),
    "networks cut": (cut(lambda run: run.networks_of(1)), "networks.npz is broken"),
    "no networks": (lambda run: run.networks_of(1).unlink(), "generation_1/networks.npz"),
    "new networks cut": (learned(cut(lambda run: run.networks_of(2))), "networks.npz is broken"),
    "card is a list": (learned(text(card_of(2), "[]")), "calibration.ends.by_round is missing or"),
    "card cut": (learned(cut(card_of(2))), "networks.json is broken"),
    "no clock": (text(lambda run: run.clock_file, "[]"), "minutes is missing or wrong"),
    "NaN minutes": (text(lambda run: run.clock_file, '{"minutes": NaN}'), "minutes is missing"),
    "empty line": (text(lambda run: run.metrics_file, "{}"), "generation is missing or wrong"),
    "no JSON": (text(lambda run: run.metrics_file, "{"), "metrics.jsonl, line 1"),
    "other generation": (line_with("generation", 7), "is not that of generation 1"),
    "kept in words": (line_with("kept", "yes"), "kept is missing or wrong"),
    "calibration": (line_with("calibration", {"ends": {}, "inner": {}}), "calibration.ends.by_rou"),
    "played with itself": (line_with("played_with", 1), "is not that of generation 1"),
    "result": (text(lambda run: run.match_file(2, "best"), "{}"), "best.jsonl is broken"),
    "run.json": (text(lambda run: run.run_file, "{"), "run.json is broken"),
    "config": (text(lambda run: run.config_file, "generations: 3"), "was changed after the run"),
}  # fmt: skip


@pytest.mark.parametrize("name", SPOILT)
def test_spoilt_run__is_an_error_of_one_line(name, run, azul):
    spoil, why = SPOILT[name]
    spoil(run)
    before = contents(run) if name != "a pipe" else None
    code, out, err = azul("train-search", "--resume", run.path)
    assert (code, out) == (2, ""), err
    assert err.count("\n") == 1 and why in err
    assert before is None or contents(run) == before


def without_card(run):
    """What a kill left behind where the card was written after the networks."""
    card_of(2)(run).unlink()


def without_earlier_games(run):
    (run.generation(1) / "games_0.npz").unlink()


@pytest.mark.parametrize("remove", [without_earlier_games, learned(without_card)])
def test_what_is_removed__is_made_again(remove, run, finished, azul, monkeypatch):
    monkeypatch.setattr("azul_agents.arena.tally.Tally.win_rate", 0.9)
    remove(run)
    outcome = azul("train-search", "--resume", run.path)
    assert outcome.code == 0, outcome.err
    assert run.networks.read_bytes() == finished.networks.read_bytes()


def test_run_in_use__is_refused_in_one_line(run, azul):
    before = contents(run)
    with run.locked():
        code, out, err = azul("train-search", "--resume", run.path)
    assert (code, out) == (2, "") and err.count("\n") == 1 and "is in use by another" in err
    assert contents(run) == before


@pytest.mark.parametrize("stop", [KeyboardInterrupt(), OSError(28, "No space left on device")])
def test_stopped_run__says_how_to_go_on(stop, run, azul, monkeypatch):
    def learn(*_):
        raise stop

    monkeypatch.setattr(SearchRun, "_learn", learn)
    code, out, err = azul("train-search", "--resume", run.path)
    is_signal = isinstance(stop, KeyboardInterrupt)
    assert (code, out) == (130 if is_signal else 2, "") and "Traceback" not in err
    assert f"azul train-search --resume {run.path}\n" in err
