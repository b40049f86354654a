"""Learning the networks of the search: samples, training, and runs that go on where they were killed."""

from pathlib import Path

import numpy as np
import pytest
import torch

from azul_agents.search.deepening import choose_in_all
from azul_agents.search.evaluator import DECIDED
from azul_agents.search.linear import linear_evaluator
from azul_agents.search.network.layers import OFFERS, OFFERS_SHAPE, SHAPES, flat, unflattened
from azul_agents.search.network.weights_file import read_networks
from azul_agents.search.pvs import MAX_PLIES, new_memory
from azul_agents.search.recording_file import load_recording
from azul_agents.search.self_play import NO_END, SETTINGS, Recording, record_games
from azul_train.search.config import FittingConfig, SearchConfig, read_search_config
from azul_train.search.fitting import Targets, batch_of, fit, predicted, with_searched
from azul_train.search.folder import SearchRunFolder
from azul_train.search.games import files_of, part_of, play_generation
from azul_train.search.generations import SearchRun
from azul_train.search.model import SearchNetwork
from azul_train.search.pictures import elo_over
from azul_train.search.report import write_search_report
from azul_train.search.samples import results_of, samples_of

PNG = b"\x89PNG"
TINY = (
    "generations=2",
    "self_play.games=40",
    "self_play.games_per_file=20",
    "self_play.nodes=20",
    "fitting.batch_size=64",
    "duel.games=4",
    "duel.time=null",
    "duel.nodes=30",
)


def recorded(
    num_players: int, games: int = 30, seed: int = 1, inner_per_mille: int = 300
) -> Recording:
    settings = np.array([(num_players, 40, 250, inner_per_mille)], SETTINGS)
    memory = new_memory(breadth=10, node_limit=20)
    return record_games(games, settings, linear_evaluator(num_players), memory, seed)


@pytest.mark.parametrize("num_players", [2, 3])
def test_recording__links_positions_to_the_end_of_their_round(num_players: int) -> None:
    recording = recorded(num_players)
    is_end = recording.rows["available"] == 0
    assert is_end.any() and not is_end.all()
    for position, end in enumerate(recording.ends.tolist()):
        if end == NO_END:
            continue
        assert end > position and is_end[end]
        assert recording.games[end] == recording.games[position]
        expected = recording.rows["round"][position] + 1
        assert recording.rows["round"][end] == expected
    assert (recording.finals["end_reason"] != 0).all()


def test_recording__depends_only_on_the_seed() -> None:
    first, again, other = recorded(2), recorded(2), recorded(2, seed=2)
    assert first.rows.tobytes() == again.rows.tobytes() != other.rows.tobytes()


def values_of_movers(recording: Recording) -> np.ndarray:
    return recording.values[np.arange(len(recording.rows)), recording.rows["current_player"]]


@pytest.mark.parametrize("num_players", [2, 3])
def test_recording__has_the_values_that_the_search_finds(num_players: int) -> None:
    recording = recorded(num_players)
    found = values_of_movers(recording)
    is_searched = ~np.isnan(found)
    is_end = recording.rows["available"] == 0
    assert np.isnan(recording.values[is_end]).all()
    assert np.isnan(recording.values[:, num_players:]).all()
    assert 0.8 < is_searched[~is_end].mean() < 1.0  # random moves are not searched
    rows = recording.rows[is_searched].copy()
    actions, values = np.zeros(len(rows), np.int64), np.zeros(len(rows))
    memory = new_memory(breadth=10, node_limit=20)
    choose_in_all(rows, memory, linear_evaluator(num_players), MAX_PLIES, actions, values)
    assert np.allclose(values, found[is_searched])


@pytest.mark.parametrize("num_players", [2, 3])
def test_recording__has_for_all_players_what_their_next_search_in_the_round_finds(
    num_players: int,
) -> None:
    recording = recorded(num_players, games=8, inner_per_mille=1000)  # every position
    values, rows = recording.values, recording.rows
    is_end, found = rows["available"] == 0, values_of_movers(recording)
    same_round = (recording.games[1:] == recording.games[:-1]) & ~is_end[1:] & ~is_end[:-1]
    known = 0
    for position in range(len(rows) - 1, -1, -1):
        for seat in range(num_players):
            if is_end[position] or seat == rows["current_player"][position]:
                continue
            goes_on = position + 1 < len(rows) and same_round[position]
            expected = values[position + 1, seat] if goes_on else np.nan
            assert np.array_equal(values[position, seat], expected, equal_nan=True)
            known += not np.isnan(expected)
    assert known > np.isfinite(found).sum() / 2


