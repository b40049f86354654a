"""Error messages in the style of the command line."""


def error_words(error: BaseException) -> str:
    """The message of an error; one of the system as `FILE: No such file or directory`, without its number."""
    if isinstance(error, OSError) and error.strerror and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return str(error)
