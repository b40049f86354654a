"""Tournaments: resuming, the file of results, configs, and the tables that come out."""

import json
import signal
import sys
from pathlib import Path

import pytest

from arena.players import make
from arena.processes import wait_until, wait_until_gone
from azul_agents.arena.game import GameResult
from azul_agents.arena.ratings import packaged_ratings
from azul_agents.arena.results_file import GameLine, ResultsFile
from azul_agents.arena.standings import ahead_of
from azul_agents.arena.tournament import RESULTS_FILE, Schedule, run_tournament
from azul_agents.arena.tournament_config import TournamentConfig, read_config
from azul_processes import Process, start_python

ROOT = Path(__file__).parents[2]
QUICK = ROOT / "configs/tournament/quick.yaml"
CONFIG = TournamentConfig(("random", "greedy"), players=(2, 3), games_per_pairing=6)
TIMES = ("moves", "seconds")


def games_in(folder: Path) -> dict:
    """The games of a folder by key, without times. Fails on a game that is there twice."""
    games = {}
    for text in (folder / RESULTS_FILE).read_text().splitlines()[1:]:
        data = json.loads(text)
        key = tuple(data[name] for name in ("players", "table", "deal", "rotation"))
        assert key not in games
        games[key] = {name: value for name, value in data.items() if name not in TIMES}
    return games


def test_tournament__plays_every_table_deal_and_rotation_once(tmp_path):
    run_tournament(CONFIG, tmp_path)
    games = games_in(tmp_path)
    assert len(games) == 6 + 2 * 6
    assert games.keys() == Schedule(CONFIG).games.keys()
    for key, game in games.items():
        assert sorted(set(game["agents"])) == [0, 1] and len(game["agents"]) == key[0]


def test_tournament__is_the_same_for_any_number_of_jobs(tmp_path):
    alone = run_tournament(CONFIG, tmp_path / "alone", jobs=1)
    together = run_tournament(CONFIG, tmp_path / "together", jobs=2)
    assert games_in(tmp_path / "alone") == games_in(tmp_path / "together")
    for one, other in zip(alone, together, strict=True):
        assert [s.rating for s in one.standings] == [s.rating for s in other.standings]


def test_finished_tournament__is_not_played_again(tmp_path):
    run_tournament(CONFIG, tmp_path)
    before = (tmp_path / RESULTS_FILE).read_bytes()

    def refuse(spec):
        agent = make(spec)
        agent.act = None  # calling it would fail
        return agent

    run_tournament(CONFIG, tmp_path, make=refuse)
    assert (tmp_path / RESULTS_FILE).read_bytes() == before


@pytest.mark.parametrize("cut", [1, 40, 10_000])
def test_cut_off_line__is_dropped_and_played_again(tmp_path, cut):
    run_tournament(CONFIG, tmp_path)
    whole = games_in(tmp_path)
    file = tmp_path / RESULTS_FILE
    content = file.read_bytes()
    file.write_bytes(content[:-cut])  # the last one cuts into the very first line
    run_tournament(CONFIG, tmp_path)
    assert games_in(tmp_path) == whole
    if cut == 1:
        assert file.read_bytes().splitlines()[:-1] == content.splitlines()[:-1]


def test_broken_line_in_the_middle__is_an_error_that_names_it(tmp_path):
    run_tournament(CONFIG, tmp_path)
    file = tmp_path / RESULTS_FILE
    lines = file.read_text().splitlines(keepends=True)
    for broken, why in (("{\n", "JSON is broken"), ("{}\n", "not a game"), (lines[1], "duplicate")):
        file.write_text("".join([*lines[:3], broken, *lines[4:]]))
        with pytest.raises(ValueError, match=rf"{RESULTS_FILE}, line 4: .*{why}"):
            run_tournament(CONFIG, tmp_path)


def test_other_config__is_an_error_that_names_the_difference(tmp_path):
    run_tournament(CONFIG, tmp_path)
    other = TournamentConfig(CONFIG.agents, CONFIG.players, games_per_pairing=8)
    with pytest.raises(ValueError, match="games_per_pairing 6, not 8: choose another folder"):
        run_tournament(other, tmp_path)


def test_other_file__is_not_touched(tmp_path):
    file = tmp_path / RESULTS_FILE
    file.write_text('{"mine": 1}\n')
    with pytest.raises(ValueError, match="is not a results file"):
        run_tournament(CONFIG, tmp_path)
    assert file.read_text() == '{"mine": 1}\n'


@pytest.mark.skipif(sys.platform == "win32", reason="files are locked elsewhere only")
def test_file_in_use__is_an_error(tmp_path):
    with (
        ResultsFile.open(tmp_path / RESULTS_FILE, CONFIG),
        pytest.raises(ValueError, match="in use by another tournament"),
    ):
        run_tournament(CONFIG, tmp_path)


def start(folder: Path) -> Process:
    code = (
        "from pathlib import Path\n"
        "from azul_agents.arena.tournament import run_tournament\n"
        "from azul_agents.arena.tournament_config import read_config\n"
        "if __name__ == '__main__':\n"
        f"    config = read_config(Path({str(QUICK)!r}), games_per_pairing=60)\n"
        f"    run_tournament(config, Path({str(folder)!r}), jobs=2)\n"
    )
    return start_python(code, starts_session=True)


