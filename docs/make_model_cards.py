"""Writes the cards of the packaged models as Markdown with a YAML head, from their JSON cards: `make pages` runs it."""

import json
from pathlib import Path
from typing import Any

import yaml

from azul_agents.kinds import OFFERS
from azul_agents.neural.model_file import OUTLOOK, read_model

ROOT = Path(__file__).parents[1]
CARDS = ROOT / "docs" / "model_cards"
NETWORKS = ROOT / "agents" / "azul_agents" / "neural" / "models"
SEARCH = ROOT / "agents" / "azul_agents" / "search" / "weights"
TAGS = ["reinforcement-learning", "board-games", "azul", "pettingzoo", "gymnasium"]


def network_card(name: str, card: dict[str, Any]) -> str:
    """The card of a network that `ppo` plays."""
    variant, _, number = name.removesuffix("_players").rpartition("_")
    players = int(number)
    wall, option = (f", {variant} wall", f" --variant {variant}") if variant else ("", "")
    head = {
        "license": "mit",
        "library_name": "azul-env",
        "pipeline_tag": "reinforcement-learning",
        "tags": [*TAGS, "maskable-ppo", "self-play"],
        "model-index": [
            {
                "name": f"ppo, {players} players{wall}",
                "results": [_result(f"{players} players{wall}", row) for row in card["final"]],
            }
        ],
    }
    self_play = " and then by masked PPO in self-play"
    if card["steps"] == 0:
        self_play = (
            "; the self-play of the same run made it no better, so this is the network before it"
        )
    sees = "an observation of `azul_env`, float32"
    if read_model(NETWORKS / f"{name}.npz").size.get(OUTLOOK):
        sees += (
            ", and its outlook: what the networks of the search, which are in the file, "
            "say of the position after each move"
        )
    rows = [
        f"| {row['opponent']} | {row['games']:,} | {row['win_rate']:.1%} "
        f"({100 * row['low']:.1f}–{100 * row['high']:.1f}) | {row['points']:.1f} | {row['opponent_points']:.1f} |"
        for row in card["final"]
    ]
    table = "\n".join(
        [
            "| opponent | games | win rate (95%) | points | opponent's |",
            "|---|---|---|---|---|",
            *rows,
        ]
    )
    return f"""{_yaml(head)}
# ppo, {players} players{wall}

A policy and value network for Azul with {players} players{wall}, trained by imitation of a search{self_play}.
It is the agent `ppo` in games of {players}{wall and f" on the {variant} wall"}, and plays without torch.

    azul play --vs ppo{_players_option(players)}{option}
    {_match(players)}{option}

| | |
|---|---|
| file | `agents/azul_agents/neural/models/{name}.npz`: plain float32 arrays, no code |
| input | {sees} |
| output | a logit for each action, legal or not, and the value of the position |
| trained by | `{card["command"]}` |
| steps to the best model | {card["steps"]:,}, {card["minutes"]:.0f} minutes |
| seed, commit | {card["seed"]}, `{card["commit"][:12]}` |
| started | {card["started"][:10]} |

## Evaluation

Its most likely moves, on deals that it was neither trained on nor chosen by, every deal from every seat; all other seats
are played by the opponent. Chance is {1 / players:.1%}.

{table}

## Limits

It plays this game and nothing else, with {players} players{wall} and the rules of `docs/RULES.md`. Its value is the reward of its training, not a
win chance.
"""


def evaluation_card(name: str, card: dict[str, Any]) -> str:
    """The card of a learned evaluation of the search agents."""
    players = card["players"]
    wall, users = (
        "",
        "`alphabeta` and `mcts` search with it if `evaluation=linear`.",
    )
    if card.get("variant") == "gray":
        wall, users = (
            ", gray wall",
            "`alphabeta` and `mcts` use it in gray games of any number of players.",
        )
    head = {
        "license": "mit",
        "library_name": "azul-env",
        "tags": [*TAGS, "alpha-beta", "linear-regression"],
    }
    rows = [
        f"| {number} | {step['games']:,} | {step['unexplained_after']:.1%} | {_duel(step['duel'])} | "
        f"{'yes' if step['kept'] else 'no'} |"
        for number, step in enumerate(card["steps"], 1)
    ]
    table = "\n".join(
        [
            "| step | games | unexplained variance | against the step before | kept |",
            "|---|---|---|---|---|",
            *rows,
        ]
    )
    return f"""{_yaml(head)}
# Linear evaluation, {players} players{wall}

A linear evaluation of positions in Azul with {players} players{wall}: {len(card["features"])} features, with weights by round, fitted to the
final margins of self-play. {users}

| | |
|---|---|
| file | `agents/azul_agents/search/weights/{name}.json`: numbers, no code |
| made by | `{card["made_by"]}`, {card["config"]["games"]:,} games per step |
| seed, commit | {card["config"]["seed"]}, {_commit(card)} |

## Evaluation

A step was kept only if it won more than its share, {1 / players:.1%}, of its match against the one before.

{table}

## Limits

It is made for the ends of rounds in this game, with {players} players and the rules of `docs/RULES.md`.
"""


