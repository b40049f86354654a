"""Damaged files that a program reads back of its own: recorded games of runs, and games that people play."""

import numpy as np

from azul_agents.search.linear import linear_evaluator
from azul_agents.search.pvs import new_memory
from azul_agents.search.recording_file import load_recording, save_recording
from azul_agents.search.self_play import SETTINGS, Recording, record_games
from azul_env import encode_action, legal_actions
from azul_train.search.samples import samples_of
from azul_ui.games.session import PERSON, GameSession
from azul_ui.games.store import GameStore
from soak.chores import Chore
from soak.files import mutated

GAMES = 4
FEW_MOVES = 12


def recordings(chore: Chore) -> None:
    """Damaged recordings: bytes of the file, or numbers in sound archives; what is read is made into samples."""
    file = chore.folder / "games.npz"
    while chore.goes_on():
        players = chore.rng.choice((2, 3, 4))
        save_recording(file, _recorded(players, chore.rng.randrange(2**31)))
        if chore.rng.random() < 0.3:
            file.write_bytes(mutated(chore, file.read_bytes()))
        else:
            _change_numbers(chore, file, players)
        try:
            samples_of([load_recording(file, players, GAMES)])
            chore.count("accepted")
        except ValueError as error:
            _refused(chore, error, file.name)


def kept_games(chore: Chore) -> None:
    """Damaged games of people, listed and played on."""
    store = GameStore(chore.folder / "games")
    game = GameSession((PERSON, "greedy", PERSON), 3)
    _play_on(game)
    game.undo()
    game_id = store.create(game)
    store.close()
    path, content = store.path(game_id), store.path(game_id).read_bytes()
    while chore.goes_on():
        path.write_bytes(mutated(chore, content))
        listed = store.list()
        try:
            session = store.resume(game_id)
        except ValueError as error:
            _refused(chore, error, game_id)
        else:
            assert [summary.id for summary in listed] == [game_id]
            _play_on(session)
            session.close()
            chore.count("accepted")
        finally:
            store.close()


def _refused(chore: Chore, error: ValueError, name: str) -> None:
    text = str(error)
    assert "\n" not in text and name in text, text
    chore.count("refused")


def _recorded(players: int, seed: int) -> Recording:
    settings = np.array([(players, 40, 250, 300)], SETTINGS)
    return record_games(GAMES, settings, linear_evaluator(players), new_memory(8, 8), seed)


def _change_numbers(chore: Chore, file, players: int) -> None:
    arrays = load_recording(file, players, GAMES)._asdict()
    for _ in range(chore.rng.choice((1, 1, 2, 5))):
        words = chore.rng.choice(list(arrays.values())).view(np.uint8)
        words[chore.rng.randrange(len(words))] ^= 1 << chore.rng.randrange(8)
    with open(file, "wb") as stream:
        np.savez(stream, **arrays)


def _play_on(game: GameSession) -> None:
    for _ in range(FEW_MOVES):
        if game.is_over:
            return
        if game.to_move_is_person:
            game.play(encode_action(legal_actions(game.state)[0], game.num_players))
        else:
            game.agent_turn()
