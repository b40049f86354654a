"""What is said of moves: losses against the best one, means and worst mistakes, with an agent whose values are known."""

import numpy as np
import pytest

from azul_agents.analysis.review import (
    SEVERITIES,
    ReviewedMove,
    mean_losses,
    ranked_moves,
    reviewed_moves,
    severity_of,
    strongest_spec,
    summaries,
    worst_moves,
)
from azul_agents.analysis.streaming import analysis_of, last_step
from azul_agents.analysis.win_chance import SeatChances
from azul_agents.base import Agent, CannotAnalyseError, MoveValue
from azul_agents.registry import make_agent
from azul_env import (
    GameRecord,
    GameRecorder,
    GameState,
    afterstate,
    encode_action,
    format_state,
    legal_actions,
    legal_mask,
    new_game,
    verify,
    winners,
)


class ByNumber(Agent):
    """Values every move at minus its number, and lists the worst first."""

    spec = "by_number"

    def act(self, state: GameState, legal_mask: np.ndarray, rng: np.random.Generator) -> int:
        raise AssertionError("an analysis does not play")

    def analyse(self, state: GameState) -> list[MoveValue]:
        return [MoveValue(a, -a) for a in np.flatnonzero(legal_mask(state))[::-1].tolist()]


class Indifferent(ByNumber):
    spec = "indifferent"

    def analyse(self, state: GameState) -> list[MoveValue]:
        return [MoveValue(a, 1.5) for a in np.flatnonzero(legal_mask(state)).tolist()]


def played(num_players: int = 2, drafts: int = 12) -> GameRecorder:
    recorder = GameRecorder(num_players, 0, 7)
    rng = np.random.default_rng(1)
    for _ in range(drafts):
        recorder.draft(int(rng.choice(np.flatnonzero(legal_mask(recorder.state)))))
    return recorder


def move(player: int, loss: float, number: int = 1) -> ReviewedMove:
    return lost(player, loss, 0.0, number)


def lost(player: int, loss: float, chance: float, number: int = 1) -> ReviewedMove:
    return ReviewedMove(number, 1, player, 0, -loss, 1, 0.0, 0.5, 0.5 + chance, (0.5, 0.5), (1,))


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_review__gives_every_draft_its_loss_against_the_best_legal_move(num_players):
    record = played(num_players).record
    moves = list(reviewed_moves(record, ByNumber()))
    drafts = [event for event in record.events if event["type"] == "draft"]
    assert [(m.player, m.action) for m in moves] == [(e["player"], e["action"]) for e in drafts]
    assert all(m.loss == m.action - m.best_action for m in moves)
    assert all(m.best_action <= m.action for m in moves)
    assert [m.number for m in moves] == list(range(1, len(drafts) + 1))


def test_review__counts_resignations_as_replays_do_and_leaves_them_out():
    recorder = GameRecorder(3, 0, 7)
    recorder.draft(legal_actions(recorder.state)[0])
    recorder.resign(1)
    recorder.draft(legal_actions(recorder.state)[0])
    moves = list(reviewed_moves(recorder.record, ByNumber()))
    assert [(m.number, m.player, m.loss) for m in moves] == [(1, 0, 0), (3, 2, 0)]


def test_review__calls_a_move_the_best_when_none_is_better():
    moves = list(reviewed_moves(played().record, Indifferent()))
    assert all(m.best_action == m.action and m.loss == 0 for m in moves)
    assert worst_moves(moves, 5) == []


def test_review__names_the_round_that_a_move_was_played_in():
    record = played(drafts=30).record
    rounds = [m.round for m in reviewed_moves(record, ByNumber())]
    deals = np.cumsum([event["type"] == "deal" for event in record.events])
    is_draft = [event["type"] == "draft" for event in record.events]
    assert rounds == [int(n) for n, draft in zip(deals, is_draft, strict=True) if draft]
    assert rounds[0] == 1 and rounds[-1] > 1


def test_ranking__puts_the_best_first_whatever_order_the_agent_gives():
    state = played().state
    values = [value for _, value in ranked_moves(state, ByNumber())]
    assert values == sorted(values, reverse=True)
    assert len(values) == int(legal_mask(state).sum())


