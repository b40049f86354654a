"""Small files that would take all memory or all time: refused in one line, whatever command reads them."""

import json
import os
import socket
import sys
import zipfile
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest

from azul_agents.neural.model_file import (
    MAX_META_BYTES,
    ModelFileError,
    array_shapes,
    layout_as_json,
    read_model,
)
from azul_env import GameRecorder, RecordError, legal_actions, read_records, write_records
from azul_env.files import json_lines, read_bounded
from azul_train.config import read_config
from inputs.hostile import assert_refused, azul
from models import SMALL, random_model

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="pipes, devices and /proc")

NESTED_ANCHORS = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{name}: &{name} [{','.join([f'*{before}'] * 9)}]\n"
    for before, name in zip("abcdefghi", "bcdefghij", strict=True)
)


def npy_header(shape: str, dtype: str = "<f4") -> bytes:
    """The header of an array of any shape, without the array."""
    text = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}".encode()
    text = text.ljust(118 - 1) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text


def npy(array: np.ndarray) -> bytes:
    buffer = BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


def meta(**changes: object) -> dict[str, object]:
    about = {"format": 1, "num_players": 2, "size": SMALL, "card": {}}
    return {**about, "observation_layout": layout_as_json(2), **changes}


def write_archive(path: Path, members: dict[str, bytes], compression: int = zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, content in members.items():
            archive.writestr(f"{name}.npy", content)


def model_members(about: dict[str, object]) -> dict[str, bytes]:
    arrays = random_model(2).arrays
    return {"meta": npy(np.array(json.dumps(about)))} | {name: npy(a) for name, a in arrays.items()}


def write_big_member(path: Path, name: str, shape: str, size: int) -> None:
    """A model whose array `name` is `size` zeros, which compress to a thousandth."""
    members = model_members(meta())
    del members[name]
    write_archive(path, members)
    with (
        zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
        archive.open(f"{name}.npy", "w", force_zip64=True) as stream,
    ):
        stream.write(npy_header(shape))
        for _ in range(size >> 24):
            stream.write(bytes(1 << 24))


def test_nested_anchors__are_refused_before_they_grow(tmp_path):
    file = tmp_path / "bomb.yaml"
    file.write_text(NESTED_ANCHORS)
    for command in ("train", "tournament"):
        assert_refused(azul(command, "--config", file), str(file), "line 2", "aliases")


def test_array_of_a_gigabyte_in_a_megabyte__is_refused_before_it_is_read(tmp_path):
    path = tmp_path / "model.npz"
    write_big_member(path, "query.weight", f"({1 << 28},)", 1 << 30)
    assert path.stat().st_size < 8 << 20
    ended = azul("export", path, tmp_path / "copy.npz")
    assert_refused(ended, str(path), "query.weight is float32 (268435456,)")


def test_member_that_goes_on_behind_its_array__is_refused_before_it_is_read(tmp_path):
    path = tmp_path / "model.npz"
    shape = str(array_shapes(2, SMALL)["query.weight"])
    write_big_member(path, "query.weight", shape, 1 << 30)
    assert_refused(azul("export", path, tmp_path / "copy.npz"), str(path), "query.weight")


@pytest.mark.parametrize("claim", ["(10000000000000,)", "(20, 10000000000000)", "()", "(" * 60])
def test_header_that_claims_another_shape__is_refused(tmp_path, claim):
    path = tmp_path / "model.npz"
    members = model_members(meta()) | {"query.weight": npy_header(claim) + bytes(64)}
    write_archive(path, members)
    with pytest.raises(ModelFileError, match=r"model\.npz: .*(query\.weight|not a model)"):
        read_model(path)


@pytest.mark.parametrize(
    ("about", "why"),
    [
        ("[" * 200_000, "nested deeper"),
        ("9" * 5_000, "number is too long"),
        (json.dumps(meta(size=dict.fromkeys(SMALL, 10**6))), "at most 2,048"),
        (json.dumps(meta(size=SMALL | {"trunk": True})), "whole numbers"),
        (json.dumps(meta(num_players=True)), "for True players"),
        (json.dumps(meta())[:-1] + ', "format": 1}', "'format' is given twice"),
        ("x" * (MAX_META_BYTES // 4 + 1), "not a text"),
        (json.dumps(meta(format="x" * 9999)), "is of format"),
    ],
    ids=["deep", "digits", "widths", "bool", "players", "twice", "long", "format"],
)
def test_meta_that_would_break_or_fill_memory__is_refused_briefly(tmp_path, about, why):
    path = tmp_path / "model.npz"
    write_archive(path, model_members(meta()) | {"meta": npy(np.array(about))})
    with pytest.raises(ModelFileError) as caught:
        read_model(path)
    assert why in str(caught.value) and len(str(caught.value)) < 500
    assert "\n" not in str(caught.value)


def test_archive_of_another_making__is_refused(tmp_path):
    path = tmp_path / "model.npz"
    members = model_members(meta())
    write_archive(path, members, zipfile.ZIP_LZMA)
    with pytest.raises(ModelFileError, match="compressed in another way"):
        read_model(path)
    write_archive(path, members | {f"more{number}": b"" for number in range(2_000)})
    with pytest.raises(ModelFileError, match="directory has"):
        read_model(path)
    write_archive(path, members)
    with zipfile.ZipFile(path, "a") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr("meta.npy", members["meta"])
    with pytest.raises(ModelFileError, match="occurs twice"):
        read_model(path)


def test_pipe_as_model_or_config__is_refused_instead_of_waited_for(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    commands = [
        ("match", f"neural:path={pipe}", "random"),
        ("match", f"sb3:path={pipe}", "random"),
        ("train", "--config", pipe),
        ("tournament", "--config", pipe),
    ]
    for command in commands:
        assert_refused(azul(*command), f"{pipe} is a pipe, not a file")


def test_device_without_end_as_a_config__is_refused():
    assert_refused(azul("train", "--config", "/dev/zero"), "/dev/zero is a device, not a file")


@pytest.mark.parametrize("found", ["folder", "socket"])
def test_special_file__is_named(found, tmp_path, monkeypatch):
    path = tmp_path / found
    if found == "folder":
        path.mkdir()
    else:
        monkeypatch.chdir(tmp_path)  # the path of a socket has at most 107 letters
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(path.name)
    for read in (read_model, read_config, lambda path: read_bounded(path, 9), json_lines_of):
        with pytest.raises((ValueError, OSError), match=str(path)):
            read(path)


def json_lines_of(path: Path) -> list[dict[str, object]]:
    return list(json_lines(path))


@pytest.mark.parametrize("command", ["replay", "analyse", "render"])
def test_record_without_end__is_refused_at_the_length_of_a_line(command, tmp_path):
    more = {"render": ("--svg", tmp_path / "p.svg"), "analyse": ("--agent", "greedy")}.get(
        command, ()
    )
    assert_refused(azul(command, "/dev/zero", *more), "/dev/zero, line 1 is longer than 33,554,432")


def test_bot_whose_input_is_one_endless_line__ends():
    assert_refused(azul("bot", "random", stdin="/dev/zero"), "the input, line 1 is longer")


def finished_game(seed: int):
    recorder = GameRecorder(2, rng=seed, max_rounds=1)
    while not recorder.state.is_terminal:
        recorder.draft(next(iter(legal_actions(recorder.state))))
    return recorder.record


def test_records__come_through_a_pipe(tmp_path):
    games = [finished_game(seed) for seed in range(3)]
    write_records(tmp_path / "games.jsonl", games)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for command in (["replay", pipe, "--check"], ["analyse", pipe, "--agent", "greedy"]):
        writer = os.fork()
        if writer == 0:
            pipe.write_bytes((tmp_path / "games.jsonl").read_bytes())
            os._exit(0)
        assert azul(*command).code == 0
        os.waitpid(writer, 0)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("[" * 100_000, "nested deeper than 32"),
        ('{"a":' * 40 + "1" + "}" * 40, "nested deeper than 32"),
        ('{"seed": 1, "seed": 2}', "'seed' is given twice"),
        ('{"seed": ' + "1" * 5000 + "}", "a number is too long"),
        ('{"agents": NaN}', "lacks the key"),
        (r'{"\ud800\u001b[2J": 1}', "lacks the key"),
    ],
)
def test_line_that_is_no_record__is_refused_with_its_number(tmp_path, line, why):
    path = tmp_path / "games.jsonl"
    path.write_text(finished_game(1).to_json() + "\n" + line + "\n")
    with pytest.raises(RecordError) as caught:
        list(read_records(path))
    assert f"{path}, line 2" in str(caught.value) and why in str(caught.value)
    assert len(str(caught.value)) < 500 and str(caught.value).isprintable()


def test_position_of_a_hundred_megabytes__is_refused(tmp_path):
    path = tmp_path / "position.txt"
    path.write_text("azul 2p " + "x | " * 25_000_000)
    ended = azul("analyse", path, "--agent", "greedy")
    assert_refused(ended, "a position has at most 4,000 letters")
