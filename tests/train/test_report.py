"""The report of a run is made from its files alone: what the table says and what the picture shows."""

import re

import numpy as np
import pytest

from azul_agents.arena.tally import wilson_interval
from azul_train.config import read_config
from azul_train.run.curve import COLORS, draw_curve
from azul_train.run.folder import RunFolder
from azul_train.run.metrics import (
    START,
    curves,
    game_share,
    last_evaluation,
    length_of,
    time_shares,
)
from azul_train.run.report import write_report

PNG = b"\x89PNG\r\n\x1a\n"
SHARES = {
    "environment": 2.0,
    "gradient": 90.0,
    "masks": 0.5,
    "scripted opponents": 1.0,
    "other": 6.5,
}


def evaluation(opponent, steps, minutes, wins, games=200, **more):
    low, high = wilson_interval(wins, games)
    return {
        "kind": "evaluation",
        "steps": steps,
        "minutes": minutes,
        "opponent": opponent,
        "games": games,
        "wins": wins,
        "win_rate": wins / games,
        "low": low,
        "high": high,
        "points": 51.25,
        "opponent_points": 32.5,
        **more,
    }


IMITATION = {"kind": "imitation", "steps": 0, "minutes": 0.5, "samples": 4000, "accuracy": 0.625}
DURING = [
    evaluation("greedy", 0, 0.6, 20.0),
    evaluation("random", 0, 0.6, 100.0),
    evaluation("greedy", 1000, 1.5, 100.0),
    evaluation("random", 1000, 1.5, 190.0),
    {"kind": "progress", "steps": 2000, "minutes": 2.5, "steps_per_second": 9.0},
    evaluation("greedy", 2000, 2.6, 120.5),
    evaluation("random", 2000, 2.6, 200.0),
]
AT_THE_END = [
    evaluation("greedy", 2000, 2.9, 260.0, 400, final=True),
    evaluation("random", 2000, 2.9, 398.0, 400, final=True),
    {"kind": "time", "steps": 2000, "minutes": 3.0, "shares": SHARES},
]


@pytest.fixture
def folder(tmp_path):
    config = read_config(None, ["name=mine", "steps=2000", "num_players=3"])
    return RunFolder.create(tmp_path, config, "azul train --set steps=2000")


def add(folder, lines):
    for line in lines:
        folder.append_metrics(line)


def pixels(png: bytes) -> np.ndarray:
    from io import BytesIO

    from matplotlib.image import imread

    return (imread(BytesIO(png), format="png")[:, :, :3] * 255).round().astype(int)


def count(image: np.ndarray, color: str) -> int:
    wanted = [int(color[k : k + 2], 16) for k in (1, 3, 5)]
    return int((image == wanted).all(2).sum())


def test_finished_run__reports_the_best_model_with_games_and_intervals(folder):
    add(folder, [*DURING, *AT_THE_END])
    write_report(folder)
    text = folder.report.read_text()
    low, high = wilson_interval(260, 400)
    assert f"| greedy | 400 | 65.0% | {100 * low:.1f}–{100 * high:.1f} | 51.2 | 32.5 |" in text
    assert "| random | 400 | 99.5% |" in text
    assert "| 200 |" not in text
    assert "used neither to train nor to select it" in text
    assert "3 players, 2,000 learner steps, 3.0 minutes" in text
    assert "chance level is 33.3%" in text and "2 copies of an opponent" in text
    assert "    azul train --set steps=2000\n" in text


def test_finished_run__says_where_the_time_went_and_how_to_play(folder):
    add(folder, [*DURING, *AT_THE_END])
    write_report(folder)
    text = folder.report.read_text()
    assert text.index("| gradient | 90.0% |") < text.index("| environment | 2.0% |")
    assert "Environment, masks and scripted opponents together: 3.5%." in text
    assert f"azul play --vs neural:path={folder.path}/best_model.npz" in text
    assert f"azul eval {folder.path} " in text


def test_links__are_relative_and_lead_to_files_of_the_run(folder):
    add(folder, [*DURING, *AT_THE_END])
    write_report(folder)
    links = re.findall(r"\]\(([^)]+)\)", folder.report.read_text())
    assert set(links) == {"curve.png", "config.yaml", "run.json", "metrics.jsonl"}
    assert all((folder.path / link).is_file() for link in links)


