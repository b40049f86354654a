"""`azul export`: the trained model of a run as a file to keep or give away."""

from pathlib import Path
from typing import Annotated

import typer

from azul_agents.model_file import read_model
from azul_train.run_folder import write_atomically
from azul_ui.commands.models import model_file


def export(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run, or a model.")],
    file: Annotated[Path, typer.Argument(metavar="MODEL.npz", help="Where to write the model.")],
    force: Annotated[bool, typer.Option("--force", help="Replace the file.")] = False,
) -> None:
    """Write the best model of a run: plain arrays and the layout that they were trained on, no code.

    azul export runs/train/quick model.npz

    azul play --vs neural:path=model.npz
    """
    source = model_file(run)
    model = read_model(source)
    if file.suffix != ".npz":
        raise ValueError(f"{file}: the name of a model ends in .npz")
    if file.exists() and not force:
        raise ValueError(f"{file} exists: choose another name, or replace it with --force")
    if not file.resolve().parent.is_dir():
        raise ValueError(f"{file}: there is no folder {file.resolve().parent}")
    write_atomically(file, source.read_bytes())
    print(f"{file}: model for {model.num_players} players from {source}")
