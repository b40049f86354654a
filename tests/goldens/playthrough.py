"""Playthroughs as text: every move of a game by its name, with the position it leads to.

`make goldens` regenerates them; the diff of a golden is the review of a change in behaviour.
"""

from pathlib import Path

import numpy as np

from azul_env import (
    apply_action,
    format_action,
    format_state,
    legal_actions,
    new_game,
    ranking,
    resign,
)

FOLDER = Path(__file__).parent
GAMES = {
    "2_players": (2, 11, "colored"),
    "3_players": (3, 12, "colored"),
    "4_players_one_resigns": (4, 13, "colored"),
    "2_players_gray": (2, 14, "gray"),
    "3_players_gray_one_resigns": (3, 15, "gray"),
    "4_players_gray": (4, 16, "gray"),
}
RESIGNS_AFTER_MOVE = 30


def playthrough(name: str) -> str:
    """The text of one game. Chance and choices come from one generator's raw words, in this order."""
    num_players, seed, variant = GAMES[name]
    rng = np.random.Generator(np.random.PCG64(seed))
    state = new_game(num_players, rng=rng, variant=variant)
    lines = [f"game {name}, seed {seed}", format_state(state)]
    for move in range(10_000):
        if state.is_terminal:
            break
        player = state.current_player
        if name.endswith("resigns") and move == RESIGNS_AFTER_MOVE:
            state = resign(state, player, rng).state
            lines += ["", f"{move}. player {player} resigns"]
        else:
            actions = legal_actions(state)
            action = actions[int(rng.bit_generator.random_raw() % len(actions))]
            state = apply_action(state, action, rng).state
            said = format_action(action, num_players, variant)
            lines += ["", f"{move}. player {player} of {len(actions)} moves: {said}"]
        lines.append(format_state(state))
    scores = " ".join(map(str, state.scores))
    ranks = " ".join(map(str, ranking(state)))
    return "\n".join([*lines, "", f"scores {scores}, ranks {ranks}", ""])


def main() -> None:
    for name in GAMES:
        (FOLDER / f"{name}.txt").write_text(playthrough(name), encoding="utf-8")


if __name__ == "__main__":
    main()
