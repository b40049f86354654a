"""Files on disk: atomic writes, JSON lines that a kill cut off, locks."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from azul_env import files
from azul_env.files import (
    append_line,
    atomic_file,
    exclusive_lock,
    read_json_lines,
    unterminated_tail,
    write_atomically,
)

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="POSIX modes, links and pipes")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "file"


def test_file_written_atomically__is_whole_and_leaves_nothing_beside_it(path):
    for content in ("text", b"\x00bytes"):
        write_atomically(path, content)
        assert path.read_bytes() == (content.encode() if isinstance(content, str) else content)
    assert list(path.parent.iterdir()) == [path]


def test_writing_that_fails__leaves_the_old_file_and_nothing_beside_it(path, monkeypatch):
    write_atomically(path, "old")

    def fail(_: int) -> None:
        raise OSError("disk full")

    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(OSError, match="disk full"):
        write_atomically(path, "new")
    assert path.read_text() == "old"
    assert list(path.parent.iterdir()) == [path]


def test_stream__is_seen_only_when_it_is_complete(path):
    write_atomically(path, "old")
    with atomic_file(path) as file:
        file.write(b"half")
        file.flush()
        assert path.read_text() == "old"
        file.write(b" and half")
    assert path.read_text() == "half and half"


def test_interrupted_stream__leaves_no_file(path):
    def interrupted():
        with atomic_file(path) as file:
            file.write(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert list(path.parent.iterdir()) == []


def test_two_writers__do_not_mix(path):
    with atomic_file(path) as first, atomic_file(path) as second:
        first.write(b"first")
        second.write(b"second")
    assert path.read_text() == "first"


@posix_only
@pytest.mark.parametrize("mode", [0o600, 0o644, 0o755])
def test_existing_file__keeps_its_mode(path, mode):
    path.write_text("old")
    path.chmod(mode)
    write_atomically(path, "new")
    assert path.stat().st_mode & 0o777 == mode and path.read_text() == "new"


@posix_only
def test_new_file__gets_the_mode_that_open_gives(path):
    beside = path.with_name("beside")
    beside.write_text("")
    write_atomically(path, "new")
    assert path.stat().st_mode == beside.stat().st_mode


@posix_only
def test_write_protected_file__is_refused(path, monkeypatch):
    path.write_text("old")
    path.chmod(0o444)
    monkeypatch.setattr("os.access", lambda *_: False)  # root may write anything
    with pytest.raises(PermissionError, match="write-protected"):
        write_atomically(path, "new")
    assert path.read_text() == "old"


@posix_only
def test_symbolic_link__stays_one(path):
    target = path.with_name("target")
    path.symlink_to(target)
    for content in ("new", "newer"):
        write_atomically(path, content)
        assert path.is_symlink() and target.read_text() == content


@posix_only
def test_pipe__is_written_to_and_not_replaced(path):
    os.mkfifo(path)
    with subprocess.Popen(["cat", str(path)], stdout=subprocess.PIPE) as reader:
        write_atomically(path, "through the pipe")
        assert reader.communicate(timeout=400)[0] == b"through the pipe"
    assert path.is_fifo()


def test_missing_folder__is_an_error_that_names_the_file(tmp_path):
    path = tmp_path / "nowhere" / "file"
    with pytest.raises(FileNotFoundError) as error:
        write_atomically(path, "text")
    assert error.value.filename == str(path)


def test_folder__is_refused(tmp_path):
    with pytest.raises(OSError, match="directory"):
        write_atomically(tmp_path, "text")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("content", "tail"),
    [(b"", b""), (b"\n", b""), (b"a\n", b""), (b"a", b"a"), (b"a\nb", b"b"), (b"a\n\n", b"")],
)
def test_unterminated_tail__is_what_follows_the_last_line_end(path, content, tail, monkeypatch):
    path.write_bytes(content)
    for block in (1, 2, 100):
        monkeypatch.setattr(files, "BLOCK_BYTES", block)
        with open(path, "rb") as file:
            assert unterminated_tail(file) == tail


def test_tail_longer_than_a_block__is_found_whole(path, monkeypatch):
    monkeypatch.setattr(files, "BLOCK_BYTES", 7)
    path.write_bytes(b"line\n" + bytes(range(32, 127)))
    with open(path, "rb") as file:
        assert unterminated_tail(file) == bytes(range(32, 127))


@pytest.mark.parametrize("sync", [True, False])
def test_appended_lines__come_back_in_order(path, sync):
    assert read_json_lines(path) == []
    for number in range(3):
        append_line(path, f'{{"n": {number}}}', sync=sync)
    assert read_json_lines(path) == [{"n": 0}, {"n": 1}, {"n": 2}]


def test_tail__is_removed_before_the_next_line_unless_it_is_kept(path):
    path.write_bytes(b'{"n": 0}\n{"n": 1}')
    assert read_json_lines(path) == [{"n": 0}]
    append_line(path, '{"n": 2}')
    assert path.read_bytes() == b'{"n": 0}\n{"n": 2}\n'
    path.write_bytes(b'{"n": 0}\n{"n": 1}')
    append_line(path, '{"n": 2}', keeps_tail=lambda tail: tail == b'{"n": 1}')
    assert path.read_bytes() == b'{"n": 0}\n{"n": 1}\n{"n": 2}\n'


@pytest.mark.parametrize("broken", [b'{"n"', b"[1]", b"", b"\xff", b"[" * 100_000], ids=range(5))
def test_broken_line__is_an_error_with_file_and_number(path, broken):
    path.write_bytes(b'{"n": 0}\n' + broken + b'\n{"n": 2}\n')
    with pytest.raises(ValueError, match=r"file, line 2: the JSON is broken"):
        read_json_lines(path)


@posix_only
def test_lock__keeps_others_out_until_the_block_ends(path):
    with exclusive_lock(path, "taken") as file:
        file.write(b"mine")
        with pytest.raises(ValueError, match="taken"), exclusive_lock(path, "taken"):
            pass
    with exclusive_lock(path, "taken"):
        assert path.read_bytes() == b"mine"
