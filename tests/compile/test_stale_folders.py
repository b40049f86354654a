"""Removing cache folders that have not been used for long, and nothing else."""

import os
import threading
from pathlib import Path

import pytest

from azul_env.core.cache_folder import (
    PARENT_NAME,
    STALE_AFTER_SECONDS,
    TAG,
    TAG_NAME,
    remove_stale_folders,
)

FILE = f"azul_env.core.step-{'a' * 32}.kernel"
UNFINISHED = f"{FILE}.{'b' * 16}.unfinished"


def aged(folder: Path, seconds: float = STALE_AFTER_SECONDS + 60) -> Path:
    then = folder.stat().st_mtime - seconds
    os.utime(folder, (then, then))
    return folder


def cache_in(parent: Path, name: str = "1" * 20, tag: bytes | None = TAG) -> Path:
    folder = parent / name
    folder.mkdir(parents=True)
    for file in (FILE, UNFINISHED):
        (folder / file).write_bytes(b"code")
    if tag is not None:
        (folder / TAG_NAME).write_bytes(tag)
    return folder


@pytest.fixture
def parent(tmp_path: Path) -> Path:
    return tmp_path / PARENT_NAME


@pytest.fixture
def current(parent: Path) -> Path:
    return aged(cache_in(parent, "0" * 20))


def test_stale_folder__is_removed(parent: Path, current: Path) -> None:
    aged(cache_in(parent))
    remove_stale_folders(current)
    assert os.listdir(parent) == [current.name]
    assert len(os.listdir(current)) == 3


def test_folder_in_use__stays(parent: Path, current: Path) -> None:
    recent = aged(cache_in(parent), STALE_AFTER_SECONDS - 60)
    remove_stale_folders(current)
    assert len(os.listdir(recent)) == 3


@pytest.mark.parametrize("tag", [None, b"", TAG[:-1], TAG + b"x"])
def test_folder_without_the_tag__stays(tag: bytes | None, parent: Path, current: Path) -> None:
    folder = aged(cache_in(parent, tag=tag))
    remove_stale_folders(current)
    assert (folder / FILE).exists()


@pytest.mark.parametrize("name", [".git", "runs", "1" * 19, "1" * 21, "A" * 20, "g" * 20])
def test_folder_of_another_name__stays(name: str, parent: Path, current: Path) -> None:
    folder = aged(cache_in(parent, name))
    remove_stale_folders(current)
    assert len(os.listdir(folder)) == 3


@pytest.mark.parametrize(
    "name", ["notes.txt", "model.kernel", f"{FILE}.bak", f"x-{'a' * 32}.nbc", ".kernel"]
)
def test_file_of_somebody_else__stays_with_its_folder(
    name: str, parent: Path, current: Path
) -> None:
    folder = cache_in(parent)
    (folder / name).write_text("mine")
    aged(folder)
    remove_stale_folders(current)
    assert (folder / name).read_text() == "mine"


def test_folders_and_links_inside__stay(tmp_path: Path, parent: Path, current: Path) -> None:
    folder = cache_in(parent)
    (folder / "sub").mkdir()
    (folder / "sub" / FILE).write_text("mine")
    precious = tmp_path / "precious"
    precious.write_text("mine")
    link = folder / f"link-{'c' * 32}.kernel"
    link.symlink_to(precious)
    aged(folder)
    remove_stale_folders(current)
    assert precious.read_text() == "mine"
    assert link.is_symlink() and (folder / "sub" / FILE).exists()


def test_linked_folder__is_not_followed(tmp_path: Path, parent: Path, current: Path) -> None:
    elsewhere = aged(cache_in(tmp_path / "elsewhere"))
    (parent / ("2" * 20)).symlink_to(elsewhere)
    remove_stale_folders(current)
    assert len(os.listdir(elsewhere)) == 3


def test_linked_parent__is_not_followed(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    stale = aged(cache_in(elsewhere))
    (tmp_path / PARENT_NAME).symlink_to(elsewhere)
    remove_stale_folders(tmp_path / PARENT_NAME / ("0" * 20))
    assert len(os.listdir(stale)) == 3


def test_linked_tag__proves_nothing(tmp_path: Path, parent: Path, current: Path) -> None:
    folder = cache_in(parent, tag=None)
    (tmp_path / "tag").write_bytes(TAG)
    (folder / TAG_NAME).symlink_to(tmp_path / "tag")
    aged(folder)
    remove_stale_folders(current)
    assert (folder / FILE).exists()


def test_missing_parent__is_no_error(tmp_path: Path) -> None:
    remove_stale_folders(tmp_path / "nowhere" / ("0" * 20))


def test_several_at_once__do_not_disturb_each_other(parent: Path, current: Path) -> None:
    for number in range(150):
        aged(cache_in(parent, f"{number + 1:020x}"))
    failures: list[threading.ExceptHookArgs] = []
    previous, threading.excepthook = threading.excepthook, failures.append
    try:
        cleaners = [threading.Thread(target=remove_stale_folders, args=[current]) for _ in range(6)]
        for cleaner in cleaners:
            cleaner.start()
        for cleaner in cleaners:
            cleaner.join(60)
    finally:
        threading.excepthook = previous
    assert failures == []
    assert os.listdir(parent) == [current.name]