@pytest.mark.parametrize("num_players", [2, 3])
def test_samples__have_the_search_s_margin_for_the_seat_that_sees_a_game_that_goes_on(
    num_players: int,
) -> None:
    recording = recorded(num_players)
    samples = samples_of([recording])
    positions = np.arange(len(recording.rows))
    seats = recording.rows["current_player"]
    if num_players > 2:
        seats = np.tile(np.arange(num_players), len(positions))
        positions = np.repeat(positions, num_players)
    is_known = ~np.isnan(samples.searched)
    assert is_known.any() and not is_known[samples.next_end == NO_END].any()
    found = recording.values[positions, seats][is_known]
    assert np.array_equal(samples.searched[is_known], found) and (np.abs(found) < DECIDED).all()
    most_known = np.bincount(positions[is_known]).max()
    assert most_known == (1 if num_players == 2 else num_players)


def test_targets__mix_the_margin_of_the_search_in_where_it_is_known() -> None:
    samples = samples_of([recorded(2)])
    outcome = Targets(samples.margin, samples.share)
    mixed = with_searched(outcome, samples, search_share=0.25)
    is_known = ~np.isnan(samples.searched)
    assert np.array_equal(mixed.margin[~is_known], samples.margin[~is_known])
    expected = 0.25 * samples.searched[is_known] + 0.75 * samples.margin[is_known]
    assert np.allclose(mixed.margin[is_known], expected)
    assert np.array_equal(mixed.share, samples.share)


@pytest.mark.parametrize("num_players", [2, 3])
def test_samples__say_how_the_game_ended_for_the_seat_that_sees(num_players: int) -> None:
    recording = recorded(num_players)
    samples = samples_of([recording, recording])
    per_position = 1 if num_players == 2 else num_players
    assert len(samples.game) == 2 * per_position * len(recording.rows)
    margins, shares = results_of(recording.finals, num_players)
    assert np.allclose(margins.sum(axis=1), 0) and np.allclose(shares.sum(axis=1), 1)
    follows = samples.next_end != NO_END
    assert samples.is_end[samples.next_end[follows]].all()
    # The same seat or, with 2 players and another sign, the other one.
    next_margin = samples.margin[samples.next_end[follows]]
    assert np.allclose(samples.margin[follows], samples.sign[follows] * next_margin)


@pytest.mark.parametrize("sees_offers", [False, True])
def test_network__is_exported_as_it_is(sees_offers: bool) -> None:
    torch.manual_seed(0)
    network = SearchNetwork(sees_offers)
    layers = network.layers(2)
    offers = {OFFERS: OFFERS_SHAPE} if sees_offers else {}
    assert {name: layer.shape for name, layer in layers.items()} == SHAPES | offers
    samples = samples_of([recorded(2)])
    chosen = np.arange(50)
    margins, _ = predicted(network, samples, chosen)
    with torch.no_grad():
        assert np.allclose(margins, network(batch_of(samples, chosen))[0].numpy())


@pytest.mark.parametrize("num_players", [2, 3])
def test_network__goes_on_from_its_export(num_players: int) -> None:
    torch.manual_seed(0)
    network, copy = SearchNetwork(sees_offers=True), SearchNetwork(sees_offers=True)
    other = SearchNetwork()
    torch.nn.init.normal_(network.offers.weight)
    for by_round in (network.own, network.output):
        torch.nn.init.normal_(by_round.of_round)
    weights = flat(network.layers(num_players), other.layers(num_players))
    inner, ends = unflattened(weights)
    copy.take_over(inner, num_players)
    samples = samples_of([recorded(num_players)])
    chosen = np.arange(50)
    expected, found = (predicted(one, samples, chosen)[0] for one in (network, copy))
    assert np.allclose(found, expected, atol=1e-4)
    assert np.array_equal(ends["table"], other.layers(num_players)["table"])


def test_fit__without_steps_to_speak_of_stays_where_it_started() -> None:
    samples = samples_of([recorded(2, games=60)])
    first = fit(samples, FittingConfig(batch_size=256), seed=1)
    start = (first.inner.layers(2), first.ends.layers(2))
    tiny_steps = FittingConfig(batch_size=256, learning_rate=1e-9)
    same, fresh = (fit(samples, tiny_steps, 1, start=layers) for layers in (start, None))
    before, after, elsewhere = (
        fitted.calibration["inner"]["by_round"]["all"]["margin"] for fitted in (first, same, fresh)
    )
    assert after == pytest.approx(before, abs=0.05) and elsewhere != before