def lines_in(folder: Path) -> int:
    file = folder / RESULTS_FILE
    return file.read_bytes().count(b"\n") if file.exists() else 0


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")
def test_killed_tournament__resumes_without_losing_or_repeating_a_game(tmp_path):
    config = read_config(QUICK, games_per_pairing=60)
    total = len(Schedule(config).games)
    kept: list[bytes] = []
    for kills in range(1, 3):
        process = start(tmp_path / "killed")
        target = len(kept) + 40
        wait_until(lambda goal=target, p=process: lines_in(tmp_path / "killed") >= goal or p.poll())
        process.send_signal(signal.SIGKILL)
        process.wait()
        wait_until_gone(process.pid)  # workers leave by themselves
        content = (tmp_path / "killed" / RESULTS_FILE).read_bytes()
        lines = content[: content.rindex(b"\n")].split(b"\n")
        assert lines[: len(kept)] == kept
        assert target <= len(lines) < 1 + total, f"kill {kills} came too late"
        kept = lines
    run_tournament(config, tmp_path / "killed")
    run_tournament(config, tmp_path / "uninterrupted")
    games = games_in(tmp_path / "killed")
    assert len(games) == total
    assert games == games_in(tmp_path / "uninterrupted")
    final = (tmp_path / "killed" / RESULTS_FILE).read_bytes().split(b"\n")
    assert final[: len(kept)] == kept


def test_outputs__are_text_markdown_json_and_pictures(tmp_path):
    tables = run_tournament(CONFIG, tmp_path)
    assert [table.players for table in tables] == [2, 3]
    data = json.loads((tmp_path / "ratings.json").read_text())
    assert data["config"] == CONFIG.to_dict()
    for table in data["tables"]:
        best, worst = table["standings"]
        assert (best["agent"], worst["agent"]) == ("greedy", "random")
        assert worst["rating"] == 1000 and best["rating"] > 1200
        assert best["rating_interval"][0] <= best["rating"] <= best["rating_interval"][1]
        assert table["ahead"][0][0] is None
        assert table["ahead"][0][1] + table["ahead"][1][0] == pytest.approx(1)
        picture = (tmp_path / f"win_rates_{table['players']}_players.svg").read_text()
        assert f'aria-label="{100 * table["ahead"][0][1]:.1f}%"' in picture
    for name in ("ratings.txt", "ratings.md"):
        text = (tmp_path / name).read_text()
        assert "2 players (Bradley-Terry)" in text and "3 players (Plackett-Luce)" in text
        assert text.index("greedy") < text.index("random")
    markdown = (tmp_path / "ratings.md").read_text()
    assert len({line.count("|") for line in markdown.splitlines() if "|" in line}) == 1


def test_forfeits__are_in_the_file_and_the_table(tmp_path):
    config = TournamentConfig(("random", "illegal"), games_per_pairing=4)
    (table,) = run_tournament(config, tmp_path, make=make)
    assert table.standings[1].agent == "illegal" and table.standings[1].tally.forfeits == 4
    for game in games_in(tmp_path).values():
        assert game["forfeits"][game["agents"].index(1)] == "illegal action 1000000: OUT_OF_RANGE"


def test_ahead__counts_shared_ranks_as_half_and_knows_who_never_met():
    def line(agents, ranks, deal):
        result = GameResult((0,) * 3, ranks, (None,) * 3, (1,) * 3, (0.0,) * 3)
        return GameLine(3, 0, deal, 0, 1, agents, result)

    ahead = ahead_of([line((0, 1, 1), (1, 2, 1), 0), line((1, 0, 0), (3, 1, 2), 1)], 3)
    assert ahead[0][1] == (1 + 0.5 + 1 + 1) / 4
    assert ahead[1][0] == 0.5 / 4
    assert ahead[0][2] is None and ahead[2][2] is None


def test_packaged_ratings__are_read_from_a_tournaments_file(tmp_path):
    run_tournament(CONFIG, tmp_path)
    ratings = packaged_ratings(tmp_path / "ratings.json")
    assert ratings["random"] == {2: 1000, 3: 1000} and ratings["greedy"].keys() == {2, 3}
    assert packaged_ratings(tmp_path / "missing.json") == {}


@pytest.mark.parametrize("name", ["quick", "baselines"])
def test_shipped_configs__are_sound(name):
    config = read_config(ROOT / "configs/tournament" / f"{name}.yaml")
    assert {"random", "greedy"} <= set(config.agents) and config.players == (2, 3, 4)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("agents: [random, greedy]\ngame: 3\n", "unknown key 'game'; known: agents, players"),
        ("agents: [random]\n", "at least two"),
        ("players: [2]\n", "at least two"),
        ("agents: [random, random]\n", "random is named twice"),
        ("agents: random\n", "agents must be a list of strings"),
        ("agents: [random, 3]\n", "agents must be a list of strings"),
        ("agents: [random, greedy]\nplayers: [5]\n", "players must be from 2 to 4, not 5"),
        ("agents: [random, greedy]\nplayers: []\n", "at least one number"),
        ("agents: [random, greedy]\nplayers: [2, 2]\n", "2 is named twice"),
        ("agents: [random, greedy]\ngames_per_pairing: 0\n", "games_per_pairing must be"),
        ("agents: [random, greedy]\ngames_per_pairing: 1.5\n", "games_per_pairing must be"),
        ("agents: [random, greedy]\nseed: -1\n", "seed must be"),
        ("agents: [random, greedy]\nseed: true\n", "seed must be"),
        ("- random\n", "expected a mapping, not ['random']"),
        ("agents: [random\n", "is not YAML"),
        ("", "at least two"),
    ],
)
def test_wrong_config__is_an_error_that_names_the_file(tmp_path, text, why):
    file = tmp_path / "mine.yaml"
    file.write_text(text)
    with pytest.raises(ValueError, match=r"mine\.yaml") as caught:
        read_config(file)
    assert why in str(caught.value)


def test_changes__go_on_top_of_a_file():
    config = read_config(QUICK, players=(2,), seed=3)
    assert (config.players, config.seed, config.agents) == ((2,), 3, ("random", "greedy"))
