"""Levels: real agents under names for people, each with a line of words."""

import math

import pytest

from azul_agents import LEVELS, AgentSpecError, Level, agent_kinds, make_agent, parse_spec
from azul_agents.arena.levels import rated_levels
from azul_agents.arena.ratings import packaged_ratings


@pytest.mark.parametrize("level", LEVELS, ids=lambda level: level.name)
def test_level__is_another_name_of_its_spec(level):
    assert parse_spec(level.name) == parse_spec(level.spec)
    assert level.description and "\n" not in level.description
    assert level.name not in agent_kinds()
    rating = packaged_ratings().get(level.spec, {}).get(2)
    assert level.rating is not None and (rating is None or level.rating == rating)


def test_levels__are_about_six_with_names_of_their_own():
    assert 5 <= len(LEVELS) <= 8
    assert (
        len({level.name for level in LEVELS})
        == len({level.spec for level in LEVELS})
        == len(LEVELS)
    )
    ratings = [level.rating for level in LEVELS]
    assert ratings == sorted(ratings)


def test_levels_without_a_tournament__are_rated_by_their_neighbours():
    levels = tuple(Level(name, "words", name) for name in "abcde")
    matches = {("b", "a"): (74.75, 99), ("d", "c"): (49.5, 99)}
    found = rated_levels(levels, {"b": 1500.0, "c": 1700.0}, matches)
    ratings = [level.rating for level in found]
    assert ratings[1:4] == [1500, 1700, pytest.approx(1700)] and ratings[4] is None
    assert ratings[0] == pytest.approx(1500 - 400 * math.log10(75.25 / 24.75))


def test_agent_of_a_level__is_known_by_the_name_of_the_level():
    assert make_agent("casual").spec == "casual"
    assert type(make_agent("casual")) is type(make_agent("greedy"))


def test_level__takes_no_options_and_is_named_among_the_known():
    with pytest.raises(
        AgentSpecError, match="'casual:depth=3': a level has no options; casual is greedy"
    ):
        parse_spec("casual:depth=3")
    with pytest.raises(AgentSpecError, match="levels: beginner, "):
        parse_spec("nobody")
