"""`azul export`: the trained model of a run as a file to keep or give away."""

import json
from pathlib import Path
from typing import Annotated

import typer


def export(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run, or a model.")],
    file: Annotated[Path, typer.Argument(metavar="MODEL.npz", help="Where to write the model.")],
    card: Annotated[
        Path | None,
        typer.Option(metavar="CARD.json", help="Also write where the model comes from."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the file.")] = False,
) -> None:
    """Write the best model of a run: plain arrays, no code.

    azul export runs/train/quick model.npz

    azul play --vs neural:path=model.npz
    """
    from azul_agents.neural.model_file import read_model, write_model
    from azul_env.files import write_atomically
    from azul_train.run.folder import RunFolder
    from azul_ui.commands.models import model_file

    source = model_file(run)
    model = read_model(source)
    if file.suffix != ".npz":
        raise ValueError(f"{file}: the name of a model ends in .npz")
    for target in filter(None, (file, card)):
        if target.exists() and not force:
            raise ValueError(f"{target} exists: choose another name, or replace it with --force")
        if not target.resolve().parent.is_dir():
            raise ValueError(f"{target}: there is no folder {target.resolve().parent}")
    if run.is_dir():
        circumstances = RunFolder.open(run).run
        model.card.update({key: circumstances[key] for key in ("command", "commit", "started")})
    write_model(file, model)
    if card is not None:
        write_atomically(card, json.dumps(model.card, indent=2) + "\n")
    print(f"{file}: model for {model.num_players} players from {source}")