def _commit(card: dict[str, Any]) -> str:
    """The commit of the code that made the file."""
    return f"`{card['commit'][:12]}`" if card["commit"] else "not a commit"


def _duel(duel: dict[str, Any]) -> str:
    """A win rate with its 95% interval; the first cards have a standard error."""
    if "interval" in duel:
        low, high = duel["interval"]
        return f"{duel['win_rate']:.1%} ({100 * low:.1f}–{100 * high:.1f}) of {duel['games']}"
    return f"{duel['win_rate']:.1%} ± {duel['standard_error']:.1%} of {duel['games']}"


def search_network_card(name: str, card: dict[str, Any]) -> str:
    """The card of networks at the leaves of a search."""
    players, sight, agent = card["num_players"], "", "alphabeta:evaluation=network"
    users = f"Searches use them in games of {players} with `evaluation=network`."
    if name.endswith(OFFERS):
        sight, agent = " that see offers", "guided"
        users = (
            "The one within rounds also sees how the offers on the table fit the lines of the players. `alphabeta`, `mcts`, `guided` and "
            f"the outlook of `ppo` use them in games of {players}."
        )
    head = {
        "license": "mit",
        "library_name": "azul-env",
        "tags": [*TAGS, "alpha-beta", "self-play"],
    }
    rows = [
        f"| {place} | {errors['margin']:.1f} | {errors['brier']:.3f} | {errors['base_rate']:.3f} |"
        for place, errors in (
            ("ends of rounds", _errors(card["calibration"]["ends"])),
            ("within rounds", _errors(card["calibration"]["inner"])),
        )
    ]
    table = "\n".join(
        [
            "| positions | squared error of the margin | Brier score of the win | Brier score of the base rate |",
            "|---|---|---|---|",
            *rows,
        ]
    )
    commit = f"\n| commit | `{card['commit'][:12]}` |" if "commit" in card else ""
    earlier = ", going on from earlier networks" if card.get("went_on_from") else ""
    return f"""{_yaml(head)}
# Search networks{sight}, {players} players

Two small networks for Azul with {players} players, one for the ends of rounds and one for positions within a round. Each predicts the
final margin and the chance of winning. {users}

    azul play --vs {agent}{_players_option(players)}

| | |
|---|---|
| file | `agents/azul_agents/search/weights/{name}.npz`: plain arrays, no code |
| made by | `{card["made_by"]}`, generation {card["generation"]}, from {card["games"]:,} games of self-play{earlier} |{commit}

## Evaluation

On held-out games. The base rate predicts the same chance for every position.

{table}

The matches of `{agent}` with these networks are in [the results of the search](../results/search/README.md).

## Limits

They are made for this game, with {players} players and the rules of `docs/RULES.md`, and for positions that good players reach.
"""


def _errors(calibration: dict[str, Any]) -> dict[str, float]:
    """The errors over all rounds."""
    return calibration["by_round"]["all"] if "by_round" in calibration else calibration


def _result(game: str, row: dict[str, Any]) -> dict[str, Any]:
    metric = {"type": "win_rate", "name": "win rate", "value": round(row["win_rate"], 4)}
    return {
        "task": {"type": "reinforcement-learning", "name": "Azul"},
        "dataset": {
            "type": "azul-env",
            "name": f"{row['games']} games against {row['opponent']}, {game}",
        },
        "metrics": [metric],
    }


def _yaml(head: dict[str, Any]) -> str:
    return f"---\n{yaml.safe_dump(head, sort_keys=False, allow_unicode=True)}---\n"


def _players_option(players: int) -> str:
    return "" if players == 2 else f" --players {players}"


def _match(players: int) -> str:
    return f"azul match ppo {' '.join(['greedy'] * (players - 1))} --games 400 --seed 7"


def fresh_cards() -> dict[Path, str]:
    """All cards with their contents."""
    sources = {
        "ppo": (NETWORKS, "*_players.json", network_card),
        "evaluation": (SEARCH, "*_players.json", evaluation_card),
        "search": (SEARCH, "*_players_*.json", search_network_card),
    }
    return {
        CARDS / f"{prefix}_{file.stem}.md": make(file.stem, json.loads(file.read_text("utf-8")))
        for prefix, (folder, pattern, make) in sources.items()
        for file in sorted(folder.glob(pattern))
    }


def main() -> None:
    """Write all cards."""
    CARDS.mkdir(exist_ok=True)
    for path, text in fresh_cards().items():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