def test_unfinished_run__reports_the_last_evaluation_so_far(folder):
    add(folder, DURING[:4])
    write_report(folder)
    text = folder.report.read_text()
    assert "after 1,000 steps" in text and "| greedy | 200 | 50.0% |" in text
    assert "1,000 of 2,000 learner steps" in text
    assert "Where the time went" not in text


def test_run_without_an_evaluation__has_a_report_and_no_picture(folder):
    write_report(folder)
    assert "None yet." in folder.report.read_text()
    assert not folder.curve.exists()


def test_report_written_again__follows_the_files(folder):
    add(folder, DURING)
    write_report(folder)
    before = folder.report.read_text(), folder.curve.read_bytes()
    write_report(folder)
    assert (folder.report.read_text(), folder.curve.read_bytes()) == before
    folder.note_resume("azul train --resume mine", 2000)
    add(folder, AT_THE_END)
    write_report(folder)
    assert folder.curve.read_bytes() != before[1]
    assert "    azul train --resume mine\n" in folder.report.read_text()


def test_self_play__has_its_own_rows_and_its_gain_is_told(folder):
    before = evaluation("greedy", 2000, 2.9, 200.0, 400, final=True, before=True)
    duel = evaluation(START, 2000, 2.9, 300.0, 400, final=True)
    add(folder, [IMITATION, *DURING, before, *AT_THE_END[:1], duel, *AT_THE_END[2:]])
    write_report(folder)
    text = folder.report.read_text()
    assert "| before self-play | greedy | 400 | 50.0% |" in text
    assert "| after self-play | greedy | 400 | 65.0% |" in text
    assert "| after self-play | its own start | 400 | 75.0% |" in text
    assert "Self-play: 50.0% → 65.0% against greedy." in text
    assert "wins 75.0% (70.5–79.0) of 400 games against its own start" in text
    assert "after the warm start by imitation" in text


def test_curves__begin_with_the_untrained_network():
    lines = [evaluation("greedy", 0, 0.1, 1.0, untrained=True), *DURING]
    assert [line["wins"] for line in curves(lines)["greedy"]] == [1.0, 20.0, 100.0, 120.5]


def test_imitation__is_told(folder):
    add(folder, [IMITATION, *DURING])
    write_report(folder)
    assert "4,000 samples, 0.5 minutes, the same move in 62.5%" in folder.report.read_text()


def test_picture__has_a_line_an_opponent():
    picture = draw_curve(DURING, 2, "mine")
    assert picture.startswith(PNG)
    image = pixels(picture)
    assert count(image, COLORS[0]) > 500 and count(image, COLORS[1]) > 500
    assert count(image, COLORS[2]) == 0


def test_picture__shows_the_level_of_chance_by_number_of_players():
    def dashes_at(num_players: int) -> int:
        image = pixels(draw_curve(DURING, num_players, "mine"))
        gray = (image.max(2) - image.min(2) == 0) & (image[:, :, 0] < 160)
        above_the_axis = gray[: len(gray) * 3 // 4]
        return int(above_the_axis.sum(1).argmax())  # the row with the longest gray line

    assert dashes_at(2) < dashes_at(3) < dashes_at(4)


def test_picture__marks_imitation_and_the_end():
    plain = pixels(draw_curve(DURING, 2, "mine"))
    warm = pixels(draw_curve([IMITATION, *DURING], 2, "mine"))
    ended = pixels(draw_curve([*DURING, *AT_THE_END], 2, "mine"))
    assert (plain != warm).any() and (plain != ended).any()


def test_picture__of_a_single_evaluation_and_a_strange_name_is_drawn():
    line = evaluation("external:./bot $1_$2", 0, 0.0, 3.0, 4)
    assert draw_curve([line], 2, "cost $5 $6").startswith(PNG)


def test_curves__take_the_last_of_two_lines_at_the_same_steps():
    lines = [evaluation("greedy", 20, 2.0, 5.0), evaluation("greedy", 10, 1.0, 4.0)]
    lines.append(evaluation("greedy", 20, 3.0, 6.0))
    assert [line["wins"] for line in curves(lines)["greedy"]] == [4.0, 6.0]
    assert [line["wins"] for line in last_evaluation(lines)] == [6.0]


def test_shares_and_length__are_those_of_the_last_lines():
    assert time_shares(DURING) == {} and length_of([]) == (0, 0.0)
    assert list(time_shares(AT_THE_END)) == [
        "gradient",
        "other",
        "environment",
        "scripted opponents",
        "masks",
    ]
    assert game_share(SHARES) == 3.5
    assert length_of([*DURING, *AT_THE_END]) == (2000, 3.0)
