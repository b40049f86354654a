"""The store of games: what a reload gives back, damaged files, locks, order, and folders that cannot be written."""

import json
import os
import resource
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

from azul_env import GameRecorder, encode_action, legal_actions
from azul_processes import LAYERS
from azul_ui.games.session import PERSON, GameSession
from azul_ui.games.store import (
    FOLDER_VARIABLE,
    GAME_ID,
    GameStore,
    KeptGame,
    UntrustedAgentError,
    default_folder,
)

SEATS = (PERSON, "greedy", PERSON)


@pytest.fixture
def store(games_folder):
    opened = GameStore(games_folder)
    yield opened
    opened.close()


def play_on(game: GameSession, turns: int) -> None:
    for _ in range(turns):
        if game.is_over:
            return
        if game.to_move_is_person:
            game.play(encode_action(legal_actions(game.state)[0], game.num_players))
        else:
            game.agent_turn()


def started(turns: int = 8, **settings) -> GameSession:
    game = GameSession(SEATS, 3, **settings)
    play_on(game, turns)
    return game


@contextmanager
def full_disk(size: int = 100):
    """No file may grow beyond a few bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_every_moment_of_a_game__is_given_back(store):
    game = GameSession(SEATS, 3, max_rounds=2)
    game_id = store.create(game)
    assert GAME_ID.fullmatch(game_id)
    script = [play_on] * 12 + [lambda g, _: g.undo()] * 3 + [lambda g, _: g.redo()] * 2
    for step in [*script, lambda g, _: g.undo(), *[play_on] * 60]:
        step(game, 1)
        store.save(game_id, game)
        reader = GameStore(store.folder)
        kept = reader.read(game_id)
        assert kept.record == game.record == reader.load(game_id) and kept.undone == game.undone
        assert kept.summary.is_finished == game.is_over
        assert (kept.summary.scores, kept.summary.round) == (game.state.scores, game.state.round)
    assert game.is_over
    store.close()
    on = store.resume(game_id)
    assert on.history == game.history and on.state == game.state and on.seats == SEATS


def test_resumed_game__undoes_and_redoes_as_before(store):
    game = started()
    game.undo()
    game_id = store.create(game)
    store.release(game_id)
    on = store.resume(game_id)
    for each in (game, on):
        each.redo()
        each.undo()
        each.undo()
    assert on.record == game.record and on.undone == game.undone


def test_game_from_a_position__is_kept_with_it(store):
    start = started(25).state
    game = started(6, position=start)
    game_id = store.create(game)
    assert store.read(game_id).position == start
    assert store.resume(game_id).state == game.state


def test_record__can_be_kept_without_a_session(store):
    recorder = GameRecorder(2, 0, 5, agents=["human", "random"])
    recorder.draft(legal_actions(recorder.state)[0])
    game_id = store.create(recorder.record)
    assert store.load(game_id) == recorder.record
    assert store.list()[0].players == ("human", "random")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "../x",
        "a/b",
        "20200101-000000-aaaaa",
        "20200101-000000-aaaaaa\n",
        "\u0662\u0660200101-000000-aaaaaa",  # Arabic digits
    ],
)
def test_text_that_is_no_id__is_refused(store, text):
    for call in (store.load, store.resume, store.claim, store.path):
        with pytest.raises(ValueError, match="is not the id of a game"):
            call(text)
    assert not store.folder.exists()


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda text: text[: len(text) // 2], "JSON is broken"),
        (lambda text: "", "JSON is broken"),
        (lambda text: "[" * 100_000, "JSON is broken"),
        (lambda text: text.replace('"format":1', '"format":2', 1), "format is 2"),
        (lambda text: text.replace('"round":0', '"round":"x"', 1), "round is missing or wrong"),
        (lambda text: text.replace('"undone":[]', '"undone":[1]', 1), "undone must be"),
        (lambda text: text.replace('"position":null', '"position":7', 1), "position"),
        (lambda text: text.replace('"format"', '"format":1,"format"', 1), "JSON is broken"),
        (lambda text: text + " " * (1 << 25), "it is no file of up to 33,554,432 bytes"),
        (
            lambda text: text.replace('"scores":[', '"scores":[0,0,', 1),
            "scores is missing or wrong",
        ),
        (lambda text: text.replace('"draft"', '"dance"', 1), "event 1"),
        (lambda text: text.replace('"action":', '"action":9', 1), r"event \d"),
        (lambda text: text.replace('"undone":[]', '"undone":[[{"type":"deal"}]]', 1), "event"),
    ],
)
def test_damaged_file__is_named_in_one_line_and_left_alone(store, damage, words):
    sound = store.create(started())
    damaged = store.create(started())
    store.close()
    path = store.path(damaged)
    path.write_text(damage(path.read_text()))
    before = path.read_bytes()
    for call in (store.load, store.read, store.resume):
        with pytest.raises(ValueError, match=words) as caught:
            call(damaged)
        assert "\n" not in str(caught.value) and str(path) in str(caught.value)
    assert sound in [game.id for game in store.list()]
    assert store.latest_unfinished() is not None
    assert path.read_bytes() == before


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, lambda path: path.symlink_to("/dev/zero"), lambda path: path.symlink_to(path)])  # fmt: skip
def test_what_is_no_file__is_neither_waited_for_nor_read(store, make):
    sound = store.create(started())
    store.close()
    other = store.path("20200101-000000-aaaaaa")
    make(other)
    assert [game.id for game in store.list()] == [sound]
    latest = store.latest_unfinished()
    assert latest is not None and latest.id == sound
    with pytest.raises((ValueError, OSError), match=r"it is no file of|symbolic links"):
        store.resume(other.stem)


def test_list__has_the_latest_first_and_reads_only_as_many_as_asked_for(store):
    ids = [store.create(started(turns)) for turns in (2, 3, 4)]
    for age, game_id in enumerate(reversed(ids)):
        os.utime(store.path(game_id), (1e9 - age, 1e9 - age))
    store.path(ids[0]).write_text("damaged")
    os.utime(store.path(ids[0]), (1e9 - 5, 1e9 - 5))
    (store.folder / "notes.json").write_text("not a game")
    assert [game.id for game in store.list()] == [ids[2], ids[1]]
    assert [game.id for game in store.list(1)] == [ids[2]]
    assert len(store.list(None)) == 2 and len(GameStore(store.folder / "none").list()) == 0


def test_latest_unfinished__passes_over_finished_games(store):
    first, over = started(), started()
    first_id = store.create(first)
    over.resign(0)
    over.resign(2)
    assert over.is_over
    over_id = store.create(over)
    os.utime(store.path(first_id), (1e9, 1e9))
    assert [game.id for game in store.list()] == [over_id, first_id]
    latest = store.latest_unfinished()
    assert latest is not None and latest.id == first_id and not latest.is_finished


def test_two_stores__do_not_write_one_game(store):
    game = started()
    game_id = store.create(game)
    other = GameStore(store.folder)
    before = store.path(game_id).read_bytes()
    for call in (lambda: other.save(game_id, game), lambda: other.resume(game_id)):
        with pytest.raises(ValueError, match=f"game {game_id} is open elsewhere"):
            call()
    assert other.load(game_id) == game.record, "reading is free"
    store.release(game_id)
    on = other.resume(game_id)
    play_on(on, 3)
    other.save(game_id, on)
    other.close()
    with pytest.raises(ValueError, match="was changed elsewhere: load it again"):
        store.save(game_id, game)
    assert other.load(game_id) == on.record and store.path(game_id).read_bytes() != before


def test_lock__ends_with_its_process(store):
    game_id = store.create(started())
    store.close()
    code = (
        "import sys; from pathlib import Path; from azul_ui.games.store import GameStore\n"
        f"store = GameStore(Path(sys.argv[1])); store.resume('{game_id}'); print('open', flush=True); sys.stdin.read()"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", code, str(store.folder)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(LAYERS)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        assert child.stdout is not None and child.stdout.readline() == b"open\n"
        with pytest.raises(ValueError, match="is open elsewhere"):
            store.resume(game_id)
    finally:
        child.kill()
        child.communicate(timeout=400)
    assert store.resume(game_id).seats == SEATS


@pytest.mark.parametrize(
    "spec", ["external:touch {}", "python:os:system", "neural:path={}", "alphabeta:weights={}"]
)
def test_agents_that_could_run_anything__are_not_taken_from_a_file(store, tmp_path, spec):
    made: list[str] = []
    record = started().record
    record.agents[1] = spec.format(tmp_path / "touched")
    game_id = store.create(record)
    store.close()
    with pytest.raises(UntrustedAgentError, match="name the agent again") as caught:
        store.resume(game_id, make_agent=made.append)
    assert caught.value.names == (record.agents[1],) and made == []
    assert store.resume(game_id, SEATS).seats == SEATS


def test_full_disk__costs_one_warning_and_recovers(store):
    game = started(2)
    kept = KeptGame(store, game)
    with full_disk():
        warning = kept.keep()
        assert warning is not None and "it is in memory only" in warning and not kept.is_kept
        play_on(game, 1)
        assert kept.keep() is None and not kept.is_kept
    assert [*store.folder.iterdir()] == [], "nothing is left of the attempts"
    assert kept.keep() is None and kept.is_kept and kept.id is not None
    before = store.load(kept.id)
    play_on(game, 1)
    with full_disk():
        assert kept.keep() is None and not kept.is_kept
    assert store.load(kept.id) == before, "the file is as it was"
    kept.keep()
    assert store.load(kept.id) == game.record


def test_default_folder__is_the_variable_or_the_users_data_folder(monkeypatch, tmp_path):
    assert default_folder() == Path(os.environ[FOLDER_VARIABLE])
    monkeypatch.delenv(FOLDER_VARIABLE)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert default_folder() == tmp_path / "azul_env" / "games"
    monkeypatch.setenv("XDG_DATA_HOME", "not/absolute")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    expected = tmp_path / "home" / ".local" / "share" / "azul_env" / "games"
    assert default_folder() == GameStore().folder == expected
    monkeypatch.setenv(FOLDER_VARIABLE, "~no-such-user/games")
    with pytest.raises(OSError, match=f"set {FOLDER_VARIABLE}"):
        default_folder()
    kept = KeptGame(GameStore(), started(2))
    assert "no home folder" in (kept.keep() or "")


def test_file__is_small_and_plain(store):
    game = started(200)
    data = json.loads(store.path(store.create(game)).read_text())
    assert data["record"] == game.record.to_dict() and data["finished"]
    assert store.path(store.list()[0].id).stat().st_size < 30_000
