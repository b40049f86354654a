"""The folder that holds compiled code: where it is, whether it can be trusted, and which old ones may be removed.

A folder is named after a digest of the sources and lies in `azul_env_compiled_code`. Its tag file proves that this module
made it: without the tag nothing is removed, and with it only files whose names follow the cache's scheme.
"""

import errno
import os
import re
import secrets
import stat
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

PARENT_NAME: Final = "azul_env_compiled_code"
SUFFIX: Final = ".kernel"
UNFINISHED: Final = ".unfinished"
# The Cache Directory Tagging Specification: backups skip the folder.
TAG_NAME: Final = "CACHEDIR.TAG"
TAG: Final = (
    b"Signature: 8a477f597d28d172789f06886806bc55\n"
    b"# Machine code compiled by azul_env, which makes it again when it is missing.\n"
)
STALE_AFTER_SECONDS: Final = 14 * 24 * 3600  # other folders unused for this long are removed
FOLDER_MODE: Final = 0o755  # whatever the umask, other users cannot write
FILE_MODE: Final = 0o644
NO_FOLLOW: Final = getattr(os, "O_NOFOLLOW", 0)

_FOLDER = re.compile(r"[0-9a-f]{20}")
_FILE = re.compile(
    rf"[\w.]+-[0-9a-f]{{32}}{re.escape(SUFFIX)}|[\w.-]+\.[0-9a-f]{{16}}{re.escape(UNFINISHED)}"
)


class CacheFolder:
    """A folder of compiled code; problems with it cost time and are reported in one line, never raised."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._is_trusted: bool | None = None
        self._is_writable: bool | None = None

    def is_trusted(self) -> bool:
        """True unless other users could have written into the folder: loading a cached kernel executes it."""
        if self._is_trusted is None:
            self._is_trusted = self._find_trust()
            with suppress(OSError):
                os.utime(self.path)  # in use
        return self._is_trusted

    def is_writable(self) -> bool:
        """True if the folder can be written; it is made if necessary, and stale ones beside it are removed."""
        if self._is_writable is None:
            self._is_writable = self.is_trusted() and self._make_or_report()
            if self._is_writable:
                remove_stale_folders(self.path)
        return self._is_writable

    def make(self) -> None:
        """Make the folder and its tag where they are missing. Raises OSError."""
        self.path.parent.parent.mkdir(parents=True, exist_ok=True)
        for folder in (self.path.parent, self.path):
            folder.mkdir(FOLDER_MODE, exist_ok=True)
        if not os.access(self.path, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        if not os.path.lexists(self.path / TAG_NAME):
            write_whole(self.path / TAG_NAME, TAG)

    def report_unwritable(self, error: Exception) -> None:
        """Report that compiled code could not be saved."""
        report_once(
            f"the compile cache in {self.path} cannot be written ({reason(error)}): this run goes on, the next one "
            "compiles again; set NUMBA_CACHE_DIR to use another folder"
        )

    def _make_or_report(self) -> bool:
        try:
            self.make()
        except OSError as error:
            self.report_unwritable(error)
            return False
        self._is_trusted = self._find_trust()  # of the folder just made
        return self._is_trusted

    def _find_trust(self) -> bool:
        for folder in (self.path.parent, self.path):
            try:
                doubt = reason_for_distrust(os.lstat(folder)) or reason_for_distrust(
                    os.stat(folder)
                )
            except OSError:
                return True  # there is nothing to load
            if doubt:
                report_once(
                    f"the compile cache in {folder} is not used, since it {doubt}: delete it, or set NUMBA_CACHE_DIR "
                    "to a folder that only you can write"
                )
                return False
        return True


def reason_for_distrust(status: os.stat_result) -> str | None:
    """Why other users may have written a file or folder; None if only this user and root can have."""
    if sys.platform == "win32":
        return None
    if status.st_uid not in (os.geteuid(), 0):
        return "belongs to another user"
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH) and not stat.S_ISLNK(status.st_mode):
        return "can be written by other users"
    return None


def remove_stale_folders(current: Path) -> None:
    """Remove folders of other sources, made by this module, that nobody has used for weeks; follows no links.

    Where files cannot be named relative to an open folder (Windows), nothing is removed.
    """
    if sys.platform == "win32" or os.unlink not in os.supports_dir_fd:
        return
    with suppress(OSError):
        parent = _open_folder(current.parent)
        try:
            for name in os.listdir(parent):
                if _FOLDER.fullmatch(name) and name != current.name:
                    with suppress(OSError):
                        _remove_if_stale(name, parent)
        finally:
            os.close(parent)


def _remove_if_stale(name: str, parent: int) -> None:
    folder = _open_folder(name, parent)
    try:
        status = os.fstat(folder)
        if time.time() - status.st_mtime < STALE_AFTER_SECONDS or not _is_tagged(folder):
            return
        for file in filter(_FILE.fullmatch, os.listdir(folder)):
            with suppress(OSError):  # another process may remove it first
                if stat.S_ISREG(os.lstat(file, dir_fd=folder).st_mode):
                    os.unlink(file, dir_fd=folder)
        if os.listdir(folder) == [TAG_NAME]:
            os.unlink(TAG_NAME, dir_fd=folder)
            os.rmdir(name, dir_fd=parent)
    finally:
        os.close(folder)


def _open_folder(path: str | Path, parent: int | None = None) -> int:
    return os.open(path, os.O_RDONLY | os.O_DIRECTORY | NO_FOLLOW, dir_fd=parent)


def _is_tagged(folder: int) -> bool:
    tag = os.open(TAG_NAME, os.O_RDONLY | os.O_NONBLOCK | NO_FOLLOW, dir_fd=folder)
    try:
        return os.read(tag, len(TAG) + 1) == TAG
    finally:
        os.close(tag)


def write_whole(path: Path, content: bytes) -> None:
    """Write a file that other processes see either whole or not at all, and other users cannot write.

    It is not synced to disk: checksums detect damage by a power failure.
    """
    temporary = path.with_name(f"{path.name}.{secrets.token_hex(8)}{UNFINISHED}")
    try:
        with open(temporary, "xb", opener=_open_private) as file:
            file.write(content)
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise


def _open_private(path: str, flags: int) -> int:
    return os.open(path, flags | NO_FOLLOW, FILE_MODE)


_has_reported = False


def report_once(text: str) -> None:
    """Write the first problem of this process on stderr, in one line."""
    global _has_reported
    if not _has_reported:
        _has_reported = True
        write_line(text)


def write_line(text: str) -> None:
    """Write a line on stderr, if there is one."""
    if sys.stderr is not None:  # else print() would take stdout
        with suppress(OSError, ValueError):
            print("azul_env:", " ".join(text.split()), file=sys.stderr)


def reason(error: Exception) -> str:
    """An exception in a few words."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return f"{type(error).__name__}: {error}"[:200]
