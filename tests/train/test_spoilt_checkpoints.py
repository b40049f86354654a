"""Checkpoints with a part missing or spoilt: one line of error, whatever it is, and no crash."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from azul_env.core.state import STATE
from azul_processes import LEARNING
from azul_train import train
from azul_train.run.folder import RunFolder
from azul_train.sb3.checkpoint import load_checkpoint, save_checkpoint
from train.tiny import new_folder, tiny_config
from ui.command import here, in_process_of_its_own

Content = dict[str, Any]
Spoil = Callable[[Content], object]


@pytest.fixture(scope="module")
def unfinished(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """A run with one checkpoint that has steps to go."""
    config = tiny_config("steps=1024")
    folder = new_folder(tmp_path_factory.mktemp("unfinished"), config)

    def stop(progress: Any) -> None:
        if folder.checkpoint.exists() and load_checkpoint(folder.checkpoint)["steps"]:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(config, folder, stop)
    return folder


def without(*path: str) -> Spoil:
    """Remove a key."""

    def spoil(content: Content) -> None:
        *way, key = path
        for step in way:
            content = content[step]
        del content[key]

    return spoil


def with_(value: Any, *path: Any) -> Spoil:
    """Put a value into a place."""

    def spoil(content: Content) -> None:
        *way, key = path
        for step in way:
            content = content[step]
        content[key] = value

    return spoil


def changed(change: Callable[[Any], Any], *path: Any) -> Spoil:
    """Replace a part by a function of it."""

    def spoil(content: Content) -> None:
        *way, key = path
        for step in way:
            content = content[step]
        content[key] = change(content[key])

    return spoil


def noise(data: torch.Tensor) -> torch.Tensor:
    return torch.from_numpy(np.random.default_rng(1).integers(0, 256, data.shape, np.uint8))


def with_word(name: str, value: int) -> Callable[[torch.Tensor], torch.Tensor]:
    """Set a field of every row."""

    def change(data: torch.Tensor) -> torch.Tensor:
        rows = data.numpy().view(STATE).copy()
        rows[name] = value
        return torch.from_numpy(rows.view(np.uint8))

    return change


def numpys_position(text: str) -> str:
    name, keys, _, *rest = json.loads(text)
    return json.dumps([name, keys, 10**6, *rest])


def all_nan(weights: Content) -> Content:
    return {name: torch.full_like(tensor, torch.nan) for name, tensor in weights.items()}


def cut_averages(optimizer: Content) -> Content:
    for averages in optimizer["state"].values():
        averages["exp_avg"] = torch.zeros(2)
    return optimizer


SPOILT: dict[str, tuple[Spoil, str]] = {
    **{
        f"no {key}": (without(key), f"'{key}' is missing")
        for key in (
            "steps", "minutes", "scores", "win_rates", "seconds", "updates", "network", "optimizer", "games",
            "episode_starts", "league", "random",
        )
    },
    **{
        f"no games.{key}": (without("games", key), f"'{key}' is missing")
        for key in ("rows", "chances", "seats", "members", "rng")
    },
    **{f"no random.{key}": (without("random", key), f"'{key}' is missing") for key in ("python", "numpy", "torch")},
    "rows of noise": (changed(noise, "games", "rows"), "impossible position: "),
    "five players": (changed(with_word("num_players", 5), "games", "rows"), "OUT_OF_RANGE at game 0, num_players"),
    "a far seat": (changed(with_word("current_player", 10**9), "games", "rows"), "at game 0, current_player"),
    "no cap": (changed(with_word("max_rounds", 0), "games", "rows"), "at game 0, max_rounds"),
    "half the rows": (changed(lambda rows: rows[: len(rows) // 2], "games", "rows"), "8 games and 16 generators"),
    "rows cut": (changed(lambda rows: rows[:-3], "games", "rows"), ""),
    "other rows": (with_("rows", "games", "rows"), ""),
    "generators of noise": (changed(noise, "games", "chances"), "generator has an even increment"),
    "generators cut": (changed(lambda chances: chances[:-40], "games", "chances"), "16 games and 15 generators"),
    "learner in a far seat": (changed(lambda seats: seats + 10**9, "games", "seats"), "another player than the learner"),
    "learner in half a seat": (changed(lambda seats: seats[:3], "games", "seats"), "seats must be whole numbers"),
    "opponents from nowhere": (changed(lambda members: members + 10**9, "games", "members"), "not in the league"),
    "opponents below 0": (changed(lambda members: members - 10, "games", "members"), "not in the league"),
    "a generator of another kind": (with_('{"bit_generator": "MT19937"}', "games", "rng"), ""),
    "no JSON": (with_("[" * 100, "games", "rng"), ""),
    "NumPy's position": (changed(numpys_position, "random", "numpy"), "NumPy's generator is out of range"),
    "torch's generator": (changed(lambda state: state[:10], "random", "torch"), ""),
    "weights that are no numbers": (changed(all_nan, "network"), "not finite"),
    "no weights": (with_({}, "network"), "Missing key"),
    "averages of another shape": (changed(cut_averages, "optimizer"), "exp_avg of the optimizer has shape (2,)"),
    "other betas": (with_((9.0, 9.0), "optimizer", "param_groups", 0, "betas"), "other settings"),
    "starts of other games": (with_(torch.ones(3, dtype=torch.bool), "episode_starts"), "episode_starts has shape (3,)"),
    "steps below 0": (with_(-1, "steps"), "steps must be a whole number from 0 up, not -1"),
    "steps in words": (with_("many", "steps"), "steps must be a whole number"),
    "minutes in words": (with_("many", "minutes"), "could not convert"),
    "a snapshot elsewhere": (
        changed(lambda league: [*league, {"name": "../../x", "is_snapshot": True}], "league"), "no snapshot has the name",
    ),
    "a league of numbers": (with_([1, 2], "league"), ""),
    "nothing at all": (lambda content: content.clear(), "another version of azul_env"),
}  # fmt: skip


@pytest.mark.parametrize("name", SPOILT)
def test_spoilt_checkpoint__is_an_error_of_one_line(
    name, unfinished, tmp_path, monkeypatch, capsys
):
    folder = RunFolder(shutil.copytree(unfinished.path, tmp_path / "copy"))
    content = load_checkpoint(folder.checkpoint)
    spoil, why = SPOILT[name]
    spoil(content)
    if content:
        save_checkpoint(folder.checkpoint, content)
    else:
        torch.save(content, folder.checkpoint)
    before = [file.read_bytes() for file in (folder.metrics_file, folder.checkpoint)]
    outcome = here(monkeypatch, capsys, "train", "--resume", folder.path)
    assert (outcome.code, outcome.out) == (2, "")
    error = outcome.err[outcome.err.index("azul: error:") :]
    assert error.count("\n") == 1 and why in error and "checkpoint.pt" in error
    assert before == [file.read_bytes() for file in (folder.metrics_file, folder.checkpoint)]


def test_checkpoint_that_is_a_pipe__is_refused_without_waiting(unfinished, tmp_path):
    folder = RunFolder(shutil.copytree(unfinished.path, tmp_path / "copy"))
    folder.checkpoint.unlink()
    os.mkfifo(folder.checkpoint)
    outcome = in_process_of_its_own("train", "--resume", folder.path, preparation=LEARNING)
    assert outcome.code == 2 and "checkpoint.pt is not a valid checkpoint" in outcome.err


def test_sound_checkpoint__is_resumed(unfinished, tmp_path, monkeypatch, capsys):
    folder = RunFolder(Path(shutil.copytree(unfinished.path, tmp_path / "copy")))
    outcome = here(monkeypatch, capsys, "train", "--resume", folder.path, "--json")
    assert outcome.code == 0 and json.loads(outcome.out)["steps"] == 1024
