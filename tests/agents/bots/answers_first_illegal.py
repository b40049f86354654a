"""Plays the lowest action that is not legal."""

from player import play, say

play(
    lambda message: say(type="action", action=min(set(range(300)) - set(message["legal_actions"])))
)