def test_ranking_of_a_finished_game__is_refused_with_the_position():
    recorder = played()
    recorder.resign(0)
    text = format_state(verify(recorder.record))
    with pytest.raises(ValueError, match="over") as caught:
        ranked_moves(recorder.state, ByNumber())
    assert text in str(caught.value)


def test_agent_without_values__says_so():
    with pytest.raises(CannotAnalyseError, match="random"):
        list(reviewed_moves(played().record, make_agent("random")))


def test_agent_that_leaves_a_move_out__is_an_error_that_names_it():
    class Forgetful(ByNumber):
        spec = "forgetful"

        def analyse(self, state: GameState) -> list[MoveValue]:
            return super().analyse(state)[-1:]  # the best one only

    with pytest.raises(ValueError, match="forgetful gives no value to"):
        list(reviewed_moves(played().record, Forgetful()))


def test_move_from_a_display_like_another__has_the_value_of_its_twin():
    class OncePerContent(ByNumber):
        spec = "once_per_content"

        def analyse(self, state: GameState) -> list[MoveValue]:
            firsts = [state.factories.index(tiles) for tiles in state.factories]
            moves = super().analyse(state)
            return [m for m in moves if m.action // 30 in (*firsts, len(state.factories))]

    same = [[2, 2, 0, 0, 0], [0, 0, 4, 0, 0], [2, 2, 0, 0, 0], [0, 0, 0, 2, 2], [0, 0, 0, 2, 2]]
    record = GameRecord(2, events=[{"type": "deal", "factories": same}])
    record.events.append({"type": "draft", "player": 0, "action": encode_action((2, 1, 3), 2)})
    (reviewed,) = reviewed_moves(record, OncePerContent())
    assert reviewed.value == -encode_action((0, 1, 3), 2) and reviewed.best_action == 0
    record.events[-1]["action"] = encode_action((2, 0, 0), 2)
    (reviewed,) = reviewed_moves(record, OncePerContent())
    assert reviewed.loss == 0 and reviewed.best_action == reviewed.action


def test_mean_loss__is_by_seat_and_none_for_who_did_not_move():
    assert mean_losses([move(0, 1.0), move(2, 4.0), move(0, 2.0)], 3) == [1.5, None, 4.0]
    assert mean_losses([], 2) == [None, None]


def test_worst_moves__are_sorted_by_loss_and_only_mistakes():
    moves = [move(0, 1.0, 1), move(1, 3.0, 2), move(0, 0.0, 3), move(1, 1.0, 4)]
    assert [m.number for m in worst_moves(moves, 3)] == [2, 1, 4]
    assert [m.number for m in worst_moves(moves, 1)] == [2]


def test_worst_moves__begin_with_the_blunders_whatever_points_a_decided_game_loses():
    moves = [lost(0, 40.0, 0.01, 1), lost(1, 3.0, 0.30, 2), lost(0, 5.0, 0.12, 3)]
    assert [m.number for m in worst_moves(moves, 3)] == [2, 3, 1]


@pytest.mark.parametrize(
    ("chance", "name"),
    [(0.0, None), (0.049, None), (0.05, "inaccuracy"), (0.12, "mistake"), (0.5, "blunder")],
)
def test_severity__is_by_the_win_chance_that_a_move_lost(chance, name):
    assert severity_of(chance) == name
    assert lost(0, 90.0, chance + 1e-9).severity == name


def test_severities__are_listed_from_the_worst():
    assert list(SEVERITIES.values()) == sorted(SEVERITIES.values(), reverse=True)


def test_summary__has_means_counts_and_accuracy_by_seat():
    moves = [lost(0, 2.0, 0.3), lost(0, 0.0, 0.0), lost(0, 1.0, 0.06), lost(0, 1.0, 0.0)]
    own, other = summaries(moves, 2)
    assert own.moves == 4 and own.mean_loss == 1 and own.accuracy == 0.5
    assert own.mean_win_chance_loss == pytest.approx(0.09)
    assert own.severities == {"blunder": 1, "mistake": 0, "inaccuracy": 1}
    assert other == (0, None, None, None, {"blunder": 0, "mistake": 0, "inaccuracy": 0})


@pytest.mark.parametrize("num_players", [2, 3])
def test_review__can_go_on_from_any_move(num_players):
    record = played(num_players).record
    moves = list(reviewed_moves(record, ByNumber()))
    assert list(reviewed_moves(record, ByNumber(), first=5)) == moves[4:]
    assert all(sum(m.win_chances) == pytest.approx(1) for m in moves)
    assert all(m.win_chances[m.player] == m.win_chance for m in moves)


def planted_blunder() -> GameRecorder:
    """A game in which the last move throws away a win that the search sees."""
    agent = make_agent("alphabeta:nodes=3000")
    for seed in range(20):
        recorder = GameRecorder(2, 0, seed)
        while not recorder.state.is_terminal:
            found = analysis_of(recorder.state, agent)
            best, worst = found.candidates[0], min(found.candidates, key=lambda c: c.win_chance)
            is_chance_to_err = best.win_chance == 1 and worst.win_chance == 0
            recorder.draft(worst.action if is_chance_to_err else best.action)
            if is_chance_to_err:
                return recorder
    raise AssertionError("nobody could throw away a win")


def test_review_of_a_planted_blunder__names_it_and_the_move_that_wins():
    record = planted_blunder().record
    number = sum(event["type"] == "draft" for event in record.events)
    (move,) = reviewed_moves(record, make_agent("alphabeta:nodes=3000"), first=number)
    assert (move.number, move.severity) == (number, "blunder")
    assert (move.best_win_chance, move.win_chance, move.win_chance_loss) == (1, 0, 1)
    assert move.best_line[0] == move.best_action != move.action
    assert move.win_chances[move.player] == 0 and worst_moves([move], 1) == [move]


def test_finished_game__ends_with_the_shares_of_its_result():
    recorder = GameRecorder(2, 0, 3, max_rounds=1)
    while not recorder.state.is_terminal:
        recorder.draft(int(np.flatnonzero(legal_mask(recorder.state))[0]))
    *_, last = reviewed_moves(recorder.record, ByNumber())
    winning = winners(recorder.state)
    assert last.win_chances == tuple((seat in winning) / len(winning) for seat in range(2))


def test_best_line_of_a_twin__is_legal_from_the_factory_that_was_played():
    same = [[2, 2, 0, 0, 0], [2, 2, 0, 0, 0], [0, 0, 2, 2, 0], [0, 0, 0, 2, 2], [0, 0, 2, 0, 2]]
    agent = make_agent("alphabeta:depth=3")
    state = new_game(2, deal=same)
    best = next(c for c in analysis_of(state, agent).candidates if c.action < 30)
    record = GameRecord(2, events=[{"type": "deal", "factories": same}])
    record.events.append({"type": "draft", "player": 0, "action": best.action + 30})
    (reviewed,) = reviewed_moves(record, agent)
    line = reviewed.best_line
    if reviewed.loss == 0:
        assert line[0] == best.action + 30
    for action in line:
        assert legal_mask(state)[action]
        state = afterstate(state, action)


@pytest.mark.parametrize("variant", ["colored", "gray"])
@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_strongest_spec__is_an_agent_that_can_analyse(num_players, variant):
    spec = strongest_spec(num_players, variant)
    assert spec.startswith("mcts" if num_players > 2 and variant == "colored" else "alphabeta")
    assert ranked_moves(new_game(num_players, rng=3, variant=variant), make_agent(spec))
    assert (
        make_agent(strongest_spec(num_players, variant, seconds=0.5)).analysis_limits.seconds == 0.5
    )


@pytest.mark.parametrize("num_players", [3, 4])
def test_search_that_knows_the_margins_of_all__decides_their_chances(num_players):
    state = new_game(num_players, rng=5)
    agent = make_agent("mcts:simulations=2000")
    step = last_step(state, agent)
    best = step.moves[0]
    margins = step.margins[best.action]
    assert margins[state.current_player] == best.value and len({*margins}) == num_players
    chances = analysis_of(state, agent).win_chances
    assert chances == SeatChances(state).by_seat(best.value, margins)
    assert chances != SeatChances(state).by_seat(best.value)
    ranks = [sorted(range(num_players), key=lambda seat: -by[seat]) for by in (margins, chances)]
    mover = state.current_player
    others = [[seat for seat in order if seat != mover] for order in ranks]
    assert others[0] == others[1]  # the mover's chance has a bias of its own
