"""Read untrusted .npz files safely.

An .npz is a zip archive whose directory and array headers claim sizes, possibly a thousand times that of the file. So an
archive is opened only if its directory is small, the headers of the arrays are compared with what the caller expects, and
only then are the arrays read.
"""

import os
import struct
import zipfile
import zlib
from collections.abc import Mapping
from tokenize import TokenError
from typing import IO, Any, Final

import numpy as np
from numpy.typing import NDArray

from azul_env import brief
from azul_env.files import AnyPath, open_regular

# A network of the largest widths takes 190 MB, the packaged ones 1 MB.
MAX_ARCHIVE_BYTES: Final = 1 << 28
MAX_DIRECTORY_BYTES: Final = 1 << 14  # of 21 members, with names of at most 20 letters
# The end of a zip: members on this disk and in all, bytes, comment.
END_RECORD: Final = struct.Struct("<4s4xHHL4xH")
ZIP64_LOCATOR_BYTES: Final = 20
# LZMA takes as much memory as a file asks for.
COMPRESSION: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)

# What NumPy and zipfile raise on damaged or foreign files. RuntimeError: encrypted, or unknown flags;
# the last four: Python's parser, on the header of an array.
UNREADABLE: Final = (
    OSError, ValueError, EOFError, KeyError, RuntimeError, zipfile.BadZipFile, zlib.error, struct.error,
    SyntaxError, TokenError, MemoryError, TypeError
)  # fmt: skip

Header = tuple[tuple[int, ...], np.dtype[Any]]  # shape and type
Expected = tuple[tuple[int | range, ...], np.dtype[Any]]  # the same; a length may be one of a range
Members = dict[str, zipfile.ZipInfo]  # by the name of the array


def read_arrays(
    path: AnyPath, expected: Mapping[str, Expected], optional: Mapping[str, Expected] | None = None
) -> dict[str, NDArray[Any]]:
    """The arrays of an .npz file: all expected ones, the optional ones it has, and no others.

    Raises ValueError in one line.
    """
    known = {**expected, **(optional or {})}
    try:
        with open_regular(path) as file, open_archive(file) as archive:
            members = members_of(archive)
            if not expected.keys() <= members.keys() <= known.keys():
                raise ValueError("it has other arrays")
            for name, member in members.items():
                if not _fits(header_in(archive, member), known[name]):
                    raise ValueError(f"its array {name} has another shape or type")
            return {name: array_in(archive, member) for name, member in members.items()}
    except FileNotFoundError:
        raise
    except UNREADABLE as error:
        raise ValueError(f"{os.fspath(path)} is broken: {brief(error)}") from None


def _fits(header: Header, expected: Expected) -> bool:
    (shape, dtype), (lengths, wanted) = header, expected
    return (
        dtype == wanted
        and len(shape) == len(lengths)
        and all(
            length in most if isinstance(most, range) else length == most
            for length, most in zip(shape, lengths, strict=True)
        )
    )


def open_archive(file: IO[bytes]) -> zipfile.ZipFile:
    """Open a zip archive whose directory is small. Raises ValueError before it is read if it is not."""
    size = os.fstat(file.fileno()).st_size
    if size > MAX_ARCHIVE_BYTES:
        raise ValueError(f"it is larger than {MAX_ARCHIVE_BYTES:,} bytes")
    file.seek(max(0, size - END_RECORD.size - ZIP64_LOCATOR_BYTES))
    tail = file.read()
    if len(tail) < END_RECORD.size + ZIP64_LOCATOR_BYTES:
        raise ValueError("it is too short")
    signature, _, _, directory, comment = END_RECORD.unpack(tail[ZIP64_LOCATOR_BYTES:])
    if signature != b"PK\5\6" or comment or tail.startswith(b"PK\6\7"):
        raise ValueError("it does not end like an .npz")
    if directory > MAX_DIRECTORY_BYTES:
        raise ValueError(f"its directory has {directory:,} bytes")
    return zipfile.ZipFile(file)


def members_of(archive: zipfile.ZipFile) -> Members:
    """The members of an archive. Raises ValueError if a name occurs twice or the compression is unusual."""
    members = {member.filename.removesuffix(".npy"): member for member in archive.infolist()}
    if len(members) < len(archive.infolist()):
        raise ValueError("a name occurs twice in it")
    if any(member.compress_type not in COMPRESSION for member in members.values()):
        raise ValueError("it is compressed in another way than an .npz")
    return members


def header_in(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Header:
    """Shape and type that an array claims to have. NumPy reads at most 10,000 bytes for them."""
    with archive.open(member) as stream:
        version = np.lib.format.read_magic(stream)
        if version == (1, 0):
            shape, _, dtype = np.lib.format.read_array_header_1_0(stream)
        elif version == (2, 0):
            shape, _, dtype = np.lib.format.read_array_header_2_0(stream)
        else:
            raise ValueError(f"an array has the version {version}")
    return shape, dtype


def array_in(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> NDArray[Any]:
    """An array whose header has been checked. Raises BadZipFile if it is damaged."""
    with archive.open(member) as stream:
        array = np.lib.format.read_array(stream, allow_pickle=False)
        if stream.read(1):  # at its end the checksum is verified
            raise ValueError(f"{member.filename} has more bytes than its array")
    return array
