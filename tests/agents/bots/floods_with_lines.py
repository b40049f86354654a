"""Answers with messages of a type that nobody knows, without end."""

from player import play, say


def flood(message):
    while True:
        say(type="thinking", about="x" * 1000)


play(flood)
