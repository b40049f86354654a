"""`azul export`: the trained model of a run as a file to keep or give away."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from azul_env.extras import install_command

if TYPE_CHECKING:
    from collections.abc import Callable

    from azul_agents.neural.model_file import Model


def export(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run, or a model.")],
    file: Annotated[Path, typer.Argument(metavar="MODEL.npz", help="Where to write the model.")],
    card: Annotated[
        Path | None,
        typer.Option(metavar="CARD.json", help="Also write where the model comes from."),
    ] = None,
    onnx: Annotated[
        Path | None,
        typer.Option(metavar="MODEL.onnx", help="Also write the model for ONNX runtimes."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the file.")] = False,
) -> None:
    """Write the best model of a run: plain arrays, no code.

    azul export runs/train/quick model.npz

    azul play --vs neural:path=model.npz

    azul export runs/train/quick model.npz --onnx model.onnx
    """
    from azul_agents.neural.model_file import read_model, write_model
    from azul_env.files import write_atomically
    from azul_train.run.folder import RunFolder
    from azul_ui.commands.models import model_file

    source = model_file(run)
    model = read_model(source)
    if file.suffix != ".npz":
        raise ValueError(f"{file}: the name of a model ends in .npz")
    if onnx is not None and onnx.suffix != ".onnx":
        raise ValueError(f"{onnx}: the name of an ONNX model ends in .onnx")
    write_onnx = onnx_writer() if onnx is not None else None
    targets = [target for target in (file, card, onnx) if target is not None]
    if len({target.resolve() for target in targets}) < len(targets):
        raise ValueError("the model and what is written beside it need files of their own")
    for target in targets:
        if target.resolve() == source.resolve():
            raise ValueError(f"{target} is the model that is to be exported: choose another name")
        if target.exists() and not force:
            raise ValueError(f"{target} exists: choose another name, or replace it with --force")
        if not target.resolve().parent.is_dir():
            raise ValueError(f"{target}: there is no folder {target.resolve().parent}")
    if run.is_dir():
        circumstances = RunFolder.open(run).provenance
        model.card.update({key: circumstances[key] for key in ("command", "commit", "started")})
    write_model(file, model)
    if card is not None:
        write_atomically(card, json.dumps(model.card, indent=2) + "\n")
    if onnx is not None and write_onnx is not None:
        write_onnx(onnx, model)
    wall = "" if model.variant == "colored" else f", {model.variant} wall,"
    print(f"{file}: model for {model.num_players} players{wall} from {source}")


def onnx_writer() -> "Callable[[Path, Model], None]":
    """The function that writes ONNX files. Raises ImportError that says what to install."""
    try:
        from azul_agents.neural.onnx_file import write_onnx
    except ImportError:
        raise ImportError(f"--onnx needs the extra `onnx`: {install_command('onnx')}") from None
    return write_onnx
