"""The cache of compiled code when files in it are damaged, replaced or not to be trusted: kernels are compiled again."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numba
import pytest

from azul_env.core import cache_folder
from azul_env.core.cache_folder import PARENT_NAME, SUFFIX, TAG, TAG_NAME, CacheFolder
from azul_env.core.jit import kernel
from azul_env.core.kernel_cache import DamagedFileError, KernelCache, _read

Damage = Callable[[Path], None]


def tripled(number: int) -> int:
    return 3 * number


def doubled(number: int) -> int:
    return 2 * number


def new_kernel(path: Path, function: Callable[..., Any] = tripled) -> Any:
    """A kernel as a new process would have it: nothing is compiled yet."""
    compiled = numba.njit(function)
    compiled._cache = KernelCache(function, CacheFolder(path))
    return compiled


def is_cached(path: Path, function: Callable[..., Any] = tripled) -> bool:
    compiled = new_kernel(path, function)
    compiled(14)
    return not compiled.stats.cache_misses


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder that holds `tripled`."""
    monkeypatch.setattr(cache_folder, "_has_reported", False)
    folder = tmp_path / PARENT_NAME / ("0" * 20)
    new_kernel(folder)(14)
    return folder


@pytest.fixture
def file(path: Path) -> Path:
    (file,) = path.glob(f"*{SUFFIX}")
    return file


def truncated(size: int) -> Damage:
    return lambda file: os.truncate(file, size)


def flipped(file: Path, bit: int) -> bytes:
    content = bytearray(file.read_bytes())
    content[bit // 8] ^= 1 << bit % 8
    return bytes(content)


def replaced_by_a_link(file: Path) -> None:
    moved = file.rename(file.parent.parent / "elsewhere")
    file.symlink_to(moved)


def replaced_by_a_pipe(file: Path) -> None:
    file.unlink()
    os.mkfifo(file)


DAMAGES: dict[str, Damage] = {
    "empty": truncated(0),
    "header": truncated(18),
    "half a checksum": truncated(34),
    "no payload": truncated(50),
    "half": truncated(4000),
    "longer": lambda file: file.write_bytes(file.read_bytes() + b"\0"),
    "zeros": lambda file: file.write_bytes(bytes(file.stat().st_size)),
    "a bit of the header": lambda file: file.write_bytes(flipped(file, 3)),
    "a bit of the checksum": lambda file: file.write_bytes(flipped(file, 8 * 20)),
    "a bit of the payload": lambda file: file.write_bytes(flipped(file, 8 * 5000)),
    "unreadable": lambda file: file.chmod(0),
    "writable by others": lambda file: file.chmod(0o666),
    "link": replaced_by_a_link,
    "pipe": replaced_by_a_pipe,
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_file__is_compiled_again_and_replaced(
    damage: str, path: Path, file: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert is_cached(path)
    DAMAGES[damage](file)
    assert new_kernel(path)(14) == 42
    said = capfd.readouterr().err
    if damage != "unreadable" or os.geteuid():  # root reads everything
        assert (
            said.count("\n") == 1 and f"azul_env: {file}" in said and "compiling it again" in said
        )
    assert is_cached(path)
    assert capfd.readouterr().err == ""


def test_every_flipped_bit__is_noticed(file: Path) -> None:
    bits = 8 * file.stat().st_size
    for bit in range(0, bits, 97):
        content = file.read_bytes()
        file.write_bytes(flipped(file, bit))
        with pytest.raises(DamagedFileError):
            _read(file)
        file.write_bytes(content)
    _read(file)


def test_folder_in_place_of_a_file__costs_one_line_and_stays(
    path: Path, file: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file.unlink()
    (file / "mine").mkdir(parents=True)
    assert new_kernel(path)(14) == 42
    assert capfd.readouterr().err.count("\n") == 1
    assert os.listdir(file) == ["mine"]
    assert sorted(os.listdir(path)) == sorted([TAG_NAME, file.name])  # no unfinished file


def test_file_of_another_kernel__is_not_taken_for_this_one(path: Path, file: Path) -> None:
    new_kernel(path, doubled)(14)
    (other,) = set(path.glob(f"*{SUFFIX}")) - {file}
    file.write_bytes(other.read_bytes())
    assert new_kernel(path)(14) == 42


class First(NamedTuple):
    numbers: int


class Second(NamedTuple):
    numbers: int


First.__name__ = Second.__name__ = "Pair"  # as of classes in two modules


def number_of(pair: First) -> int:
    return pair.numbers


def test_classes_of_the_same_name__have_files_of_their_own(path: Path) -> None:
    misses = []
    for pair in (First(1), Second(1), First(1), Second(1)):
        compiled = new_kernel(path, number_of)
        assert compiled(pair) == 1
        misses.append(sum(compiled.stats.cache_misses.values()))
    assert misses == [1, 1, 0, 0]


def test_removed_folder__is_made_again(path: Path) -> None:
    compiled = new_kernel(path)
    compiled(14j)  # finds that the folder can be written
    for entry in path.iterdir():
        entry.unlink()
    path.rmdir()
    assert compiled(14.0) == 42
    assert (path / TAG_NAME).read_bytes() == TAG
    assert len(list(path.glob(f"*{SUFFIX}"))) == 1


def test_recompiled_kernel__is_not_loaded(path: Path, file: Path) -> None:
    compiled = new_kernel(path)
    compiled(14)
    file.write_bytes(b"")
    compiled.recompile()
    assert compiled(14) == 42 and is_cached(path)


@pytest.mark.parametrize("level", ["parent", "folder"])
def test_folder_that_others_can_write__is_not_used(
    level: str, path: Path, file: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    shared = path if level == "folder" else path.parent
    shared.chmod(0o775)
    before = file.stat()
    compiled = new_kernel(path)
    assert compiled(14) == 42 and compiled.stats.cache_misses
    said = capfd.readouterr().err
    assert said.count("\n") == 1 and f"{shared} is not used" in said and "NUMBA_CACHE_DIR" in said
    assert file.stat().st_mtime_ns == before.st_mtime_ns


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give files away"
)
@pytest.mark.parametrize("level", ["parent", "folder", "file"])
def test_what_belongs_to_another_user__is_not_used(
    level: str, path: Path, file: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    os.chown({"parent": path.parent, "folder": path, "file": file}[level], 65534, -1)
    compiled = new_kernel(path)
    assert compiled(14) == 42 and compiled.stats.cache_misses
    said = capfd.readouterr().err
    assert said.count("\n") == 1 and "belongs to another user" in said


def test_umask_of_a_group__leaves_a_folder_that_only_its_owner_can_write(tmp_path: Path) -> None:
    folder = tmp_path / PARENT_NAME / ("1" * 20)
    previous = os.umask(0)
    try:
        new_kernel(folder)(14)
    finally:
        os.umask(previous)
    for made in (folder.parent, folder, *folder.iterdir()):
        assert not made.stat().st_mode & 0o022
    assert is_cached(folder)


def test_inner_kernel__is_compiled_again_when_python_calls_it(tmp_path, monkeypatch):
    """Without a wrapper it would crash."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    twice, outer = inner_and_outer()
    assert outer(4) == 9
    assert [bool(twice._inner), len(twice.signatures)] == [True, 1]
    assert twice(5) == 10 and not twice._inner and len(twice.signatures) == 1
    assert outer(5) == 11 and sum(outer.stats.cache_misses.values()) == 1


def inner_and_outer() -> tuple[Any, Any]:
    @kernel
    def twice(number):
        return 2 * number

    @kernel
    def outer(number):
        return twice(number) + 1

    return twice, outer
