"""Files that were damaged at random, given to the commands that read them.

A command takes what it was given or says in one line what is wrong with it: exit code 0 or 2 (1 if a check failed), no traceback.
"""

import io
import sys
import warnings
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

from azul_env import GameRecorder, legal_actions, new_game, write_records
from azul_ui.cli import main
from soak.chores import Chore

ROOT = Path(__file__).parents[2]
MESSAGE_LIMIT = 700  # characters on stderr of a refusal, with a path and an offender in it
SNIPPETS = (
    b"[",
    b"{",
    b'"',
    b"\0",
    b"\xff",
    b"-1",
    b"999999999999999999999",
    b"nan",
    b"&a *a",
    b"\n",
    b": ",
    b"1e999",
)


def records(chore: Chore) -> None:
    """Damaged records, replayed, drawn and analysed."""
    original = _recorded_game(chore.folder)
    while chore.goes_on():
        path = damaged(chore, original, "record.jsonl")
        azul(chore, "replay", "--check", path)
        azul(chore, "render", path, "--svg", chore.folder / "picture.svg")
        if chore.rng.random() < 0.2:
            azul(chore, "analyse", path, "--agent", "greedy", "--json")


def positions(chore: Chore) -> None:
    """Damaged positions, analysed."""
    while chore.goes_on():
        state = new_game(chore.rng.choice((2, 3, 4)), rng=chore.rng.randrange(2**31))
        text = mutated(chore, repr(state).encode(), b"azul 2p").decode("utf-8", "replace")
        azul(chore, "analyse", text.replace("\0", " "), "--agent", "greedy")


def models(chore: Chore) -> None:
    """Damaged networks, asked to play."""
    original = ROOT / "agents" / "azul_agents" / "neural" / "models"
    originals = sorted(original.glob("*.npz"))
    while chore.goes_on():
        path = damaged(chore, chore.rng.choice(originals), "model.npz")
        azul(chore, "match", f"neural:path={path}", "random", "--games", "2", "--jobs", "1")


def configs(chore: Chore) -> None:
    """Damaged configs of runs that are refused for another reason before they begin."""
    originals = sorted((ROOT / "configs").rglob("*.yaml"))
    for original in originals:  # what sound ones import would look like memory that grows
        azul(chore, command_of(original), "--config", original, "--out", "/dev/null/no-folder")
    while chore.goes_on():
        original = chore.rng.choice(originals)
        path = damaged(chore, original, "config.yaml")
        azul(chore, command_of(original), "--config", path, "--out", "/dev/null/no-folder")


def command_of(config: Path) -> str:
    """The command that reads a config."""
    return config.parent.name.replace("_", "-")


def checkpoints(chore: Chore) -> None:
    """Damaged checkpoints of a short run, resumed."""
    from train.tiny import TINY_RUN  # imports torch, which the other chores do not need

    changes = [part for change in (*TINY_RUN, "steps=1024") for part in ("--set", change)]
    azul(chore, "train", *changes, "--out", chore.folder / "runs")
    (checkpoint,) = (chore.folder / "runs").rglob("checkpoint.pt")
    content = checkpoint.read_bytes()
    while chore.goes_on():
        (checkpoint.parent / "report.md").unlink(missing_ok=True)  # a finished run reads nothing
        checkpoint.write_bytes(mutated(chore, content))
        azul(chore, "train", "--resume", checkpoint.parent)


def azul(chore: Chore, *arguments: str | Path) -> None:
    """Run the command in this process; fails unless it succeeds or refuses in one line."""
    (chore.folder / "command.txt").write_text(repr(arguments), errors="replace")
    out, err = io.StringIO(), io.StringIO()
    sys.argv = ["azul", *map(str, arguments)]
    shown = warnings.showwarning
    code: object = 0
    with redirect_stdout(out), redirect_stderr(err):
        try:
            main()
        except SystemExit as ending:
            code = ending.code or 0
        finally:
            warnings.showwarning = shown
    said = err.getvalue()
    assert code in (0, 1, 2), (arguments, code, said[-2000:])
    assert "Traceback" not in said and "Usage" not in said, (arguments, said[-2000:])
    assert code == 0 or len(said) < MESSAGE_LIMIT, (arguments, len(said), said[:2000])
    chore.count("accepted" if code == 0 else "refused")


def damaged(chore: Chore, original: Path, name: str) -> Path:
    """A damaged copy of a file."""
    path = chore.folder / name
    path.write_bytes(mutated(chore, original.read_bytes()))
    return path


def mutated(chore: Chore, content: bytes, head: bytes = b"") -> bytes:
    """The content with a few random changes, after an intact head."""
    rng, data = chore.rng, bytearray(content)
    for _ in range(rng.choice((1, 1, 1, 2, 5, 20))):
        at = rng.randrange(len(head), len(data) + 1) if len(data) > len(head) else len(data)
        match rng.randrange(6):
            case 0 if at < len(data):
                data[at] ^= 1 << rng.randrange(8)
            case 1:
                data[at:at] = rng.choice(SNIPPETS)
            case 2:
                del data[at : at + rng.choice((1, 2, 10, 1000))]
            case 3:
                data[at:at] = data[at : at + rng.choice((1, 10, 100))]
            case 4:
                del data[at:]
            case _:
                data[at : at + 4] = rng.randbytes(4)
    return bytes(data)


def _recorded_game(folder: Path) -> Path:
    recorder = GameRecorder(2, rng=1)
    while not recorder.state.is_terminal:
        recorder.draft(legal_actions(recorder.state)[0])
    path = folder / "original.jsonl"
    write_records(path, [recorder.record])
    return path
