"""Games against the reference engine, and against programs that misbehave."""

import os

from agents.bot_commands import bot
from azul_agents import MatchConfig, run_match
from azul_agents.kinds import TIMEOUT_VARIABLE
from parity import test_gray_reference, test_reference
from parity.test_reference import center_first, mostly_floor, no_floor, uniform
from soak.chores import Chore

POLICIES = (uniform, mostly_floor, no_floor, center_first)
HOSTILE = (
    bot("answers_as_told", "I play 57"),
    bot("answers_as_told", "[" * 3_000),
    bot("answers_as_told", '{"type":"action","action":true}'),
    bot("answers_first_illegal"),
    bot("answers_twice"),
    bot("closes_its_output"),
    bot("crashes_at_start"),
    bot("crashes_in_the_middle"),
    bot("dies_of_a_signal"),
    bot("floods_with_lines"),
    bot("floods_without_newline"),
    bot("hangs_at_start"),
    bot("hangs_when_asked"),
    bot("leaves_a_child"),
    bot("never_reads"),
)


def engines(chore: Chore) -> None:
    """Games on the compiled and on the reference engine, on both walls in turn, compared state by state."""
    while chore.goes_on():
        for engine in (test_reference, test_gray_reference):
            resigning = chore.rng.choice((0.0, 0.0, 0.02))
            seed = chore.rng.randrange(2**31)
            policy = chore.rng.choice(POLICIES)
            engine.play_both(chore.rng.choice((2, 3, 4)), seed, policy, resigning)
            chore.count("games")


def bots(chore: Chore) -> None:
    """Matches against hostile programs: each ends, by a forfeit or not, and leaves no process."""
    os.environ[TIMEOUT_VARIABLE] = "1.5"
    while chore.goes_on():
        hostile = chore.rng.choice(HOSTILE)
        config = MatchConfig(games=2, seed=chore.rng.randrange(2**31), jobs=1)
        result = run_match((hostile, "greedy"), config)
        assert result.games == 2
        chore.count("games", 2)
