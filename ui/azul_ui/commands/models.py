"""Which model a path given on the command line stands for."""

from pathlib import Path


def model_file(path: Path) -> Path:
    """The model that a path means: a file itself, or the best model in the folder of a run.

    Raises ValueError if there is none.
    """
    if path.is_file():
        return path
    if not path.exists():
        raise ValueError(f"{path}: there is no such model or run")
    # The last model stands in for the best one of a run that was never measured.
    names = ("best_model.npz", "model.npz")
    for name in names:
        if (path / name).is_file():
            return path / name
    raise ValueError(f"{path} holds no model yet: neither {' nor '.join(names)}")