def test_fit__of_offers_leaves_the_network_for_ends_as_it_was() -> None:
    samples = samples_of([recorded(2, games=60)])
    first = fit(samples, FittingConfig(batch_size=256), seed=1)
    start = unflattened(flat(first.inner.layers(2), first.ends.layers(2)))
    config = FittingConfig(batch_size=256, offers=True, goes_on=True, end_epochs=0)
    fitted = fit(samples, config, seed=1, start=start)
    for name, layer in first.ends.layers(2).items():
        assert np.allclose(fitted.ends.layers(2)[name], layer, atol=1e-5), name
    assert fitted.inner.layers(2)[OFFERS].any()
    errors = [one.calibration["inner"]["by_round"]["all"]["margin"] for one in (first, fitted)]
    assert errors[1] != errors[0]


def test_fit__predicts_better_than_the_points_so_far() -> None:
    samples = samples_of([recorded(2, games=300)])
    fitted = fit(samples, FittingConfig(batch_size=256), seed=1)
    judged = np.flatnonzero(samples.is_end & (samples.game % 20 == 0))
    points = samples.points[judged].astype(float)
    plain = ((points[:, 0] - points[:, 1] - samples.margin[judged]) ** 2).mean()
    assert fitted.calibration["ends"]["by_round"]["all"]["margin"] < plain


class StopAfterTwoParts:
    """An event that is set after the first two parts of a file."""

    looks = 0

    def is_set(self) -> bool:
        self.looks += 1
        return self.looks > 3  # the first look is before the file

    def set(self) -> None:
        pass


def test_stopped_games__go_on_without_a_difference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = read_search_config(None, [*TINY, "self_play.games=20"])
    recordings = []
    for name, stops in (("whole", 0), ("stopped", 2)):
        folder = tmp_path / name
        (file,) = files_of(folder, config)
        for _ in range(stops):
            with monkeypatch.context() as patch:
                patch.setattr("azul_train.search.games.Event", StopAfterTwoParts)
                patch.setattr("azul_train.search.games.CHUNK_SECONDS", 0.0)  # one game at a time
                play_generation(folder, config, 1, lambda: linear_evaluator(2), lambda _: None)
            assert part_of(file).exists() and not file.exists()
        play_generation(folder, config, 1, lambda: linear_evaluator(2), lambda _: None)
        assert not part_of(file).exists()
        recordings.append(load_recording(file, 2, 20))
    for whole, stopped in zip(*recordings, strict=True):
        assert whole.tobytes() == stopped.tobytes()


def tiny_run(root: Path) -> SearchRunFolder:
    return SearchRunFolder.create(root, read_search_config(None, TINY), "a test")


def results(folder: SearchRunFolder) -> list[object]:
    lines = folder.generations()
    return [{key: line[key] for key in line if key != "minutes"} for line in lines]


class KilledError(Exception):
    """Stands for a kill."""


def test_killed_run__goes_on_without_a_difference(tmp_path: Path) -> None:
    whole, killed = tiny_run(tmp_path / "whole"), tiny_run(tmp_path / "killed")
    SearchRun(whole, lambda *_: None).run()
    stops = iter([1, 1, 3, 2])

    def run_until_killed() -> bool:
        left = next(stops, None)

        def report(*_: object) -> None:
            nonlocal left
            if left is not None:
                left -= 1
                if left == 0:
                    raise KilledError

        try:
            SearchRun(killed, report).run()
        except KilledError:
            return False
        return True

    kills = 0
    while not run_until_killed():
        kills += 1
    assert kills >= 3
    assert results(killed) == results(whole)
    for number in (1, 2):
        ours, theirs = (
            read_networks(folder.generation(number) / "networks.npz") for folder in (killed, whole)
        )
        assert (ours == theirs).all()
    write_search_report(whole)
    assert whole.is_finished and "generation" in whole.report.read_text()
    for picture in (whole.curve, whole.reliability):
        assert (
            picture.read_bytes().startswith(PNG) and f"({picture.name})" in whole.report.read_text()
        )


def test_config__refuses_what_is_not_allowed() -> None:
    for change in ("num_players=5", "generations=0", "duel.nodes=10", "self_play.random_moves=2"):
        with pytest.raises(ValueError, match=r"must|needs"):
            read_search_config(None, [change])
    assert SearchConfig().duel.time


def test_elo__is_zero_for_an_equal_share() -> None:
    assert elo_over(0.5, 2) == elo_over(0.25, 4) == 0
    assert elo_over(0.75, 2) == pytest.approx(190.8, abs=0.1)
    assert elo_over(1.0, 2) < 1200
